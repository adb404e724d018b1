"""A memory on its way to the answer, with every fact a stage may need; and the pool it is in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from core.model import Link, Memory, MemoryId
from core.pipeline.trace import Number, Term, leaf, untold

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)

# What stands in the next score for one that no stage has given yet.
UNSCORED = leaf("score", 0.0)


class Hit(NamedTuple):
    """What a source said of a memory: its raw score there, more is better, its rank, ties counted, and how the score
    came about, if that was asked for."""

    list: str
    score: float
    rank: int
    explained: Term | None = None

    @property
    def term(self) -> Term:
        return self.explained or leaf(self.list, self.score)


class Candidate(NamedTuple):
    """`number` is the present score; None until a stage has given one."""

    memory: Memory
    hits: Mapping[str, Hit] = MappingProxyType({})
    number: Number | None = None

    @property
    def id(self) -> MemoryId:
        return self.memory.id

    @property
    def value(self) -> float:
        return self.number.value if self.number is not None else 0.0

    @property
    def score(self) -> Term | None:
        """The tree of the present score, made whenever it is asked for."""
        return None if self.number is None else self.number.told

    def scored(self, number: Number) -> Candidate:
        return tuple.__new__(Candidate, (self.memory, self.hits, number))  # a run makes a thousand of them


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates in their present order, the links among and around them, and two facts about the store."""

    candidates: tuple[Candidate, ...] = ()
    links: tuple[Link, ...] = ()
    store_size: int = 0
    newest_created_at: datetime | None = None

    def with_candidates(self, candidates: Iterable[Candidate]) -> Pool:
        return Pool(tuple(candidates), self.links, self.store_size, self.newest_created_at)

    def scored(self, value: Callable[[Candidate], float], told: Callable[[Candidate], Term]) -> Pool:
        """Everybody with another score, in the order it makes; how it came about is told when somebody looks."""
        return self.ranked([each.scored(untold(value(each), told, each)) for each in self.candidates])

    def ranked(self, candidates: Iterable[Candidate]) -> Pool:
        """In order of score, equals by id, so that the same input always gives the same order."""
        in_order = sorted(candidates, key=attrgetter("memory.id"))
        in_order.sort(key=lambda each: 0.0 if each.number is None else each.number.value, reverse=True)
        return self.with_candidates(in_order)


def age(moment: datetime, now: datetime, unit: timedelta) -> float:
    """How long ago a moment was; one in the future counts as now."""
    return max(0.0, (now - moment) / unit)
