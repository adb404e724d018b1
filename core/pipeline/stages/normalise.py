"""Raw scores to 0…1: by a constant, by the largest of a list, or by the best result."""

from __future__ import annotations

from dataclasses import dataclass

from core.formulas import normalise
from core.pipeline.candidate import UNSCORED, Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import StageResult
from core.pipeline.stages.recall import SMALL_STORE
from core.pipeline.trace import Operator, Term, deferred_term, leaf, term


@dataclass(frozen=True, slots=True)
class DivideAndClamp:
    """score = the list's raw score / divisor, kept within least and most. Oro, scoring formula; CC-v3, mode 1."""

    name: str = "normalise"
    list: str = "bm25"
    divisor: float = 25.0
    least: float = 0.0
    most: float = 1.0

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        values = [
            normalise.divided_and_clamped(score or 0.0, self.divisor, self.least, self.most)
            for score in pool.scores_in(self.list)
        ]

        def explain(candidate: Candidate) -> Term:
            divided = term("divided", Operator.DIVIDE, _raw(candidate, self.list), leaf("divisor", self.divisor))
            least, most = leaf("least", self.least), leaf("most", self.most)
            return term(f"{self.list} normalised", Operator.CLAMP, divided, least, most)

        warnings: tuple[str, ...] = ()
        if pool.store_size < SMALL_STORE:
            warnings = (
                f"Scores like {self.list}/{self.divisor:g} depend on the size of the store: in one of "
                f"{pool.store_size:,} memories they are low, and a fixed threshold misleads.",
            )
        return StageResult(pool.scored(values, explain), warnings=warnings)


@dataclass(frozen=True, slots=True)
class DivideByLargest:
    """score = the list's raw score / the largest of the list. OpenMem, stage 2."""

    name: str = "normalise"
    list: str = "bm25"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        scores = pool.scores_in(self.list)
        largest = max(pool.list_scores(self.list).values(), default=0.0)

        def explain(candidate: Candidate) -> Term:
            if self.list not in candidate.hits or largest <= 0:
                return leaf(f"{self.list} normalised", 0.0)
            raw = candidate.hits[self.list].term
            return term(f"{self.list} normalised", Operator.DIVIDE, raw, leaf("largest", largest))

        return StageResult(pool.scored([normalise.by_maximum(score or 0.0, largest) for score in scores], explain))


@dataclass(frozen=True, slots=True)
class RawScore:
    """score = the list's raw score as it is. BCR (cosine); Recursive Light, rank 1 (BM25)."""

    name: str = "score"
    list: str = "vector"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        scores = [score or 0.0 for score in pool.scores_in(self.list)]
        return StageResult(pool.scored(scores, lambda each: _raw(each, self.list)))


@dataclass(frozen=True, slots=True)
class BestIsOne:
    """score / the best score, the order left as it is. robotmem, MaxScore."""

    name: str = "best-is-one"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        best = max((each.value for each in pool.candidates), default=0.0)
        if best <= 0:
            return StageResult(pool)

        def explain(candidate: Candidate) -> Term:
            return term("share of the best", Operator.DIVIDE, candidate.score or UNSCORED, leaf("best", best))

        return StageResult(
            pool.with_candidates(
                each.scored(deferred_term(each.value / best, explain, each)) for each in pool.candidates
            )
        )


def _raw(candidate: Candidate, name: str) -> Term:
    return candidate.hits[name].term if name in candidate.hits else leaf(name, 0.0, absent=True)
