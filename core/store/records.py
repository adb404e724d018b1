"""Records that a store keeps and returns, whatever its engine: journal, states, calls, judgements, proposals, checks.

Engines create them and modules above the store read them. A record has plain values only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.changes import Op
from core.model import Embedding, Json, Link, LinkId, Memory, MemoryId, Space, Uid

Row = dict[str, Any]  # field name to its stored value; of a memory also `tags`, a list
Clean = Callable[[Any], Any]  # removes credentials from a text or a JSON value


# the journal


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One operation of the journal: what was done, when, by which actor and why."""

    seq: int
    at: datetime
    op: Op
    actor: str
    reason: str


@dataclass(frozen=True, slots=True)
class Image:
    """One row before and after an operation: None where the row did not exist, else the fields that changed."""

    entity: str
    key: str
    before: Row | None
    after: Row | None


@dataclass(frozen=True, slots=True)
class JournalOperation:
    """A complete operation of the journal. `vectors` are those that it removed; of one that `is_purged` a part was
    removed for good."""

    entry: JournalEntry
    images: tuple[Image, ...]
    undoes: tuple[int, ...]
    vectors: tuple[tuple[MemoryId, Space, Embedding], ...]
    is_purged: bool = False


@dataclass(frozen=True, slots=True)
class StoreState:
    """Every memory, link and setting at one moment."""

    memories: dict[MemoryId, Memory]
    links: dict[LinkId, Link]
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    """A memory after an operation that changed it; None after one that removed it."""

    entry: JournalEntry
    memory: Memory | None


# recorded calls


class CallOutcome(StrEnum):
    """How a call ended: with an answer, with a sentence for the caller, or with an error of the program."""

    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CallResult:
    """A memory that a recall returned, or dropped: then `missed` is the reason."""

    memory_id: MemoryId
    score: float | None
    missed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an agent. A recall has `trace` and `results`, a call that wrote has `operation`."""

    at: datetime
    client: str
    tool: str
    elapsed_us: int
    session: str = ""
    outcome: CallOutcome = CallOutcome.ANSWERED
    complaint: str = ""
    operation: int | None = None
    question: Json | None = None
    mode: str = ""
    trace: Json | None = None
    results: tuple[CallResult, ...] = ()
    id: int = 0

    @property
    def returned(self) -> int:
        return sum(not result.missed for result in self.results)

    @property
    def elapsed_ms(self) -> float:
        return self.elapsed_us / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """Selects calls; an empty field selects all."""

    clients: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    memory: MemoryId | None = None
    only_without_result: bool = False


# judgements and proposals


@dataclass(frozen=True, slots=True)
class Judgement:
    """How relevant a judge finds a memory for a query of a golden set."""

    golden_set: str
    query: str
    memory: Uid
    grade: int
    judge: str
    judged_at: datetime
    category: str = ""


class ProposalKind(StrEnum):
    EDIT = "edit"
    FORGET = "forget"


class ProposalState(StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change that an agent proposes and a person decides on. `fields` are the values that an edit would set;
    `version` is the memory's version when it was proposed."""

    memory_id: MemoryId
    version: int
    kind: ProposalKind
    fields: Mapping[str, Any]
    actor: str
    reason: str
    proposed_at: datetime
    state: ProposalState = ProposalState.OPEN
    decided_by: str = ""
    decided_at: datetime | None = None
    id: int = 0


# maintenance


@dataclass(frozen=True, slots=True)
class SpaceUse:
    """A vector space of the store, and how many vectors it holds."""

    space: Space
    vectors: int
    truncated: int


class Problem(StrEnum):
    """What a check can find."""

    DAMAGED_PAGES = "damaged_pages"
    BROKEN_REFERENCES = "broken_references"
    FULLTEXT_DRIFT = "fulltext_drift"
    VECTOR_DRIFT = "vector_drift"
    UNUSABLE_VECTORS = "unusable_vectors"
    JOURNAL_DRIFT = "journal_drift"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One problem that a check found, as a sentence, with the memories concerned."""

    problem: Problem
    sentence: str
    can_be_repaired: bool
    ids: tuple[MemoryId, ...] = ()


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a store. `number` counts the copies in the order they were made; 0 for copies of version 0.1, which
    have none."""

    path: Path
    at: datetime
    reason: str
    size: int
    number: int = 0
