"""Every operation by name, and the record of what one of them changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.model import LinkId, MemoryId

# The actor of a person's operations. Only a person can pin a memory or set its source.
PERSON = "person"


def duplicate_sentence_start(id: MemoryId) -> str:
    """Return the start of the journal entry of a refused duplicate. Its text follows there, so a purge of the memory
    searches for this."""
    return f"Memory {id} says it already"


class Op(StrEnum):
    REMEMBER = "remember"
    IMPORT = "import"
    EDIT = "edit"
    PROPOSE = "propose"
    REFUSE = "refuse"
    PIN = "pin"
    UNPIN = "unpin"
    ARCHIVE = "archive"
    RESTORE = "restore"
    FORGET = "forget"
    PURGE = "purge"
    REINFORCE = "reinforce"
    DECAY = "decay"
    SUPERSEDE = "supersede"
    MERGE = "merge"
    CONSOLIDATE = "consolidate"
    SPLIT = "split"
    LINK = "link"
    UNLINK = "unlink"
    RESOLVE = "resolve"
    JUDGE = "judge"
    TOUCH = "touch"
    EMBED = "embed"
    CONFIGURE = "configure"
    REPAIR = "repair"
    UNDO = "undo"
    REDO = "redo"


@dataclass(frozen=True, slots=True)
class Changes:
    """What one committed operation changed. `seq` is its journal entry, None if only derived data changed."""

    op: Op
    at: datetime
    seq: int | None = None
    memories: frozenset[MemoryId] = field(default_factory=frozenset)
    links: frozenset[LinkId] = field(default_factory=frozenset)
    vectors: frozenset[MemoryId] = field(default_factory=frozenset)
    settings: frozenset[str] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.memories or self.links or self.vectors or self.settings)
