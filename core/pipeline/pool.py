"""The pool: every candidate that the sources found, as columns, and what the stages made of it.

Rows never move: row n is the same memory from the first stage to the last, in the order of the ids. A stage gives a new
score to every row, or a mask of those that remain. The order is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import text
from core.clock import to_micros
from core.fast_tuples import new_tuple
from core.formulas import ranks
from core.model import Importance, Link, Memory, MemoryId
from core.pipeline import expr
from core.pipeline.expr import Expr, Floats, Mask, constant
from core.pipeline.trace import Breakdown, Drop, RankedScore, Reason, Term, leaf
from core.search_types import STATUSES, FactColumns, Vocabulary

Rows = NDArray[np.intp]


class Hit(NamedTuple):
    """What a source found of a memory: its raw score (higher is better), its rank, and how the score came about."""

    list: str
    score: float
    rank: int
    term: Term


class ScoreColumn:
    """A source's list as a column: a raw score in the rows that it found, and NaN in the others."""

    def __init__(self, name: str, scores: Floats) -> None:
        self.name, self.scores = name, scores
        self.present: Mask = ~np.isnan(scores)
        self.terms: dict[int, Term] = {}  # by row, of what is explained

    @cached_property
    def values(self) -> Floats:
        """The raw scores; 0 in rows that the list lacks."""
        return np.where(self.present, self.scores, 0.0)

    @property
    def score(self) -> Expr:
        """The raw scores as a score of every row."""
        return Expr(self.name, self.values, explain_row=self.term)

    @property
    def part(self) -> Expr:
        """The raw scores as a part of a sum, which a row has only where the list has it."""
        return Expr(self.name, self.values, present=self.present, explain_row=self.term)

    @cached_property
    def found(self) -> Floats:
        """The scores of the rows that the list has."""
        return self.scores[self.present]

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each row in the list, best first, ties by id; NaN where the list lacks it."""
        return ranks.ordinal(self.scores)

    def term(self, row: int) -> Term:
        if not self.present[row]:
            return leaf(self.name, 0.0, absent=True)
        return self.terms.get(row) or leaf(self.name, float(self.scores[row]))


class Memories:
    """The memories of a pool, read when they are looked at and kept; only while the snapshot is open."""

    def __init__(self, read: Callable[[Iterable[MemoryId]], Mapping[MemoryId, Memory]]) -> None:
        self._read = read
        self._known: dict[MemoryId, Memory] = {}

    def read(self, ids: Iterable[MemoryId]) -> None:
        """Read those of some memories that are not known yet, all at once."""
        missing = [id for id in ids if id not in self._known]
        if missing:
            self._known.update(self._read(missing))

    def __getitem__(self, id: MemoryId) -> Memory:
        if id not in self._known:
            self.read((id,))
        return self._known[id]


@dataclass(frozen=True)
class Pool:
    """The facts of each row as columns, the lists that found it, the links around, and two facts about the store."""

    facts: FactColumns
    lists: Mapping[str, ScoreColumn]
    memories: Memories
    links: tuple[Link, ...] = ()
    store_size: int = 0
    newest: Callable[[], datetime | None] = lambda: None
    vocabulary: Callable[[Sequence[str]], Vocabulary] = lambda words: Vocabulary(0, 0.0, dict.fromkeys(words, 0))

    @cached_property
    def newest_created_at(self) -> datetime | None:
        """When the newest memory of the store was made; few stages ask for it."""
        return self.newest()

    def __len__(self) -> int:
        return len(self.facts.ids)

    @cached_property
    def ids(self) -> list[MemoryId]:
        return list(map(MemoryId, self.facts.ids.tolist()))

    @cached_property
    def rows(self) -> Mapping[MemoryId, int]:
        return {id: row for row, id in enumerate(self.ids)}

    def column(self, name: str) -> ScoreColumn:
        """A source's list; one without any row where the source failed or there is none of that name."""
        return self.lists.get(name) or ScoreColumn(name, np.full(len(self), np.nan))

    def memory(self, row: int) -> Memory:
        return self.memories[self.ids[row]]

    def read(self, rows: Iterable[int]) -> list[Memory]:
        """Return the memories of some rows, those that are not known yet by one read."""
        ids = [self.ids[row] for row in rows]
        self.memories.read(ids)
        return [self.memories[id] for id in ids]


