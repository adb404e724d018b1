"""The memory model: every field that the five published designs use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, NewType

MemoryId = NewType("MemoryId", int)
LinkId = NewType("LinkId", int)
Uid = NewType("Uid", str)

UNSAVED = MemoryId(0)

Json = Mapping[str, Any]
_NOTHING: Json = {}  # never mutated


class Status(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    CONTRADICTED = "contradicted"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Importance(StrEnum):
    NORMAL = "normal"
    HIGH = "high"


class LinkKind(StrEnum):
    RELATES = "relates"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    DEPENDS_ON = "depends_on"
    SAME_AS = "same_as"
    TEMPORAL = "temporal"
    TOPIC = "topic"
    REFERENCE = "reference"


class Setting(StrEnum):
    """The settings of a store, by name; a complete export has all of them."""

    MODEL = "model"
    PROFILES = "profiles"
    STRENGTH_DECAYED_AT = "strength_decayed_at"
    WOVEN_UP_TO = "woven_up_to"


class LinkStatus(StrEnum):
    """The state of a link: one that a rule proposes is open until a person decides."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


class Memory(NamedTuple):
    """One memory of an agent. `id` is its row in this store; `uid` is the same in every store.

    A recall creates a hundred of them and an import one for each line: a named tuple is created several times faster
    than a frozen dataclass.
    """

    content: str
    created_at: datetime
    updated_at: datetime
    uid: Uid
    id: MemoryId = UNSAVED
    summary: str = ""
    type: str = "fact"
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    collection: str = "default"
    session: str = ""
    user: str = ""
    agent: str = ""
    source: str = "person"
    provenance: Json = _NOTHING
    context: Json = _NOTHING
    confidence: float = 0.8
    strength: float = 1.0
    importance: Importance = Importance.NORMAL
    pinned: bool = False
    status: Status = Status.ACTIVE
    last_accessed_at: datetime | None = None
    access_count: int = 0
    return_count: int = 0
    version: int = 1

    @property
    def last_used_at(self) -> datetime:
        """Its last access; its creation if it was never accessed."""
        return self.last_accessed_at or self.created_at

    def numbered(self, id: MemoryId) -> Memory:
        """Return the same memory with an id; takes half the time of `_replace`."""
        return Memory._make((*self[:_ID], id, *self[_ID + 1 :]))


_ID = Memory._fields.index("id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A directed, weighted relation between two memories, with its evidence."""

    source_id: MemoryId
    target_id: MemoryId
    kind: LinkKind
    created_at: datetime
    id: LinkId = LinkId(0)
    weight: float = 1.0
    status: LinkStatus = LinkStatus.ACCEPTED
    evidence: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Space:
    """The space of comparable vectors: the exact files of one model and one recipe for the embedded text.

    Vectors of different spaces are never compared, so a new model or a new recipe is a new space.
    """

    model: str
    revision: str
    dimension: int
    file_hash: str
    recipe: str


@dataclass(frozen=True, slots=True)
class Embedding:
    """A vector as float32 little-endian bytes, and whether the text was cut at the model's limit."""

    vector: bytes
    truncated: bool = False


# The only fields that a recipe for embedded text may read: a change of one removes the vectors of the memory.
EMBEDDED_FIELDS = frozenset({"content", "entities"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories are selected; an empty field does not filter. The values of a field are alternatives."""

    collections: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = ()
    sessions: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    pinned: bool | None = None
    since: datetime | None = None
    until: datetime | None = None


NOT_FORGOTTEN = Filter(statuses=tuple(status for status in Status if status is not Status.DELETED))
