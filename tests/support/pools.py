"""Pools of made-up memories and scores, to run stages on without a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from core.model import Link, Memory
from core.pipeline.pool import Memories, Pool, ScoreColumn, StageTrace, fact_columns
from core.pipeline.query import Query
from core.pipeline.run import Profile, judge
from core.pipeline.stage import Stage


@dataclass(frozen=True)
class Given:
    """A memory, and its raw score in each list that found it."""

    memory: Memory
    scores: Mapping[str, float] = field(default_factory=dict)


def pool_of(given: Iterable[Given], links: Sequence[Link] = (), size: int = 0, newest: datetime | None = None) -> Pool:
    rows = sorted(given, key=lambda each: each.memory.id)
    names = {name for each in rows for name in each.scores}
    lists = {name: np.array([each.scores.get(name, np.nan) for each in rows], dtype=np.float64) for name in names}
    memories = {each.memory.id: each.memory for each in rows}
    return Pool(
        fact_columns(list(memories.values())),
        {name: ScoreColumn(name, scores) for name, scores in lists.items()},
        Memories(lambda ids: {id: memories[id] for id in ids}),
        tuple(links),
        size,
        lambda: newest,
    )


def judged(stages: Sequence[Stage], query: Query, pool: Pool) -> tuple[StageTrace, ...]:
    """Run some stages, as a run does."""
    return judge(Profile(name="given", about="", source="", recall=(), stages=tuple(stages)), query, pool)
