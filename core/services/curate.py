"""Curation for front-ends: one operation, one transaction, one undo, for one memory or for many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from core.changes import Changes, Op
from core.curate import contradictions, operations, undo
from core.errors import NeedsPerson, UserError
from core.model import Link, LinkKind, Memory, MemoryId, Status
from core.progress import Progress, silent
from core.services import merging
from core.services.workspace import Workspace
from core.store.records import JournalEntry
from core.store.transaction import Transaction
from core.write import authorship, secrets


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The operations that were undone or redone, and the changes."""

    entries: tuple[JournalEntry, ...]
    changes: Changes


def edit(
    workspace: Workspace,
    ids: Sequence[MemoryId],
    fields: Mapping[str, Any],
    *,
    actor: str,
    reason: str = "",
    expected_version: int | None = None,
    allow_secrets: bool = False,
    is_curator: bool = True,
) -> Changes:
    """Change fields of one memory, or the same fields of many; secrets are removed first. A person's memory is changed
    only by a curator."""
    if not allow_secrets:
        fields, _ = secrets.redact_fields(fields)

    def change(transaction: Transaction, id: MemoryId) -> None:
        before = transaction.existing(id)
        _refuse_a_persons(before, is_curator=is_curator)
        if operations.edit(transaction, id, fields, actor).content != before.content:
            contradictions.reopen(transaction, id)

    return _each(workspace, Op.EDIT, ids, actor, reason, change, expected_version=expected_version)


def pin(
    workspace: Workspace,
    ids: Sequence[MemoryId],
    *,
    pinned: bool = True,
    actor: str,
    reason: str = "",
    progress: Progress = silent,
    expected_version: int | None = None,
) -> Changes:
    """Pin memories, so that they never decay; or, with `pinned` False, unpin them. If cancelled, nothing is changed."""

    def change(transaction: Transaction, id: MemoryId) -> None:
        operations.pin(transaction, id, pinned=pinned)

    op = Op.PIN if pinned else Op.UNPIN
    return _each(workspace, op, ids, actor, reason, change, progress, expected_version)


def unpin(
    workspace: Workspace, ids: Sequence[MemoryId], *, actor: str, reason: str = "", progress: Progress = silent
) -> Changes:
    return pin(workspace, ids, pinned=False, actor=actor, reason=reason, progress=progress)


def archive(
    workspace: Workspace, ids: Sequence[MemoryId], *, actor: str, reason: str = "", progress: Progress = silent
) -> Changes:
    """Hide memories from queries; restore brings them back. If cancelled, nothing is changed."""

    def change(transaction: Transaction, id: MemoryId) -> None:
        operations.set_status(transaction, id, Status.ARCHIVED)

    return _each(workspace, Op.ARCHIVE, ids, actor, reason, change, progress)


def restore(
    workspace: Workspace, ids: Sequence[MemoryId], *, actor: str, reason: str = "", progress: Progress = silent
) -> Changes:
    """Make archived, forgotten or superseded memories active again. If cancelled, nothing is changed."""
    return _each(workspace, Op.RESTORE, ids, actor, reason, lambda t, id: operations.restore(t, id), progress)


def forget(
    workspace: Workspace,
    ids: Sequence[MemoryId],
    *,
    actor: str,
    reason: str = "",
    progress: Progress = silent,
    expected_version: int | None = None,
    is_curator: bool = True,
) -> Changes:
    """Forget memories: no profile returns them; undo or restore brings them back. If cancelled, nothing is changed. A
    person's memory is forgotten only by a curator."""

    def change(transaction: Transaction, id: MemoryId) -> None:
        _refuse_a_persons(transaction.existing(id), is_curator=is_curator)
        operations.set_status(transaction, id, Status.DELETED)

    return _each(workspace, Op.FORGET, ids, actor, reason, change, progress, expected_version)


def _refuse_a_persons(memory: Memory, *, is_curator: bool) -> None:
    if not is_curator and authorship.is_of_person(memory):
        raise NeedsPerson(f"Memory {memory.id} is a person's; only a person can decide on a change of it.")


