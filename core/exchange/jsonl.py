"""JSON Lines: a header, then memories and links, one object a line. Links name their ends by uid.

A line without a kind is a memory, so that files of other programs can be imported: {"content": "…"} is enough. A
complete file also has every vector, setting, operation and id, so that an empty store becomes an equal one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core import draft
from core.clock import parse_iso, to_iso
from core.errors import UserError
from core.exchange import fields, history
from core.model import Embedding, Link, LinkId, Memory, MemoryId, Space, Uid
from core.store.records import JournalOperation, StoreState

FORMAT = "memory-inspector"
VERSION = 1
KINDS = ("header", "memory", "link", "vector", "setting", "operation")

_TIMES = ("created_at", "updated_at", "last_accessed_at")


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A link in a file: the uids of its ends, and its fields."""

    line: int
    source: Uid
    target: Uid
    fields: Mapping[str, Any]
    id: LinkId


@dataclass(slots=True)
class Document:
    """The content of a file; `rejected` has a sentence for each line that cannot be read. A complete file also has the
    ids of its rows and its history. `redacted` are the memories that secrets were removed from. An export was written
    by this program: its lines have uids."""

    memories: list[Memory] = field(default_factory=list)
    links: list[LinkRecord] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    vectors: list[tuple[Uid, Space, Embedding]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    operations: list[JournalOperation] = field(default_factory=list)
    numbers: dict[Uid, tuple[MemoryId, int]] = field(default_factory=dict)
    redacted: set[Uid] = field(default_factory=set)
    is_complete: bool = False
    is_export: bool = False


Clean = Callable[[Mapping[str, Any]], tuple[dict[str, Any], list[str]]]


def read(lines: Iterable[str], now: datetime, *, moved_to_now: bool = False, clean: Clean | None = None) -> Document:
    """Parse a file; a line that does not fit is rejected with its number, and the others are read.

    `moved_to_now` shifts every time by the time since the reference in the header, so that a sample stays as recent as
    when it was written; `clean` removes secrets from the fields of each memory.
    """
    document = Document()
    shift = timedelta()
    seen: set[Uid] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = _record(line)
            match record.pop("kind", "memory"):
                case "header":
                    if number > 1:
                        raise UserError("a header belongs in the first line.")
                    reference = _check_header(record)
                    document.is_complete = record.get("complete") is True
                    document.is_export = True
                    if moved_to_now and reference is not None:
                        shift = now - reference
                case "memory":
                    row = record.pop("id", None), record.pop("version", None)
                    given, redacted = clean(_moved(record, shift)) if clean else (_moved(record, shift), [])
                    memory = draft.memory(given, now)
                    if memory.uid in seen:
                        raise UserError(f"the uid {memory.uid} occurs twice.")
                    seen.add(memory.uid)
                    document.memories.append(memory)
                    if redacted:
                        document.redacted.add(memory.uid)
                    if document.is_complete:
                        document.numbers[memory.uid] = _numbers(row)
                case "link":
                    document.links.append(_link_record(number, _moved(record, shift)))
                case "vector":
                    document.vectors.append((Uid(str(record.get("memory"))), *history.read_vector(record)))
                case "setting":
                    name, value = history.read_setting(record)
                    document.settings[name] = value
                case "operation":
                    document.operations.append(history.read_operation(record))
                case other:
                    raise UserError(f"kind must be one of {', '.join(KINDS)}, not {str(other)[:40]!r}.")
        except UserError as error:
            document.rejected.append(f"Line {number}: {error}")
    return document


def write(memories: Iterable[Memory], links: Iterable[Link], uids: Mapping[MemoryId, Uid]) -> Iterator[str]:
    """Yield the lines that `read` parses into equal memories and links."""
    yield _line({"kind": "header", "format": FORMAT, "version": VERSION})
    for memory in memories:
        yield _line({"kind": "memory", **fields.plain(memory)})
    for link in links:
        yield _line(_plain_link(link, uids))


def write_complete(
    state: StoreState, vectors: Iterable[tuple[MemoryId, Space, Embedding]], operations: Iterable[JournalOperation]
) -> Iterator[str]:
    """Yield the lines of a file that makes an empty store equal to this one."""
    uids = {id: memory.uid for id, memory in state.memories.items()}
    yield _line({"kind": "header", "format": FORMAT, "version": VERSION, "complete": True})
    for memory in state.memories.values():
        yield _line({"kind": "memory", "id": memory.id, "version": memory.version, **fields.plain(memory)})
    for link in state.links.values():
        yield _line({**_plain_link(link, uids), "id": link.id})
    for id, space, embedding in vectors:
        yield _line({"kind": "vector", "memory": uids[id], **history.vector(space, embedding)})
    for name, value in state.settings.items():
        yield _line({"kind": "setting", "name": name, "value": value})
    for operation in operations:
        yield _line({"kind": "operation", **history.operation(operation)})


def _plain_link(link: Link, uids: Mapping[MemoryId, Uid]) -> dict[str, Any]:
    return {
        "kind": "link",
        "source": uids[link.source_id],
        "target": uids[link.target_id],
        "kind_of_link": link.kind,
        "weight": link.weight,
        "status": link.status,
        "evidence": link.evidence,
        "created_at": to_iso(link.created_at),
    }


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
    id = record.pop("id", None)
    return LinkRecord(line, ends["source"], ends["target"], record, LinkId(0 if id is None else history.number(id)))


def _numbers(row: tuple[Any, Any]) -> tuple[MemoryId, int]:
    if None in row:
        raise UserError("in a complete file a memory has an id and a version.")
    return MemoryId(history.number(row[0])), history.number(row[1])


def _moved(record: dict[str, Any], shift: timedelta) -> dict[str, Any]:
    if shift:
        for name in _TIMES:
            if isinstance(record.get(name), str):
                record[name] = parse_iso(record[name], name) + shift
    return record


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
