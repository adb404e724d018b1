"""Evidence for a memory, added up part by part on one scale: 1 is a word that no other memory holds.

Each stage adds its own part to the score and leaves the rest as it was. The scale is core/formulas/evidence.py's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from core import text
from core.clock import DAY, EPOCH
from core.formulas import evidence
from core.formulas.numbers import Constant
from core.pipeline.expr import Expr, constant, total
from core.pipeline.periods import TimeSpan, time_spans
from core.pipeline.pool import Candidates, Pool, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage, between, list_named, needing, weighted
from core.pipeline.trace import Operator

EVIDENCE = "evidence"
_MICROS_A_DAY = DAY // timedelta(microseconds=1)


def added(candidates: Candidates, part: Expr) -> Step:
    """Return the score with one more part; the parts of several such stages in a row make one sum."""
    score = candidates.score
    if not candidates.is_scored:
        return Step(total(EVIDENCE, [part]))
    if part.present is not None and not part.present.any():
        return Step()
    parts = score.inputs if score.name == EVIDENCE else (score,)
    return Step(total(EVIDENCE, [*parts, part]))


@dataclass(frozen=True, slots=True)
class LexicalEvidence(Stage):
    """score + Σ weight · the raw score in a list of BM25 / ln(1 + N); a list that lacks a memory adds 0."""

    name: str = "words"
    lists: tuple[str, ...] = list_named(("stems", "plain"))
    weights: tuple[float, ...] = (0.7, 0.3)

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        column = candidates.pool.column
        words = [
            (Constant("weight", weight) * column(name).part).named(f"{name} weighted")
            for name, weight in weighted(self.name, self.lists, self.weights)
        ]
        return added(candidates, (total("BM25 combined", words) / _unit(candidates.pool)).named(self.name))


@dataclass(frozen=True, slots=True)
class SessionEvidence(Stage):
    """score + what its neighbours in the session gave it / ln(1 + N)."""

    name: str = "beside"
    list: str = list_named("session")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        pool = candidates.pool
        return added(candidates, (pool.column(self.list).part / _unit(pool)).named(self.name))


@dataclass(frozen=True, slots=True)
class VectorEvidence(Stage):
    """score + trust · (cosine − the lowest cosine of the list); trust is the model's own unless it is set here."""

    name: str = "meaning"
    list: str = list_named("vector")
    trust: float | None = between(None, 0, 1_000)

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        column = candidates.pool.column(self.list)
        trust = Constant("trust", query.trust if self.trust is None else self.trust)
        lowest = Constant("lowest of the list", column.found.min() if len(column.found) else 0.0)
        return added(candidates, evidence.meaning(column.part, lowest, trust).named(self.name))


@dataclass(frozen=True, slots=True)
class EntityEvidence(Stage):
    """score + worth, if the question names one of the memory's entities.

    Full text does not cover this: a name that half of the memories contain has almost no idf.
    """

    name: str = "named"
    worth: float = between(0.5, 0, 1_000)

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        entities = candidates.pool.facts.entities.tolist()
        named = {entity for entity in set().union(*entities) if text.is_named(entity, query.text)}
        present = np.array([not named.isdisjoint(own) for own in entities], dtype=bool)

        def facts(row: int) -> dict[str, Any]:
            return {"entity": next(filter(named.__contains__, entities[row]))}

        return added(candidates, Expr(self.name, present * self.worth, present=present, facts=facts))


@dataclass(frozen=True, slots=True)
class TimeEvidence(Stage):
    """score + worth, if the memory was made in a period that the question names, or within `days_after` of it:
    much is written down on the next day."""

    name: str = "time"
    worth: float = between(1.0, 0, 1_000)
    days_after: int = needing(1, "worth")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        days = candidates.pool.facts.created // _MICROS_A_DAY  # since 1970
        named = time_spans(query.text, lambda: _years(candidates.pool))
        if not named:
            return Step()

        def holds(period: TimeSpan) -> Any:
            return (_day(period.first) <= days) & (days <= _day(period.last) + self.days_after)

        def facts(row: int) -> dict[str, Any]:
            period = next(each for each in named if holds(each)[row])
            return {"named": period.written, "day": (EPOCH + timedelta(days=int(days[row]))).date().isoformat()}

        present = np.logical_or.reduce([holds(each) for each in named])
        return added(candidates, Expr(self.name, present * self.worth, present=present, facts=facts))


def _day(day: date) -> int:
    return (day - EPOCH.date()).days


def _years(pool: Pool) -> list[int]:
    """Return the years in which the memories were made."""
    years = pool.facts.created.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64)
    return [int(year) + EPOCH.year for year in np.unique(years)]


def _unit(pool: Pool) -> Expr:
    """Return the worth of a word that a single memory holds."""
    size = 1 + max(1, pool.store_size)
    return Expr("ln(1 + N)", evidence.unit(pool.store_size), Operator.LOG, (constant("1 + N", size),))