def redact(
    workspace: Workspace, ids: Sequence[MemoryId], *, actor: str, reason: str = "", progress: Progress = silent
) -> Changes:
    """Remove the secrets from stored texts. The journal keeps the old text, so this can be undone; only forgetting and
    purging removes it for good."""

    def clean(transaction: Transaction, id: MemoryId) -> None:
        fields, kinds = secrets.redact_fields(texts(transaction.existing(id)))
        if kinds:
            operations.edit(transaction, id, fields)
            contradictions.reopen(transaction, id)

    return _each(workspace, Op.EDIT, ids, actor, reason or "secrets removed", clean, progress)


def texts(memory: Memory) -> dict[str, Any]:
    """Return the fields of a memory that may contain a secret."""
    return {name: getattr(memory, name) for name in ("content", "summary", "tags", "entities", "files", "context")}


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """What a purge removed; `log_is_empty` is False while another reader keeps the old pages in the write-ahead log,
    and `backups` are earlier copies, which still contain it."""

    changes: Changes
    log_is_empty: bool
    backups: tuple[Path, ...]


def forgotten(workspace: Workspace, ids: Sequence[MemoryId] = ()) -> list[Memory]:
    """Return what a purge would remove: the forgotten memories, or the given ones, which must be forgotten."""
    with workspace.store.read() as reader:
        return operations.purge_candidates(reader, ids)


def purge(
    workspace: Workspace, ids: Sequence[MemoryId] = (), *, with_backups: bool = False, actor: str, reason: str = ""
) -> PurgeResult:
    """Remove forgotten memories for good: from tables, full text, vectors, journal and log."""
    with workspace.store.transact(Op.PURGE, actor, reason) as transaction:
        gone = [memory.id for memory in operations.purge_candidates(transaction.reader(), ids)]
        if not gone:
            raise UserError("Nothing is forgotten, so there is nothing to purge.")
        transaction.purge_memories(gone)
    maintenance = workspace.store.maintenance
    is_empty = maintenance is None or maintenance.empty_log()
    copies = [] if maintenance is None else [each.path for each in maintenance.list_backups()]
    while with_backups and copies:
        copies.pop().unlink()
    return PurgeResult(transaction.changes, is_empty, tuple(copies))


def reinforce(
    workspace: Workspace,
    ids: Sequence[MemoryId],
    *,
    actor: str,
    reason: str = "",
    progress: Progress = silent,
    expected_version: int | None = None,
) -> Changes:
    """Add 0.1 to the strength of memories, up to 1. If cancelled, nothing is changed."""

    def change(transaction: Transaction, id: MemoryId) -> None:
        operations.reinforce(transaction, id)

    return _each(workspace, Op.REINFORCE, ids, actor, reason, change, progress, expected_version)


def decay_all(workspace: Workspace, *, actor: str) -> tuple[int, Changes]:
    """Decay all strengths for the time since the last call; return how many memories changed."""
    with workspace.store.transact(Op.DECAY, actor) as transaction:
        changed = operations.decay_all(transaction)
    return changed, transaction.changes


def supersede(workspace: Workspace, new: MemoryId, old: Sequence[MemoryId], *, actor: str, reason: str = "") -> Changes:
    """Mark other memories as superseded by one."""
    return _each(workspace, Op.SUPERSEDE, old, actor, reason, lambda t, id: operations.supersede(t, new, id))


def merge(
    workspace: Workspace, ids: Sequence[MemoryId], *, content: str | None = None, actor: str, reason: str = ""
) -> tuple[Memory, Changes]:
    """Merge several memories into one, judged first; `merging.preview` shows the result beforehand."""
    return merging.merge(workspace, merging.preview(workspace, ids), content=content, actor=actor, reason=reason)


def split(
    workspace: Workspace, id: MemoryId, contents: Sequence[str], *, actor: str, reason: str = ""
) -> tuple[list[Memory], Changes]:
    contents = secrets.clean(contents)
    with workspace.store.transact(Op.SPLIT, actor, reason) as transaction:
        parts = operations.split(transaction, id, contents)
    workspace.embeddings.notify()
    return parts, transaction.changes


