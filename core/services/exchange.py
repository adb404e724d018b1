"""Import and export of memories, in the format of the file's name; a file is imported completely or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from core import draft, formatting, safe_files
from core.changes import Changes, Op
from core.errors import UserError
from core.exchange import jsonl, markdown, table
from core.exchange.jsonl import LinkRecord
from core.model import UNSAVED, Embedding, Filter, Memory, MemoryId, Space, Status, Uid
from core.progress import Progress, silent
from core.services import browse, files
from core.services.import_duplicates import DuplicateFinder
from core.services.workspace import Workspace
from core.store.protocol import Reader
from core.store.records import StoreState
from core.store.transaction import Transaction
from core.write import duplicate, secrets
from core.write.casing import is_same_text
from core.write.duplicate import Policy as Policy

FORMATS = ("jsonl", "csv", "markdown")


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do: rows that are new, known, known with another text, or unreadable.

    `known` are the ids of memories that the store has, `copies` the rows that duplicate other rows of the file. A
    complete file for an empty store `is_whole`: it becomes an equal store, with its ids and its history.
    """

    new: list[Memory] = field(default_factory=list)
    duplicate: list[Memory] = field(default_factory=list)
    conflicting: list[Memory] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    links: list[LinkRecord] = field(default_factory=list)
    known: dict[Uid, MemoryId] = field(default_factory=dict)
    copies: dict[Uid, Uid] = field(default_factory=dict)
    document: jsonl.Document = field(default_factory=jsonl.Document)
    notes: list[str] = field(default_factory=list)
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class ImportResult:
    plan: ImportPlan
    links: int
    changes: Changes

    @property
    def memories(self) -> int:
        return len(self.plan.new)


def plan(
    workspace: Workspace,
    path: Path,
    *,
    format: str | None = None,
    moved_to_now: bool = False,
    allow_secrets: bool = False,
    duplicates: Policy = Policy.DEFAULT,
    progress: Progress = silent,
) -> ImportPlan:
    """Read a file and compare it with the store; nothing is changed.

    A row whose uid is in the store is that memory. Other rows are judged like any write, unless duplicates are to be
    kept; an export of this program was judged when it was written, so what it has twice was kept on purpose.
    """
    clean = None if allow_secrets else secrets.redact_fields
    now = workspace.store.clock.now()
    document = _document(path, format or format_of(path), now, moved_to_now, clean)
    with workspace.store.read() as reader:
        whole, notes = _is_whole(reader, document, allow_secrets=allow_secrets)
        found = ImportPlan(
            rejected=document.rejected, links=document.links, document=document, notes=notes, is_whole=whole
        )
        is_judged = duplicates is not Policy.KEEP and not document.is_export
        copies = DuplicateFinder(reader, document.memories) if is_judged else None
        for number, memory in enumerate(document.memories):
            progress("comparing", number, len(document.memories))
            known = reader.memory_by_uid(memory.uid)
            if known is not None and not is_same_text(known.content, memory.content):
                found.conflicting.append(memory)
                continue
            if known is None and duplicates is not Policy.KEEP:
                known = _same(reader, memory) or _is_duplicate(copies, memory)
            if known is None:
                found.new.append(memory)
                continue
            found.duplicate.append(memory)
            if known.id == UNSAVED:
                found.copies[memory.uid] = known.uid
            else:
                found.known[memory.uid] = known.id
        ends = {memory.uid for memory in document.memories}
        for record in document.links:
            found.rejected.extend(_complaints(reader, record, ends, now, clean))
    return found


def _same(reader: Reader, memory: Memory) -> Memory | None:
    """Return a memory with the same text, subject and collection, under any uid."""
    for each in reader.same_content(memory.content):
        is_there = each.collection == memory.collection and each.status is not Status.DELETED
        if is_there and is_same_text(each.content, memory.content) and duplicate.has_same_subject(each, memory):
            return each
    return None


def _is_duplicate(copies: DuplicateFinder | None, memory: Memory) -> Memory | None:
    verdict = copies.judge(memory) if copies is not None else None
    return None if verdict is None else verdict.memory


