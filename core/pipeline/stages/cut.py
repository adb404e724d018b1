"""How much is returned: the number of results and of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core import text
from core.model import MemoryId
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import StageResult
from core.pipeline.stages.filter import keep
from core.pipeline.trace import Drop, LazySequence, Reason, ReasonKind


@dataclass(frozen=True, slots=True)
class TopK:
    """Keep the first k results."""

    name: str = "top"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        kept = pool.first(query.k)
        if len(kept) == len(pool):
            return StageResult(pool)

        def drops() -> Iterator[Drop]:
            for rank, each in enumerate(pool.candidates[query.k :], query.k + 1):
                yield each.leaves(rank, _outranked(kept[-1], each, rank, query.k))

        return StageResult(pool.with_candidates(kept), LazySequence(drops))


def _outranked(last: Candidate, other: Candidate, rank: int, k: int) -> Reason:
    gap = last.value - other.value
    sentence, facts = f"It is number {rank}, and {k} were asked for", {"rank": rank, "k": k}
    if gap < 0:  # the order is not by score but by place
        return Reason(ReasonKind.OUTRANKED, f"{sentence}.", facts)
    return Reason(ReasonKind.OUTRANKED, f"{sentence}; {gap:.4g} was missing.", {**facts, "gap": gap})


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """In order of rank, each that still fits. Oro, decision 5; OpenMem, stage 6.

    `tokens` is the profile's budget, which the query may replace; 0 means none. Both documents stop at the first that
    does not fit (`stop_at_first`), where one long memory at the top empties the answer; by default it alone is skipped.
    """

    name: str = "budget"
    tokens: int = 500
    stop_at_first: bool = False

    def overridden(self, query: Query) -> dict[str, str]:
        if query.token_budget is not None:
            return {"tokens": "the query's own token budget counts"}
        return {} if self.tokens else {"stop_at_first": f"neither {self.name}.tokens nor the query sets a budget"}

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        budget = self.tokens if query.token_budget is None else query.token_budget
        if not budget:
            return StageResult(pool)
        used = 0.0
        ended_at: MemoryId | None = None

        def verdict(candidate: Candidate) -> Reason | None:
            nonlocal used, ended_at
            cost = text.estimate_tokens(candidate.memory.content)
            facts = {"tokens": cost, "used": used, "budget": budget, "left": budget - used}
            if ended_at is not None:
                sentence = f"The budget had ended before it, at memory {ended_at}, which did not fit."
                return Reason(ReasonKind.OVER_BUDGET, sentence, {**facts, "ended_at": ended_at})
            if used + cost <= budget:
                used += cost
                return None
            ended_at = candidate.id if self.stop_at_first else None
            sentence = f"It costs {cost:g} tokens, and {budget - used:g} of {budget} were left."
            return Reason(ReasonKind.OVER_BUDGET, sentence, facts)

        def running(candidate: Candidate) -> dict[str, float]:
            return {"tokens": text.estimate_tokens(candidate.memory.content), "used": used, "budget": budget}

        outcome = keep(pool, verdict, running)
        return replace(outcome, notes=(f"{used:g} of {budget} tokens are used, {budget - used:g} are left.",))