def link(
    workspace: Workspace,
    source: MemoryId,
    targets: Sequence[MemoryId],
    fields: Mapping[str, Any],
    *,
    actor: str,
    reason: str = "",
) -> tuple[list[Link], Changes]:
    """Link one memory to others, all with the same fields."""
    made: list[Link] = []
    changes = _each(
        workspace,
        Op.LINK,
        targets,
        actor,
        reason,
        lambda t, id: made.append(operations.link(t, source, id, fields)),
    )
    return made, changes


def unlink(
    workspace: Workspace,
    source: MemoryId,
    targets: Sequence[MemoryId],
    kind: LinkKind | None = None,
    *,
    actor: str,
    reason: str = "",
) -> Changes:
    return _each(workspace, Op.UNLINK, targets, actor, reason, lambda t, id: operations.unlink(t, source, id, kind))


def undo_last(workspace: Workspace, *, actor: str) -> UndoResult:
    """Undo the newest operation, by any actor."""
    with workspace.store.transact(Op.UNDO, actor) as transaction:
        entry = undo.last_undoable(transaction.reader())
        transaction.undo([entry.seq])
    return _undone(workspace, [entry], transaction)


def undo_operation(workspace: Workspace, seq: int, *, actor: str) -> UndoResult:
    """Undo one operation; refused if a row has changed since, or if it is undone already."""
    return undo_operations(workspace, [seq], actor=actor)


def undo_operations(workspace: Workspace, seqs: Sequence[int], *, actor: str) -> UndoResult:
    """Undo several operations, newest first; all or none."""
    if not seqs:
        raise UserError("No operation was named.")
    with workspace.store.transact(Op.UNDO, actor) as transaction:
        undone = transaction.reader().undone()
        entries = [transaction.reader().operation(seq) for seq in sorted(set(seqs), reverse=True)]
        for entry in entries:
            if entry.seq in undone:
                raise UserError(f"Operation {entry.seq} is undone already.")
            if entry.op is not Op.UNDO and not undo.is_undoable(transaction.reader(), entry):
                raise UserError(f"Operation {entry.seq} ({entry.op}) has nothing to undo.")
        transaction.undo([entry.seq for entry in entries])
    return _undone(workspace, entries, transaction)


def undoable_since(workspace: Workspace, whose: str, moment: datetime) -> list[JournalEntry]:
    """Return the operations that `undo_since` would undo."""
    with workspace.store.read() as reader:
        return undo.undoable_since(reader, whose, moment)


def undo_since(workspace: Workspace, whose: str, moment: datetime, *, actor: str) -> UndoResult:
    """Undo everything that one client wrote since a moment, all or none."""
    with workspace.store.transact(Op.UNDO, actor, f"everything {whose} did since {moment.isoformat()}") as transaction:
        entries = undo.undoable_since(transaction.reader(), whose, moment)
        transaction.undo([entry.seq for entry in entries])
    return _undone(workspace, entries, transaction)


def redo(workspace: Workspace, *, actor: str) -> UndoResult:
    """Redo what the last undo reverted."""
    with workspace.store.transact(Op.REDO, actor) as transaction:
        entry = undo.last_redoable(transaction.reader())
        brought_back = [transaction.reader().operation(seq) for seq in transaction.reader().undoes(entry.seq)]
        transaction.undo([entry.seq])
    return _undone(workspace, brought_back, transaction)


def _undone(workspace: Workspace, entries: Sequence[JournalEntry], transaction: Transaction) -> UndoResult:
    workspace.embeddings.notify()
    return UndoResult(tuple(entries), transaction.changes)


def _each(
    workspace: Workspace,
    op: Op,
    ids: Sequence[MemoryId],
    actor: str,
    reason: str,
    work: Callable[[Transaction, MemoryId], Any],
    progress: Progress = silent,
    expected_version: int | None = None,
) -> Changes:
    """Apply one operation to each of several memories. A version is checked in the transaction that writes."""
    if not ids:
        raise UserError("No memory was named.")
    named = dict.fromkeys(ids)
    if expected_version is not None and len(named) > 1:
        raise UserError("A version can be expected of one memory only.")
    with workspace.store.transact(op, actor, reason) as transaction:
        for done, id in enumerate(named):
            progress(str(op), done, len(named))
            if expected_version is not None:
                transaction.existing(id, expected_version)
            work(transaction, id)
    workspace.embeddings.notify()
    return transaction.changes
