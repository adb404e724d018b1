"""How much is returned: the number of results and of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from core import text
from core.model import MemoryId
from core.pipeline.pool import Candidates, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage
from core.pipeline.stages.filter import without
from core.pipeline.trace import Reason, ReasonKind


@dataclass(frozen=True, slots=True)
class TopK(Stage):
    """Keep the first k results."""

    name: str = "top"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        if len(candidates) <= query.k:
            return Step()
        order = candidates.order
        last = candidates.score.at(order[query.k - 1])
        keep = np.zeros(len(candidates.pool), dtype=bool)
        keep[order[: query.k]] = True

        ranks = cache(lambda: {row: rank for rank, row in enumerate(order.tolist(), 1)})

        def reason(row: int) -> Reason:
            rank, gap = ranks()[row], last - candidates.score.at(row)
            sentence, facts = f"It ranks {rank}, and k is {query.k}", {"rank": rank, "k": query.k}
            if gap < 0:  # the order is not by score but by place
                return Reason(ReasonKind.OUTRANKED, f"{sentence}.", facts)
            return Reason(ReasonKind.OUTRANKED, f"{sentence}; its score is {gap:.4g} too low.", {**facts, "gap": gap})

        return Step(keep=keep, reason=reason)


@dataclass(frozen=True, slots=True)
class TokenBudget(Stage):
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

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        budget = self.tokens if query.token_budget is None else query.token_budget
        if not budget:
            return Step()
        used = 0.0
        ended_at: MemoryId | None = None
        reasons: dict[int, Reason] = {}
        kept: dict[int, dict[str, Any]] = {}
        order = candidates.order.tolist()
        for row, memory in zip(order, candidates.pool.read(order), strict=True):
            cost = text.estimate_tokens(memory.content)
            facts = {"tokens": cost, "used": used, "budget": budget, "left": budget - used}
            if ended_at is not None:
                sentence = f"The budget had ended before it, at memory {ended_at}, which did not fit."
                reasons[row] = Reason(ReasonKind.OVER_BUDGET, sentence, {**facts, "ended_at": ended_at})
            elif used + cost <= budget:
                used += cost
                kept[row] = {"tokens": cost, "used": used, "budget": budget}
            else:
                ended_at = memory.id if self.stop_at_first else None
                sentence = f"It needs {cost:g} tokens, and {budget - used:g} of {budget} remain."
                reasons[row] = Reason(ReasonKind.OVER_BUDGET, sentence, facts)
        return Step(
            keep=without(candidates, reasons),
            reason=reasons.__getitem__,
            facts=kept.__getitem__,
            notes=(f"{used:g} of {budget} tokens are used, {budget - used:g} are left.",),
        )
