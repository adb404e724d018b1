"""A candidate, with every fact that a stage may need, and the pool of candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from core.fast_tuples import new_tuple
from core.model import Link, Memory, MemoryId
from core.pipeline.trace import Drop, LazySequence, Number, RankedScore, Reason, Term, deferred_term, leaf

# What stands in the next score for one that no stage has given yet.
UNSCORED = leaf("score", 0.0)

# Begins the name of a score that a stage has changed, followed by the stage's.
SCORE_AFTER = "score after "


class Hit(NamedTuple):
    """What a source returned for a memory: its raw score (higher is better), its rank, and the explanation of the score
    if it was requested."""

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
        """The tree of the present score, built on demand."""
        return None if self.number is None else self.number.explanation

    def leaves(self, rank: int, reason: Reason) -> Drop:
        return Drop(self.memory.id, rank, self.number and self.number.value, reason)

    def scored(self, number: Number) -> Candidate:
        return new_tuple(Candidate, (self.memory, self.hits, number))


class ScoreColumn(NamedTuple):
    """The next score of every candidate: the numbers, the function that explains one, and the pool before it."""

    values: Sequence[float]
    explain: Callable[[Candidate], Term]
    before: Pool

    def explain_at(self, at: int) -> Term:
        return self.explain(self.before.member(at))


@dataclass(frozen=True)
class Pool:
    """The candidates, the links among and around them, and two facts about the store.

    A stage that scores all candidates returns one column of numbers, in the order of `members`. The order and the
    candidates themselves are built on demand: most stages only add to the numbers.
    """

    members: tuple[Candidate, ...] = ()  # with the scores they had before any column
    links: tuple[Link, ...] = ()
    store_size: int = 0
    newest_created_at: datetime | None = None
    column: ScoreColumn | None = None
    gathered: tuple[Candidate, ...] | None = None  # all that the sources brought; the members, unless some have left

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def memories(self) -> list[Memory]:
        return [each.memory for each in self.members]

    @cached_property
    def values(self) -> Sequence[float]:
        """The present scores in the order of the memories; 0 where there is none yet."""
        return [each.value for each in self.members] if self.column is None else self.column.values

    @property
    def is_scored(self) -> bool:
        return self.column is not None or all(each.number is not None for each in self.members)

    @property
    def as_gathered(self) -> tuple[Candidate, ...]:
        """All candidates that the sources found. Ranks in a list and its extreme scores are computed from these: they
        must not depend on what a filter drops."""
        return self.members if self.gathered is None else self.gathered

    def list_scores(self, name: str) -> dict[MemoryId, float]:
        """A source's list as it was found, by memory."""
        return {each.memory.id: hit.score for each in self.as_gathered if (hit := each.hits.get(name)) is not None}

    def scores_in(self, name: str) -> list[float | None]:
        """The score of each candidate in a list, in the order of the memories; None where the list lacks it."""
        return [None if (hit := each.hits.get(name)) is None else hit.score for each in self.members]

    def member(self, at: int) -> Candidate:
        """Return one candidate with its present score, by its index among the members."""
        member = self.members[at]
        return (
            member if self.column is None else member.scored(deferred_term(self.values[at], self.column.explain_at, at))
        )

    @cached_property
    def places(self) -> Sequence[int]:
        """The places of the members in the present order: by score, equals by id, so that the same input always gives
        the same order."""
        if self.column is None:
            return range(len(self))
        in_order = sorted(range(len(self)), key=[memory.id for memory in self.memories].__getitem__)
        in_order.sort(key=self.values.__getitem__, reverse=True)
        return in_order

    def first(self, most: int) -> tuple[Candidate, ...]:
        return tuple(map(self.member, self.places[:most]))

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates in the present order."""
        return self.members if self.column is None else self.first(len(self))

    @property
    def order(self) -> LazySequence[RankedScore]:
        """The present order as ids and scores."""
        if self.column is None:
            return LazySequence(lambda: [(each.memory.id, each.number and each.number.value) for each in self.members])
        return LazySequence(lambda: [(self.memories[at].id, self.values[at]) for at in self.places])

    def with_candidates(self, candidates: Iterable[Candidate]) -> Pool:
        facts = (self.links, self.store_size, self.newest_created_at)
        return Pool(tuple(candidates), *facts, gathered=self.as_gathered)

    def scored(self, values: Sequence[float], explain: Callable[[Candidate], Term]) -> Pool:
        """Return the pool with new scores, in the order of `members`; the explanation of each is built on demand."""
        column = ScoreColumn(values, explain, self)
        return Pool(self.members, self.links, self.store_size, self.newest_created_at, column, self.gathered)

    def ranked(self, candidates: Iterable[Candidate]) -> Pool:
        """Return a pool of these candidates, sorted by score, ties by id."""
        return self.with_candidates(sorted(candidates, key=lambda each: (-each.value, each.memory.id)))
