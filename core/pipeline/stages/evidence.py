"""Evidence for a memory, added up part by part on one scale: 1 is a word that no other memory holds.

Each stage adds its own part to the score and leaves the rest as it was. The scale is core/formulas/evidence.py's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from core import text
from core.formulas import evidence
from core.model import Memory
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.periods import TimeSpan, time_spans
from core.pipeline.query import Query
from core.pipeline.stage import StageResult, weighted
from core.pipeline.trace import Operator, Term, leaf, term

EVIDENCE = "evidence"
_NOTHING = leaf(EVIDENCE, 0.0)  # speaks for a memory so far


@dataclass(frozen=True, slots=True)
class LexicalEvidence:
    """score + Σ weight · the raw score in a list of BM25 / ln(1 + N); a list that lacks a memory adds 0."""

    name: str = "words"
    lists: tuple[str, ...] = ("stems", "plain")
    weights: tuple[float, ...] = (0.7, 0.3)

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        unit = _unit(pool)
        weights = weighted(self.name, self.lists, self.weights)
        said = [[weight * (score or 0.0) for score in pool.scores_in(name)] for name, weight in weights]
        parts = [math.fsum(each) / unit.value for each in zip(*said, strict=True)] if said else [None] * len(pool)

        def explain(candidate: Candidate) -> Term | None:
            words = [
                term(f"{name} weighted", Operator.PRODUCT, leaf("weight", weight), candidate.hits[name].term)
                for name, weight in weights
                if name in candidate.hits
            ]
            return (
                term(self.name, Operator.DIVIDE, term("BM25 combined", Operator.SUM, *words), unit) if words else None
            )

        return _added(pool, parts, explain)


@dataclass(frozen=True, slots=True)
class SessionEvidence:
    """score + what its neighbours in the session gave it / ln(1 + N)."""

    name: str = "beside"
    list: str = "session"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        unit = _unit(pool)
        parts = [None if given is None else given / unit.value for given in pool.scores_in(self.list)]

        def explain(candidate: Candidate) -> Term | None:
            given = candidate.hits.get(self.list)
            return None if given is None else term(self.name, Operator.DIVIDE, given.term, unit)

        return _added(pool, parts, explain)


@dataclass(frozen=True, slots=True)
class VectorEvidence:
    """score + trust · (cosine − the lowest cosine of the list); trust is the model's own unless it is set here."""

    name: str = "meaning"
    list: str = "vector"
    trust: float | None = None

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        trust = query.trust if self.trust is None else self.trust
        cosines = pool.scores_in(self.list)
        lowest = min(pool.list_scores(self.list).values(), default=0.0)
        parts = [None if cosine is None else evidence.meaning(cosine, lowest, trust) for cosine in cosines]

        def explain(candidate: Candidate) -> Term | None:
            hit = candidate.hits.get(self.list)
            if hit is None:
                return None
            above = term("above the lowest", Operator.SUBTRACT, hit.term, leaf("lowest of the list", lowest))
            return term(self.name, Operator.PRODUCT, leaf("trust", trust), above)

        return _added(pool, parts, explain)


@dataclass(frozen=True, slots=True)
class EntityEvidence:
    """score + worth, if the question names one of the memory's entities.

    Full text does not cover this: a name that half of the memories contain has almost no idf.
    """

    name: str = "named"
    worth: float = 0.5

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        @cache
        def is_named(entity: str) -> bool:
            return text.is_named(entity, query.text)

        def explain(candidate: Candidate) -> Term | None:
            entity = next(filter(is_named, candidate.memory.entities), None)
            return None if entity is None else leaf(self.name, self.worth, entity=entity)

        parts = [self.worth if any(map(is_named, memory.entities)) else None for memory in pool.memories]
        return _added(pool, parts, explain)


@dataclass(frozen=True, slots=True)
class TimeEvidence:
    """score + worth, if the memory was made in a period that the question names, or within `days_after` of it:
    much is written down on the next day."""

    name: str = "time"
    worth: float = 1.0
    days_after: int = 1

    def idle_parameters(self) -> dict[str, str]:
        return {} if self.worth else {"days_after": f"{self.name}.worth above 0"}

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        named = time_spans(query.text, (memory.created_at.year for memory in pool.memories))
        if not named:
            return StageResult(pool)
        later = timedelta(days=self.days_after)

        def period_of(memory: Memory) -> TimeSpan | None:
            day = memory.created_at.date()
            return next((each for each in named if each.first <= day <= each.last + later), None)

        def explain(candidate: Candidate) -> Term | None:
            period, day = period_of(candidate.memory), candidate.memory.created_at.date()
            return None if period is None else leaf(self.name, self.worth, named=period.written, day=day.isoformat())

        return _added(pool, [self.worth if period_of(memory) else None for memory in pool.memories], explain)


def _unit(pool: Pool) -> Term:
    """ln(1 + N), the worth of a word that a single memory holds."""
    return term("ln(1 + N)", Operator.LOG, leaf("1 + N", 1 + max(1, pool.store_size)))


@dataclass(frozen=True, slots=True)
class _EvidenceSum:
    """A flat sum of evidence: one column per part, and the function that explains it for a candidate."""

    columns: tuple[Sequence[float], ...]
    explainers: tuple[Callable[[Candidate], Term | None], ...] = ()

    def and_also(self, parts: Sequence[float | None], explain: Callable[[Candidate], Term | None]) -> _EvidenceSum:
        return _EvidenceSum((*self.columns, [part or 0.0 for part in parts]), (*self.explainers, explain))

    def __call__(self, candidate: Candidate) -> Term:
        explained = [part for explain in self.explainers if (part := explain(candidate)) is not None]
        before = candidate.score
        if before is None:
            return term(EVIDENCE, Operator.SUM, *explained) if explained else _NOTHING
        return term(EVIDENCE, Operator.SUM, before, *explained) if explained else before


def _added(pool: Pool, parts: Sequence[float | None], explain: Callable[[Candidate], Term | None]) -> StageResult:
    """Return the pool with one more part added to each score; a candidate without it keeps its score."""
    if pool.is_scored and all(part is None for part in parts):
        return StageResult(pool)
    before, total_before = pool, _EvidenceSum((pool.values,))
    if pool.column is not None and isinstance(
        pool.column.explain, _EvidenceSum
    ):  # extend the same sum, unless candidates were dropped since
        before, total_before = pool.column.before, pool.column.explain
    total = total_before.and_also(parts, explain)
    return StageResult(before.scored(list(map(math.fsum, zip(*total.columns, strict=True))), total))
