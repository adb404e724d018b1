"""The way of one memory through a ranking, read from the trace: rank, score tree, stages, or why no source found it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.model import Memory, MemoryId
from core.pipeline.pool import Candidate
from core.pipeline.run import Ranking
from core.pipeline.trace import Reason, Term
from core.services.answer import Answer


@dataclass(frozen=True, slots=True)
class StageStep:
    """A memory in one stage: its rank before and after, its score after, why it was dropped, if it was, and what the
    stage decided by, where that is not the score."""

    stage: str
    rank_before: int | None
    rank_after: int | None
    score_after: float | None
    reason: Reason | None
    facts: Mapping[str, Any]
    measured: Term | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """One memory and one query: its rank, the tree of its score, its stages, or why no source found it."""

    memory: Memory
    answer: Answer
    rank: int | None
    candidate: Candidate | None
    steps: tuple[StageStep, ...]
    absent: tuple[Reason, ...]

    @property
    def score(self) -> Term | None:
        """The tree of its last score."""
        return None if self.candidate is None else self.candidate.score

    @property
    def reason(self) -> Reason | None:
        """Why it is not in the answer: the stage that dropped it, or the source that came closest to finding it."""
        lost = next((step.reason for step in self.steps if step.reason is not None), None)
        return lost or min(self.absent, key=_excess, default=None)


def _excess(reason: Reason) -> float:
    """Return how far a memory was from being found by a source: by how many ranks, or not at all."""
    rank, limit = reason.facts.get("rank"), reason.facts.get("limit")
    return rank - limit if rank is not None and limit is not None else math.inf


def explanation(memory: Memory, answer: Answer) -> Explanation:
    ranking, id = answer.ranking, memory.id
    rank = next((rank for rank, result in enumerate(ranking.results, 1) if result.id == id), None)
    return Explanation(
        memory=memory,
        answer=answer,
        rank=rank,
        candidate=ranking.finals.get(id),
        steps=tuple(_steps(ranking, id)),
        absent=ranking.absent.get(id, ()),
    )


def _steps(ranking: Ranking, id: MemoryId) -> Iterator[StageStep]:
    if id not in ranking.trace.gathered:
        return
    before: int | None = None
    for stage in ranking.trace.stages:
        after = next(((rank, score) for rank, (each, score) in enumerate(stage.order, 1) if each == id), None)
        drop = next((drop for drop in stage.drops if drop.memory_id == id), None)
        rank, score = after or (None, drop.score if drop else None)
        before = before if drop is None else drop.rank
        reason = None if drop is None else drop.reason
        yield StageStep(stage.name, before, rank, score, reason, stage.facts.get(id, {}), stage.measured(id))
        if drop is not None:
            return
        before = rank