def _complaints(
    reader: Reader, record: LinkRecord, ends: set[Uid], now: datetime, clean: jsonl.Clean | None
) -> Iterator[str]:
    """Yield what is wrong with a link, before anything is written."""
    for uid in (record.source, record.target):
        if uid not in ends and not reader.has_uid(uid):
            yield f"Line {record.line}: there is no memory {uid} to link."
    try:
        draft.link(record.fields, MemoryId(1), MemoryId(2), now)
    except UserError as error:
        yield f"Line {record.line}: {error}"
    if record.source == record.target:
        yield f"Line {record.line}: a memory cannot be linked to itself."
    if clean is not None and clean(record.fields)[1]:
        yield f"Line {record.line}: this link holds a credential; --allow-secrets keeps it."


def import_file(
    workspace: Workspace,
    path: Path,
    *,
    actor: str,
    format: str | None = None,
    reason: str = "",
    moved_to_now: bool = False,
    allow_secrets: bool = False,
    skip_conflicts: bool = False,
    duplicates: Policy = Policy.DEFAULT,
    progress: Progress = silent,
) -> ImportResult:
    """Add the new rows of a file with their links, in one operation; UserError if a row cannot be read or conflicts."""
    found = plan(
        workspace,
        path,
        format=format,
        moved_to_now=moved_to_now,
        allow_secrets=allow_secrets,
        duplicates=duplicates,
        progress=progress,
    )
    if found.rejected:
        more = f" ({len(found.rejected)} such rows in all)" if len(found.rejected) > 1 else ""
        raise UserError(f"{found.rejected[0]}{more}")
    if found.conflicting and not skip_conflicts:
        uid = found.conflicting[0].uid
        known = formatting.memories(len(found.conflicting))
        raise UserError(
            f"The store has {known} of the file with another text, the first {uid}; --skip-conflicts leaves out such."
        )
    why = reason or f"from {path.name}"
    with workspace.store.transact(Op.IMPORT, actor, why, allow_secrets=allow_secrets) as transaction:
        made = (_fill_store if found.is_whole else _add)(transaction, found, progress)
    workspace.embeddings.notify()
    return ImportResult(found, made, transaction.changes)


def _add(transaction: Transaction, found: ImportPlan, progress: Progress) -> int:
    """Add the new rows of a file to the store; return how many links were added."""
    ids: dict[Uid, MemoryId] = dict(found.known)
    vectors: dict[Uid, dict[Space, Embedding]] = {}
    for uid, space, embedding in found.document.vectors:
        if uid not in found.document.redacted:
            vectors.setdefault(uid, {})[space] = embedding
    for done, memory in enumerate(found.new, 1):
        ids[memory.uid] = transaction.add_memory(memory, vectors.get(memory.uid)).id
        progress("importing", done, len(found.new))
    ids |= {copy: ids[kept] for copy, kept in found.copies.items()}
    made = 0
    for record in found.links:
        ends = [_end(transaction.reader(), ids, record, uid) for uid in (record.source, record.target)]
        if ends[0] == ends[1]:
            continue  # between two duplicates, of which one is kept
        link = draft.link(record.fields, ends[0], ends[1], transaction.now)
        if not transaction.reader().has_link(link):
            transaction.add_link(link)
            made += 1
    return made


def export(
    workspace: Workspace, path: Path, *, format: str | None = None, wanted: Filter | None = None, bare: bool = False
) -> int:
    """Write memories to a new file, or for Markdown to a new folder; return how many.

    JSON Lines of all memories is complete, with vectors and history, unless it is to be `bare`.
    """
    selected = format or format_of(path)
    if selected not in FORMATS:
        raise UserError(f"The format must be one of {', '.join(FORMATS)}, not {selected[:40]!r}.")
    files.refuse_what_is_there(path)
    with workspace.store.read() as reader:  # one snapshot for the complete file
        if selected == "jsonl" and not bare and wanted in (None, Filter()):
            state = reader.state()
            files.write_new(path, jsonl.write_complete(state, reader.vectors(), reader.operations()))
            return len(state.memories)
        memories = browse.all_memories(workspace, wanted or Filter())
        uids = {memory.id: memory.uid for memory in memories}
        links = [link for id in uids for link in reader.links_from(id) if link.target_id in uids]
        if selected == "markdown":
            _write_folder(path, memories)
        else:
            files.write_new(path, jsonl.write(memories, links, uids) if selected == "jsonl" else table.write(memories))
    return len(memories)


def _write_folder(path: Path, memories: Iterable[Memory]) -> None:
    with files.writable(path):
        path.mkdir(parents=True, mode=0o700)
        try:
            for memory in memories:
                safe_files.create(path / markdown.file_name(memory), [markdown.write(memory)])
        except BaseException:
            shutil.rmtree(path)
            raise


