"""Raw scores to 0…1: by a constant, by the largest of a list, or by the best result."""

from __future__ import annotations

from dataclasses import dataclass

from core.formulas import normalise
from core.formulas.numbers import Constant
from core.pipeline.expr import constant, where
from core.pipeline.pool import Candidates, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage, list_named
from core.pipeline.stages.recall import SMALL_STORE


@dataclass(frozen=True, slots=True)
class DivideAndClamp(Stage):
    """score = the list's raw score / divisor, kept from min to max. Oro, scoring formula; CC-v3, mode 1."""

    name: str = "normalise"
    list: str = list_named("bm25")
    divisor: float = 25.0
    min: float = 0.0
    max: float = 1.0

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        pool = candidates.pool
        limits = Constant("min", self.min), Constant("max", self.max)
        score = normalise.divided_and_clamped(pool.column(self.list).score, Constant("divisor", self.divisor), *limits)
        warnings: tuple[str, ...] = ()
        if pool.store_size < SMALL_STORE:
            warnings = (
                f"Scores like {self.list}/{self.divisor:g} depend on the size of the store: in one of "
                f"{pool.store_size:,} memories they are low, and a fixed threshold misleads.",
            )
        return Step(score.named(f"{self.list} normalised"), warnings=warnings)


@dataclass(frozen=True, slots=True)
class DivideByLargest(Stage):
    """score = the list's raw score / the largest of the list. OpenMem, stage 2."""

    name: str = "normalise"
    list: str = list_named("bm25")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        column, name = candidates.pool.column(self.list), f"{self.list} normalised"
        largest, nothing = float(column.found.max(initial=0.0)), constant(name, 0.0)
        if largest <= 0:
            return Step(nothing)
        divided = normalise.by_maximum(column.score, Constant("largest", largest)).named(name)
        return Step(where(column.present, divided, nothing))


@dataclass(frozen=True, slots=True)
class RawScore(Stage):
    """score = the list's raw score as it is. BCR (cosine); Recursive Light, rank 1 (BM25)."""

    name: str = "score"
    list: str = list_named("vector")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        return Step(candidates.pool.column(self.list).score)


@dataclass(frozen=True, slots=True)
class BestIsOne(Stage):
    """score / the best score, the order left as it is. robotmem, MaxScore."""

    name: str = "best-is-one"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        best = float(candidates.values[candidates.rows].max(initial=0.0))
        if best <= 0:
            return Step()
        share = normalise.by_maximum(candidates.score, Constant("best", best)).named("share of the best")
        return Step(share, keeps_order=True)