def fact_columns(memories: Sequence[Memory]) -> FactColumns:
    """Return the facts of memories that were read, in the order of the ids."""
    rows = sorted(memories, key=lambda memory: memory.id)
    collection, session, entities = np.empty((3, len(rows)), dtype=object)
    for row, memory in enumerate(rows):
        collection[row], session[row], entities[row] = memory.collection, memory.session, memory.entities
    return FactColumns(
        ids=np.array([memory.id for memory in rows], dtype=np.int64),
        created=np.array([to_micros(memory.created_at) for memory in rows], dtype=np.int64),
        last_used=np.array([to_micros(memory.last_used_at) for memory in rows], dtype=np.int64),
        confidence=np.array([memory.confidence for memory in rows], dtype=np.float64),
        strength=np.array([memory.strength for memory in rows], dtype=np.float64),
        pinned=np.array([memory.pinned for memory in rows], dtype=bool),
        status=np.array([STATUSES.index(memory.status) for memory in rows], dtype=np.uint8),
        is_important=np.array([memory.importance is Importance.HIGH for memory in rows], dtype=bool),
        access_count=np.array([memory.access_count for memory in rows], dtype=np.int64),
        asks=np.array([text.asks(memory.content) for memory in rows], dtype=bool),
        collection=collection,
        session=session,
        entities=entities,
    )


def with_memory(facts: FactColumns, memory: Memory) -> FactColumns:
    """Return the facts with those of one memory replaced."""
    row = np.flatnonzero(facts.ids == memory.id)
    changed: list[Any] = [column.copy() for column in facts]
    for column, own in zip(changed, fact_columns([memory]), strict=True):
        column[row] = own
    return FactColumns(*changed)


UNSCORED = constant("score", 0.0)


@dataclass(frozen=True)
class Candidates:
    """What remains of a pool after some stages: the rows, by id, their present score and their order."""

    pool: Pool
    rows: Rows
    score: Expr = UNSCORED
    given_order: Rows | None = None  # where a stage has ordered them by something else than the score

    @property
    def is_scored(self) -> bool:
        return self.score is not UNSCORED

    @cached_property
    def values(self) -> Floats:
        """The present score of every row of the pool, also of those that were dropped."""
        return self.score.column(len(self.pool))

    @cached_property
    def order(self) -> Rows:
        """The rows by score, best first, ties by id, so that the same input always gives the same order."""
        if self.given_order is not None:
            return self.given_order
        if not self.is_scored:
            return self.rows
        return self.rows[np.argsort(-self.values[self.rows], kind="stable")]

    def __len__(self) -> int:
        return len(self.rows)

    def first(self, most: int) -> list[int]:
        return [int(row) for row in self.order[:most]]

    def candidate(self, row: int) -> Candidate:
        return Candidate(self, row)

    def ranked(self) -> list[RankedScore]:
        """The present order as ids and scores."""
        order = self.order.tolist()
        ids = self.pool.ids
        if not self.is_scored:
            return [(ids[row], None) for row in order]
        return [(ids[row], value + 0.0) for row, value in zip(order, self.values[self.order].tolist(), strict=True)]

    def after(self, step: Step) -> Candidates:
        rows = self.rows if step.keep is None else self.rows[step.keep[self.rows]]
        order = step.order
        if order is None and self.given_order is not None and (step.score is None or step.keeps_order):
            order = self.given_order
        if order is not None and step.keep is not None:
            order = order[step.keep[order]]
        after = Candidates(self.pool, rows, self.score if step.score is None else step.score, order)
        if order is None and step.score is None and "order" in self.__dict__:  # the same order, less what was dropped
            kept = self.order if step.keep is None else self.order[step.keep[self.order]]
            after.__dict__["order"] = kept
        return after


