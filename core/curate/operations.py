"""The operations of curation, each within a transaction that the caller has opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from core import draft
from core.changes import PERSON
from core.clock import DAY, age, parse_iso, to_iso
from core.curate import merging
from core.errors import NotFound, UserError
from core.formulas import decay
from core.model import Filter, Link, LinkKind, LinkStatus, Memory, MemoryId, Setting, Status
from core.store.protocol import Reader
from core.store.transaction import Transaction
from core.write import authorship

# The fields that can be edited; identity, times and counts are set by the store.
EDITABLE = frozenset(
    {
        "content", "summary", "type", "tags", "entities", "files", "collection", "session", "user", "confidence",
        "strength", "importance", "context",
    }
)  # fmt: skip

REINFORCEMENT = 0.1  # OpenMem, strength: reinforce() adds 0.1
STRENGTH_DECAY_PER_DAY = 0.01  # OpenMem, strength: decay_all()


def edit(transaction: Transaction, id: MemoryId, fields: Mapping[str, Any], actor: str = PERSON) -> Memory:
    """Change fields of a memory. A new text makes the actor its author."""
    refuse_uneditable(fields)
    old = transaction.existing(id)
    changed = {name for name, value in draft.changes(fields).items() if getattr(old, name) != value}
    return transaction.update_memory(id, {**fields, **authorship.author_fields_after_edit(old, changed, actor)})


def refuse_uneditable(fields: Mapping[str, Any]) -> None:
    if not fields:
        raise UserError("Nothing to change was named; name a field and its new value, such as confidence.")
    for name in fields:
        if name in draft.RULES and name not in EDITABLE:
            raise UserError(f"{name} cannot be edited.")


def pin(transaction: Transaction, id: MemoryId, *, pinned: bool = True) -> Memory:
    """Pin a memory, so that it never decays; or unpin it."""
    return transaction.update_memory(id, {"pinned": pinned})


def set_status(transaction: Transaction, id: MemoryId, status: Status) -> Memory:
    """Set the status of a memory; UserError if it is forgotten, since only `restore` brings it back."""
    if transaction.existing(id).status is Status.DELETED and status is not Status.DELETED:
        raise UserError(f"Memory {id} is forgotten; restore it first.")
    return transaction.update_memory(id, {"status": status})


def restore(transaction: Transaction, id: MemoryId) -> Memory:
    """Make an archived, forgotten, superseded or contradicted memory active again."""
    if transaction.existing(id).status is Status.ACTIVE:
        raise UserError(f"Memory {id} is active already.")
    return transaction.update_memory(id, {"status": Status.ACTIVE})


def purge_candidates(reader: Reader, ids: Sequence[MemoryId]) -> list[Memory]:
    """Return what may be purged: every forgotten memory, or the given ones, which must be forgotten."""
    if not ids:
        return [memory for page in reader.pages(Filter(statuses=(Status.DELETED,))) for memory in page]
    found = reader.memories(ids)
    for id in ids:
        if id not in found:
            raise NotFound(f"There is no memory {id}.")
        if found[id].status is not Status.DELETED:
            raise UserError(f"Memory {id} is {found[id].status}; only what was forgotten before can be purged.")
    return list(found.values())


def reinforce(transaction: Transaction, id: MemoryId) -> Memory:
    """Add 0.1 to the strength of a memory, up to 1. OpenMem, strength."""
    memory = transaction.existing(id)
    return transaction.update_memory(id, {"strength": min(1.0, memory.strength + REINFORCEMENT)})


def decay_all(transaction: Transaction) -> int:
    """Multiply strength by exp(−0.01 · days since the last time); a restart does not repeat it.

    OpenMem, strength. Pinned memories keep theirs. The first call only records the time.
    """
    last = transaction.reader().setting(Setting.STRENGTH_DECAYED_AT)
    elapsed = 0.0 if last is None else max(0.0, (transaction.now - parse_iso(last)) / DAY)
    until = max(transaction.now, parse_iso(last)) if last else transaction.now
    transaction.set_setting(Setting.STRENGTH_DECAYED_AT, to_iso(until))
    if not elapsed:
        return 0
    changed = 0
    for id in transaction.reader().memory_ids():
        memory = transaction.existing(id)
        own = min(elapsed, age(memory.created_at, transaction.now, DAY))  # a newer memory decays from its creation on
        if not memory.pinned and memory.strength > 0 and own > 0:
            factor = decay.exponential(own, STRENGTH_DECAY_PER_DAY)
            transaction.update_memory(id, {"strength": memory.strength * factor})
            changed += 1
    return changed


def supersede(transaction: Transaction, new: MemoryId, old: MemoryId) -> Link:
    """Mark the old memory as superseded by the new one; it stays readable."""
    if new == old:
        raise UserError("A memory cannot supersede itself.")
    link = _link(new, old, LinkKind.SUPERSEDES, transaction.now)
    known = next(
        (each for each in transaction.reader().links_from(new) if each.target_id == old and each.kind is link.kind),
        None,
    )
    made = known or transaction.add_link(link)  # superseded before and restored since
    set_status(transaction, old, Status.SUPERSEDED)
    return made


def merge(
    transaction: Transaction, ids: Sequence[MemoryId], content: str | None = None, *, are_duplicates: bool = False
) -> Memory:
    """Merge several memories into the first, with the given text, all tags, entities and links; the others are
    superseded by it. `are_duplicates` says that they were judged duplicates, which decides the confidence."""
    memories = [transaction.existing(id) for id in dict.fromkeys(ids)]
    changes = merging.fields(memories, content, are_duplicates=are_duplicates)
    kept, others = memories[0], memories[1:]
    transaction.update_memory(kept.id, changes)
    for other in others:
        _move_links(transaction, other.id, kept.id)
        supersede(transaction, kept.id, other.id)
    return transaction.existing(kept.id)


def split(transaction: Transaction, id: MemoryId, contents: Sequence[str]) -> list[Memory]:
    """Split a memory into several; it is archived and linked to its parts."""
    if len(contents) < 2:
        raise UserError("Splitting needs at least two texts.")
    whole = transaction.existing(id)
    parts = []
    for content in contents:
        checked = draft.changes({"content": content})["content"]
        part = whole._replace(
            id=MemoryId(0), uid=draft.new_uid(transaction.now), content=checked, summary="",
            updated_at=transaction.now,
            access_count=0, return_count=0, last_accessed_at=None, version=1,
        )  # fmt: skip
        saved = transaction.add_memory(part)
        transaction.add_link(_link(saved.id, id, LinkKind.REFERENCE, transaction.now))
        parts.append(saved)
    set_status(transaction, id, Status.ARCHIVED)
    return parts


def link(transaction: Transaction, source: MemoryId, target: MemoryId, fields: Mapping[str, Any]) -> Link:
    return transaction.add_link(draft.link(fields, source, target, transaction.now))


def unlink(transaction: Transaction, source: MemoryId, target: MemoryId, kind: LinkKind | None = None) -> int:
    """Remove the links from one memory to another, all or those of one kind."""
    found = [
        each
        for each in transaction.reader().links_from(source)
        if each.target_id == target and (kind is None or each.kind is kind)
    ]
    if not found:
        raise UserError(f"There is no such link from memory {source} to {target}.")
    for each in found:
        transaction.remove_link(each.id)
    return len(found)


def _move_links(transaction: Transaction, old: MemoryId, new: MemoryId) -> None:
    for each in transaction.reader().links_of(old):
        transaction.remove_link(each.id)
        source, target = (new if end == old else end for end in (each.source_id, each.target_id))
        moved = replace(each, source_id=source, target_id=target)
        is_circle = moved.kind is LinkKind.SUPERSEDES and source in transaction.reader().superseded_by(target)
        if moved.source_id != moved.target_id and not transaction.reader().has_link(moved) and not is_circle:
            transaction.add_link(moved)


def _link(source: MemoryId, target: MemoryId, kind: LinkKind, now: datetime) -> Link:
    return Link(source_id=source, target_id=target, kind=kind, status=LinkStatus.ACCEPTED, created_at=now)
