"""Bringing memories in from files, all of a file or nothing of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core import draft
from core.changes import Changes, Op
from core.errors import UserError
from core.exchange import jsonl
from core.progress import Progress, silent
from core.services.workspace import Workspace
from core.write import secrets


@dataclass(frozen=True, slots=True)
class Imported:
    memories: int
    links: int
    changes: Changes


def import_jsonl(
    workspace: Workspace,
    path: Path,
    *,
    actor: str,
    reason: str = "",
    moved_to_now: bool = False,
    allow_secrets: bool = False,
    progress: Progress = silent,
) -> Imported:
    """Add the memories and links of a JSON Lines file in one operation."""
    try:
        with path.open(encoding="utf-8") as lines:
            clean = None if allow_secrets else secrets.redact_fields
            document = jsonl.read(lines, workspace.store.clock.now(), moved_to_now=moved_to_now, clean=clean)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text.") from error
    return _add(workspace, document, actor, reason or f"from {path.name}", progress)


def _add(workspace: Workspace, document: jsonl.Document, actor: str, reason: str, progress: Progress) -> Imported:
    total = len(document.memories)
    with workspace.store.transact(Op.IMPORT, actor, reason) as transaction:
        ids = {}
        for done, memory in enumerate(document.memories, 1):
            ids[memory.uid] = transaction.add_memory(memory).id
            progress("importing", done, total)
        for record in document.links:
            _refuse_unknown(record, ids)
            ends = ids[record.source], ids[record.target]
            transaction.add_link(draft.link(record.fields, *ends, transaction.now))
    workspace.embeddings.notify()
    return Imported(total, len(document.links), transaction.changes)


def _refuse_unknown(record: jsonl.LinkRecord, known: Iterable[str]) -> None:
    for end in (record.source, record.target):
        if end not in known:
            raise UserError(f"Line {record.line}: there is no memory {end} to link.")