class Candidate(NamedTuple):
    """One row of a pool with the score it has after some stage."""

    among: Candidates
    row: int

    @property
    def id(self) -> MemoryId:
        return self.among.pool.ids[self.row]

    @property
    def memory(self) -> Memory:
        return self.among.pool.memory(self.row)

    @property
    def value(self) -> float:
        return self.among.score.at(self.row)

    @property
    def score(self) -> Term | None:
        """The tree of the score, built on demand; None before any stage gave one."""
        return expr.explain(self.among.score, self.row) if self.among.is_scored else None

    @property
    def breakdown(self) -> Breakdown:
        return expr.breakdown(self.among.score if self.among.is_scored else None, self.row)

    @property
    def ranks(self) -> dict[str, tuple[int, float]]:
        """Its rank and raw score in each list that has it."""
        return {
            each.name: (int(each.ranks[self.row]), float(each.scores[self.row]))
            for each in self.among.pool.lists.values()
            if each.present[self.row]
        }

    @property
    def hits(self) -> dict[str, Hit]:
        """What each list that has it found of it."""
        lists = self.among.pool.lists
        return {name: Hit(name, score, rank, lists[name].term(self.row)) for name, (rank, score) in self.ranks.items()}


@dataclass(frozen=True, slots=True)
class Step:
    """What a stage did: a new score, or which rows remain (`keep`, by row) and why another was dropped.

    `order` puts the rows into an order that is not the score's; `facts` are what a stage says of remaining rows;
    `measured` is what it decided by, where that is not the score.
    """

    score: Expr | None = None
    keep: Mask | None = None
    reason: Callable[[int], Reason] | None = None
    order: Rows | None = None
    keeps_order: bool = False
    facts: Callable[[int], Mapping[str, Any]] | None = None
    measured: Expr | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class StageTrace:
    """One stage of a run. Everything about it follows from the candidates before and after it and is made when read;
    sorting too, so that its time counts for the first stage that reads the order."""

    name: str
    parameters: Mapping[str, Any]
    before: Candidates = field(compare=False, repr=False)
    step: Step = field(compare=False, repr=False)
    after: Candidates = field(compare=False, repr=False)
    elapsed_ms: float = field(default=0.0, compare=False)

    @property
    def entered(self) -> int:
        return len(self.before)

    @property
    def remaining(self) -> int:
        return len(self.after)

    @property
    def notes(self) -> tuple[str, ...]:
        return self.step.notes

    @cached_property
    def order(self) -> Sequence[RankedScore]:
        """The id and the score of each candidate that remained, in order."""
        return self.after.ranked()

    @cached_property
    def drops(self) -> Sequence[Drop]:
        """Each dropped candidate with its rank before, its score and the reason."""
        return list(self.iterate_drops())

    def iterate_drops(self) -> Iterator[Drop]:
        """Yield the same one by one, for those who need only the first."""
        keep, reason = self.step.keep, self.step.reason
        if keep is None or reason is None or self.entered == self.remaining:
            return
        ids, is_scored = self.before.pool.ids, self.before.is_scored
        for rank, row in enumerate(self.before.order.tolist(), 1):
            if not keep[row]:
                score = self.before.score.at(row) if is_scored else None
                yield new_tuple(Drop, (ids[row], rank, score, reason(row)))

    @cached_property
    def facts(self) -> Mapping[MemoryId, Mapping[str, Any]]:
        """What the stage says of candidates that remained besides their scores."""
        of_row, ids = self.step.facts, self.after.pool.ids
        if of_row is None:
            return {}
        return {ids[row]: facts for row in self.after.order.tolist() if (facts := of_row(row))}

    def measured(self, id: MemoryId) -> Term | None:
        """Return the tree of what the stage decided by, of a candidate that entered; None where that is the score."""
        row = self.before.pool.rows.get(id)
        return None if row is None or self.step.measured is None else expr.explain(self.step.measured, row)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StageTrace) and self._read() == other._read()

    def __hash__(self) -> int:
        return hash((self.name, self.entered, self.remaining))

    def _read(self) -> tuple[Any, ...]:
        return self.name, self.parameters, self.entered, self.order, self.drops, self.facts, self.notes
