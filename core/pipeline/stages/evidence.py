"""What speaks for a memory, added up part by part on one scale: 1 is a word that no other memory holds.

Each stage adds its own part to the score and leaves the rest as it was. The scale is core/formulas/evidence.py's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from core import text
from core.formulas import evidence
from core.pipeline.candidate import Candidate, Hit, Pool
from core.pipeline.periods import periods
from core.pipeline.query import Query
from core.pipeline.stage import Outcome, weighted
from core.pipeline.trace import Number, Operation, Term, Untold, leaf, term, untold

EVIDENCE = "evidence"
_NOTHING = leaf(EVIDENCE, 0.0)  # speaks for a memory so far


@dataclass(frozen=True, slots=True)
class Words:
    """score + Σ weight · the raw score in a list of BM25 / ln(1 + N); a list that lacks a memory adds 0."""

    name: str = "words"
    lists: tuple[str, ...] = ("stems", "plain")
    weights: tuple[float, ...] = (0.7, 0.3)

    def __call__(self, query: Query, pool: Pool) -> Outcome:
        unit = _unit(pool)
        weights = weighted(self.name, self.lists, self.weights)

        def part(candidate: Candidate) -> Number | None:
            hits = candidate.hits
            words = [weight * hits[name].score for name, weight in weights if name in hits]
            return untold(math.fsum(words) / unit.value, told, hits) if words else None

        def told(hits: Mapping[str, Hit]) -> Term:
            words = (
                term(name, Operation.PRODUCT, leaf("weight", weight), hits[name].term)
                for name, weight in weights
                if name in hits
            )
            return term(self.name, Operation.DIVIDE, term("bm25", Operation.SUM, *words), unit)

        return _added(pool, part)


@dataclass(frozen=True, slots=True)
class Beside:
    """score + what its neighbours in the session gave it / ln(1 + N)."""

    name: str = "beside"
    list: str = "session"

    def __call__(self, query: Query, pool: Pool) -> Outcome:
        unit = _unit(pool)

        def part(candidate: Candidate) -> Number | None:
            given = candidate.hits.get(self.list)
            return None if given is None else untold(given.score / unit.value, told, given)

        def told(given: Hit) -> Term:
            return term(self.name, Operation.DIVIDE, given.term, unit)

        return _added(pool, part)


@dataclass(frozen=True, slots=True)
class Meaning:
    """score + trust · (cosine − the lowest cosine of the list); trust is the model's own unless it is set here."""

    name: str = "meaning"
    list: str = "vector"
    trust: float | None = None

    def __call__(self, query: Query, pool: Pool) -> Outcome:
        trust = query.trust if self.trust is None else self.trust
        lowest = min([each.hits[self.list].score for each in pool.candidates if self.list in each.hits], default=0.0)

        def part(candidate: Candidate) -> Number | None:
            hit = candidate.hits.get(self.list)
            return None if hit is None else untold(evidence.meaning(hit.score, lowest, trust), told, hit)

        def told(hit: Hit) -> Term:
            above = term("above the lowest", Operation.SUBTRACT, hit.term, leaf("lowest of the list", lowest))
            return term(self.name, Operation.PRODUCT, leaf("trust", trust), above)

        return _added(pool, part)


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """score + worth, if the question names one of the memory's entities.

    Full text cannot say this: a name that stands in half of the memories has no idf left.
    """

    name: str = "named"
    worth: float = 0.5

    def __call__(self, query: Query, pool: Pool) -> Outcome:
        @cache
        def is_named(entity: str) -> bool:
            return text.is_named(entity, query.text)

        def part(candidate: Candidate) -> Term | None:
            entity = next(filter(is_named, candidate.memory.entities), None)
            return None if entity is None else leaf(self.name, self.worth, entity=entity)

        return _added(pool, part)


@dataclass(frozen=True, slots=True)
class NamedTime:
    """score + worth, if the memory was made in a period that the question names, or within `days_after` of it:
    much is told on the day after."""

    name: str = "time"
    worth: float = 1.0
    days_after: int = 1

    def __call__(self, query: Query, pool: Pool) -> Outcome:
        named = periods(query.text, (each.memory.created_at.year for each in pool.candidates))
        if not named:
            return Outcome(pool)
        later = timedelta(days=self.days_after)

        def part(candidate: Candidate) -> Term | None:
            day = candidate.memory.created_at.date()
            period = next((each for each in named if each.first <= day <= each.last + later), None)
            return None if period is None else leaf(self.name, self.worth, named=period.written, day=day.isoformat())

        return _added(pool, part)


def _unit(pool: Pool) -> Term:
    """ln(1 + N), the worth of a word that a single memory holds."""
    return term("ln(1 + N)", Operation.LOG, leaf("1 + N", 1 + max(1, pool.store_size)))


def _added(pool: Pool, part: Callable[[Candidate], Number | None]) -> Outcome:
    """Everybody's sum with one more part, in the order it makes; who has no such part keeps the score it had."""
    parts = [part(candidate) for candidate in pool.candidates]
    if not any(parts) and all(candidate.number for candidate in pool.candidates):
        return Outcome(pool)
    return Outcome(pool.ranked(map(_with_part, pool.candidates, parts)))


def _with_part(candidate: Candidate, more: Number | None) -> Candidate:
    before = candidate.number
    if more is None:
        return candidate if before is not None else candidate.scored(_NOTHING)
    if before is None or before is _NOTHING:
        parts: tuple[Number, ...] = (more,)
    else:  # a sum is added to, not nested
        parts = (*before.of, more) if isinstance(before, Untold) and before.tell is _sum else (before, more)
    return candidate.scored(untold(math.fsum([each.value for each in parts]), _sum, *parts))


def _sum(*parts: Number) -> Term:
    return term(EVIDENCE, Operation.SUM, *(part.told for part in parts))