def _is_whole(reader: Reader, document: jsonl.Document, *, allow_secrets: bool) -> tuple[bool, list[str]]:
    """Return whether a file may fill the store as a complete one; else, if it is complete, a sentence that says why
    not."""
    if not document.is_complete:
        return False, []
    if reader.count() or reader.journal_entries(limit=1):
        return False, ["The store is not empty, so the file's history is left out."]
    if not allow_secrets and (document.redacted or _holds_secrets(document)):
        return False, ["The file's history holds credentials, so it is left out; --allow-secrets brings it."]
    return True, []


def _holds_secrets(document: jsonl.Document) -> bool:
    """Return whether what is imported unchanged (history, reasons, evidence of links) contains credentials."""
    rows = (row for each in document.operations for image in each.images for row in (image.before, image.after) if row)
    details = ({"reason": each.entry.reason, "actor": each.entry.actor} for each in document.operations)
    links = (link.fields for link in document.links)
    return any(secrets.redact_fields(each)[1] for each in (*rows, *details, *links, document.settings))


def _fill_store(transaction: Transaction, found: ImportPlan, progress: Progress) -> int:
    """Fill an empty store from a complete file; return how many links it has."""
    document = found.document
    ids = {uid: id for uid, (id, _) in document.numbers.items()}
    if len(set(ids.values())) < len(ids):
        raise UserError("Two memories of the file have the same id.")
    memories = {}
    for memory in document.memories:
        id, version = document.numbers[memory.uid]
        memories[id] = memory._replace(id=id, version=version)
    links = {}
    for record in document.links:
        if record.source not in ids or record.target not in ids:
            raise UserError(f"Line {record.line}: this link has no memory at one of its ends.")
        link = draft.link(record.fields, ids[record.source], ids[record.target], transaction.now)
        if record.id in links or not record.id:
            raise UserError(f"Line {record.line}: this link has no number of its own.")
        links[record.id] = replace(link, id=record.id)
    transaction.fill_empty(StoreState(memories, links, document.settings), document.operations)
    for done, (uid, space, embedding) in enumerate(document.vectors, 1):
        if uid not in ids:
            raise UserError(f"A vector is of {uid[:40]}, which is not in the file.")
        transaction.put_embedding(ids[uid], space, embedding)
        progress("importing", done, len(document.vectors))
    return len(links)


def format_of(path: Path) -> str:
    """Return the format of a name; a folder contains Markdown."""
    endings = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".md": "markdown", "": "markdown"}
    if path.is_dir():
        return "markdown"
    if path.suffix.lower() not in endings:
        raise UserError(
            f"The format of {path.name} is not clear from its name; use .jsonl, .csv or .md, or name its format "
            f"({', '.join(FORMATS)})."
        )
    return endings[path.suffix.lower()]


def _document(path: Path, format: str, now: datetime, moved_to_now: bool, clean: jsonl.Clean | None) -> jsonl.Document:
    """Return the content of a file of any format."""
    if format not in FORMATS:
        raise UserError(f"The format must be one of {', '.join(FORMATS)}, not {format[:40]!r}.")
    with files.readable(path):
        if format == "jsonl":
            with path.open(encoding="utf-8") as lines:
                return jsonl.read(lines, now, moved_to_now=moved_to_now, clean=clean)
        document = jsonl.Document(is_export=True)
        for place, given in _rows(path, format):
            document.is_export &= "uid" in given
            try:
                document.memories.append(draft.memory(clean(given)[0] if clean else given, now))
            except UserError as error:
                document.rejected.append(f"{place}: {error}")
        return document


def _rows(path: Path, format: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if format == "csv":
        with path.open(encoding="utf-8", newline="") as lines:
            for number, given in table.read(lines):
                yield f"Line {number}", given
        return
    for file in sorted(path.glob("*.md")) if path.is_dir() else [path]:
        try:
            yield file.name, markdown.read(file.read_bytes().decode("utf-8"))
        except UserError as error:
            raise UserError(f"{file.name}: {error}") from error


def _end(reader: Reader, ids: dict[Uid, MemoryId], record: LinkRecord, uid: Uid) -> MemoryId:
    if uid in ids:
        return ids[uid]
    known = reader.memory_by_uid(uid)
    if known is None:
        raise UserError(f"Line {record.line}: there is no memory {uid} to link.")
    return known.id
