"""JSON Lines: a header, then memories and links, one object a line. Links name their ends by uid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core import draft
from core.clock import parse_iso, to_iso
from core.errors import UserError
from core.exchange import fields
from core.model import Link, Memory, MemoryId, Uid

FORMAT = "memory-inspector"
VERSION = 1

_TIMES = ("created_at", "updated_at", "last_accessed_at")


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A link before its ends are rows: uids, and the link's own fields."""

    line: int
    source: Uid
    target: Uid
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds; `rejected` are its rows that could not be read, a sentence each."""

    memories: list[Memory] = field(default_factory=list)
    links: list[LinkRecord] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


Clean = Callable[[Mapping[str, Any]], tuple[dict[str, Any], list[str]]]


def read(lines: Iterable[str], now: datetime, *, moved_to_now: bool = False, clean: Clean | None = None) -> Document:
    """Parse a whole file; a line that does not fit is rejected with its number, and the others are read on.

    `moved_to_now` shifts every time by what has passed since the header's reference, so that a sample
    is always as fresh as on the day it was written; `clean` takes secrets out of each memory's fields.
    """
    document = Document()
    shift = timedelta()
    seen: set[Uid] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = _record(line)
            match record.pop("kind", None):
                case "header":
                    reference = _check_header(record)
                    if moved_to_now and reference is not None:
                        shift = now - reference
                case "memory":
                    given = _moved(record, shift)
                    memory = draft.memory(clean(given)[0] if clean else given, now)
                    if memory.uid in seen:
                        raise UserError(f"the uid {memory.uid} stands there twice.")
                    seen.add(memory.uid)
                    document.memories.append(memory)
                case "link":
                    document.links.append(_link_record(number, _moved(record, shift)))
                case other:
                    raise UserError(f"kind must be header, memory or link, not {str(other)[:40]!r}.")
        except UserError as error:
            document.rejected.append(f"Line {number}: {error}")
    return document


def write(memories: Iterable[Memory], links: Iterable[Link], uids: Mapping[MemoryId, Uid]) -> Iterator[str]:
    """The lines of a file that `read` turns into equal memories and links."""
    yield _line({"kind": "header", "format": FORMAT, "version": VERSION})
    for memory in memories:
        yield _line({"kind": "memory", **fields.plain(memory)})
    for link in links:
        yield _line(
            {
                "kind": "link",
                "source": uids[link.source_id],
                "target": uids[link.target_id],
                "kind_of_link": link.kind,
                "weight": link.weight,
                "status": link.status,
                "evidence": link.evidence,
                "created_at": to_iso(link.created_at),
            }
        )


def _record(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError("this is not JSON.") from error
    if not isinstance(record, dict):
        raise UserError("this is not a JSON object.")
    return record


def _check_header(record: Mapping[str, Any]) -> datetime | None:
    if record.get("format") != FORMAT or record.get("version") != VERSION:
        raise UserError(f"this is not the {FORMAT} format, version {VERSION}.")
    reference = record.get("reference")
    return None if reference is None else parse_iso(str(reference), "reference")


def _link_record(line: int, record: dict[str, Any]) -> LinkRecord:
    ends = {end: draft.RULES["uid"](end, record.pop(end, None)) for end in ("source", "target")}
    record["kind"] = record.pop("kind_of_link", None)
    return LinkRecord(line, ends["source"], ends["target"], record)


def _moved(record: dict[str, Any], shift: timedelta) -> dict[str, Any]:
    if shift:
        for name in _TIMES:
            if isinstance(record.get(name), str):
                record[name] = parse_iso(record[name], name) + shift
    return record


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
