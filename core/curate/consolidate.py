"""Consolidation: which memories are near-duplicates and which have decayed, as a plan for a person to review first.

A pinned memory and one of high importance are protected: they are never archived and never merged into another, though
others may be merged into them. Decay is measured by Oro's formula: a memory whose confidence · 0.5^(days/30) is below
0.05, Oro's threshold of a score, would not be returned there even for its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from core.clock import DAY, age
from core.curate import operations
from core.errors import StaleEdit
from core.formulas import decay
from core.model import Importance, Memory, MemoryId, Status
from core.store.transaction import Transaction
from core.write.duplicate import DuplicateVerdict

HALF_LIFE_DAYS = 30.0  # Oro, decision 2
MIN_RETENTION = 0.05  # Oro, the threshold of a score

Judge = Callable[[Memory], Iterable[DuplicateVerdict]]


@dataclass(frozen=True, slots=True)
class Merge:
    """A memory that is redundant, with the verdict that says of which other one."""

    memory: Memory
    verdict: DuplicateVerdict


@dataclass(frozen=True, slots=True)
class Archival:
    """A decayed memory, with its retention."""

    memory: Memory
    retention: float
    days: float


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """The changes that consolidation would make. `looked_at` memories were judged; `protected` of them can only be
    kept."""

    merges: list[Merge] = field(default_factory=list)
    archivals: list[Archival] = field(default_factory=list)
    looked_at: int = 0
    protected: int = 0


def is_protected(memory: Memory) -> bool:
    return memory.pinned or memory.importance is Importance.HIGH


def retention(memory: Memory, now: datetime, half_life_days: float) -> tuple[float, float]:
    """Return confidence · 0.5^(days/half-life) for the days since the last use; and those days."""
    days = age(memory.last_used_at, now, DAY)
    return memory.confidence * decay.half_life(days, half_life_days), days


def decayed_memories(
    memories: Iterable[Memory], now: datetime, half_life_days: float, minimum: float
) -> list[Archival]:
    """Return the decayed memories, the lowest retention first."""
    found = [Archival(each, *retention(each, now, half_life_days)) for each in memories if not is_protected(each)]
    return sorted(
        (each for each in found if each.retention < minimum), key=lambda each: (each.retention, each.memory.id)
    )


def redundant_memories(memories: Iterable[Memory], judge: Judge) -> list[Merge]:
    """Return which memories to merge into which others: the weakest are judged first, and a memory that another was
    merged into stays, so that no text is lost through a chain of similarities."""
    kept: set[MemoryId] = set()
    merged: dict[MemoryId, Merge] = {}
    for memory in sorted(memories, key=lambda each: (each.confidence, each.access_count, -each.id)):
        if is_protected(memory) or memory.id in kept:
            continue
        verdict = next((each for each in judge(memory) if each.memory.id not in merged), None)
        if verdict is not None:
            kept.add(verdict.memory.id)
            merged[memory.id] = Merge(memory, verdict)
    return list(merged.values())


def apply(transaction: Transaction, plan: ConsolidationPlan) -> None:
    """Carry out a plan completely; refused if a memory in it has changed since the plan was made."""
    merged = [memory for merge in plan.merges for memory in (merge.memory, merge.verdict.memory)]
    for memory in (*merged, *(archival.memory for archival in plan.archivals)):
        if transaction.existing(memory.id).version != memory.version:
            raise StaleEdit(f"Memory {memory.id} has changed since this was planned; plan it again.")
    into: dict[MemoryId, list[MemoryId]] = {}
    for merge in plan.merges:
        into.setdefault(merge.verdict.memory.id, []).append(merge.memory.id)
    for kept, others in into.items():
        operations.merge(transaction, [kept, *others], are_duplicates=True)
    for archival in plan.archivals:
        operations.set_status(transaction, archival.memory.id, Status.ARCHIVED)
