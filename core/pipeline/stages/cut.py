"""How much is returned: so many results, so many tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core import text
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import Outcome
from core.pipeline.stages.filter import keep
from core.pipeline.trace import Drop, Reason, ReasonKind


@dataclass(frozen=True, slots=True)
class TopK:
    """The first k, as many as the query asks for."""

    name: str = "top"

    def __call__(self, query: Query, pool: Pool) -> Outcome:
        kept, others = pool.candidates[: query.k], pool.candidates[query.k :]
        last = kept[-1].value if others else 0.0
        drops = []
        for rank, each in enumerate(others, query.k + 1):
            gap = last - each.value
            sentence, facts = f"It is number {rank}, and {query.k} were asked for", {"rank": rank, "k": query.k}
            if gap < 0:  # the order is not by score but by place
                reason = Reason(ReasonKind.OUTRANKED, f"{sentence}.", facts)
            else:
                reason = Reason(ReasonKind.OUTRANKED, f"{sentence}; {gap:.4g} was missing.", {**facts, "gap": gap})
            drops.append(Drop(each.memory.id, rank, each.number and each.number.value, reason))
        return Outcome(pool.with_candidates(kept), tuple(drops))


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """In order of rank, until the next one does not fit. Oro, decision 5; OpenMem, stage 6.

    `tokens` is the profile's budget, which the query may replace; 0 means none.
    """

    name: str = "budget"
    tokens: int = 500

    def __call__(self, query: Query, pool: Pool) -> Outcome:
        budget = self.tokens if query.token_budget is None else query.token_budget
        if not budget:
            return Outcome(pool)
        used = 0.0
        is_exhausted = False

        def verdict(candidate: Candidate) -> Reason | None:
            nonlocal used, is_exhausted
            cost = text.estimate_tokens(candidate.memory.content)
            if not is_exhausted and used + cost <= budget:
                used += cost
                return None
            is_exhausted = True
            facts = {"tokens": cost, "used": used, "budget": budget, "left": budget - used}
            sentence = f"It costs {cost:g} tokens, and {budget - used:g} of {budget} were left."
            return Reason(ReasonKind.OVER_BUDGET, sentence, facts)

        def running(candidate: Candidate) -> dict[str, float]:
            return {"tokens": text.estimate_tokens(candidate.memory.content), "used": used, "budget": budget}

        return replace(keep(pool, verdict, running), notes=(f"{used:g} of {budget} tokens are used.",))
