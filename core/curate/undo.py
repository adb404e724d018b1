"""Which operations can be undone, alone or in groups, and redone."""

from __future__ import annotations

from datetime import datetime

from core.changes import Op
from core.errors import UserError
from core.store.protocol import Reader
from core.store.records import JournalEntry

# Operations that undo skips: records of access, repairs of derived data, and purges, which cannot be undone.
NOT_UNDOABLE = frozenset({Op.TOUCH, Op.EMBED, Op.REPAIR, Op.PURGE})
MAX_ENTRIES = 100_000


def last_undoable(reader: Reader) -> JournalEntry:
    """Return the newest operation that is not undone yet, by any actor."""
    undone = reader.undone()
    for entry in reader.journal_entries(limit=MAX_ENTRIES, without=NOT_UNDOABLE):
        if entry.seq not in undone and is_undoable(reader, entry):
            return entry
    raise UserError("There is nothing to undo.")


def last_redoable(reader: Reader) -> JournalEntry:
    """Return the newest undo, if no other operation followed it; UserError otherwise."""
    undone = reader.undone()
    for entry in reader.journal_entries(limit=MAX_ENTRIES, without=NOT_UNDOABLE):
        if entry.op is Op.UNDO and entry.seq not in undone:
            return entry
        if entry.seq not in undone and is_undoable(reader, entry):
            break
    raise UserError("There is nothing to redo.")


def undoable_since(reader: Reader, actor: str, moment: datetime) -> list[JournalEntry]:
    """Return the operations of one actor since a moment that are not undone; UserError if there are none."""
    undone = reader.undone()
    found = [
        entry
        for entry in reader.journal_entries(limit=MAX_ENTRIES, without=NOT_UNDOABLE)
        if entry.actor == actor and entry.at >= moment and entry.seq not in undone and is_undoable(reader, entry)
    ]
    if not found:
        raise UserError(f"{actor} has done nothing since then that could be undone.")
    return found


def is_undoable(reader: Reader, entry: JournalEntry) -> bool:
    """Return whether the operation can be undone: it is an edit, and no purge has removed its images."""
    return entry.op not in NOT_UNDOABLE | {Op.UNDO, Op.REDO} and reader.has_all_images(entry.seq)
