"""Of two memories that contradict each other, the weaker is demoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.model import LinkKind, LinkStatus
from core.pipeline.expr import SCORE_AFTER, Expr, product
from core.pipeline.pool import Candidates, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage
from core.pipeline.stages.weigh import recency


@dataclass(frozen=True, slots=True)
class ContradictionPenalty(Stage):
    """score · factor, once for each contradiction it loses by strength · confidence · recency. OpenMem, stage 5.

    Two of equal strength demote neither. A suspected contradiction that is not decided yet counts only with
    `open_too`, since a false one must not bury what is true; a dismissed one never does.
    """

    name: str = "contradiction"
    factor: float = 0.3
    recency_rate_per_day: float = 0.05
    open_too: bool = False

    def idle_parameters(self) -> dict[str, str]:
        needed = f"{self.name}.factor other than 1"
        return {} if self.factor != 1 else dict.fromkeys(("open_too", "recency_rate_per_day"), needed)

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        counted = {LinkStatus.ACCEPTED, LinkStatus.OPEN} if self.open_too else {LinkStatus.ACCEPTED}
        pool, present = candidates.pool, set(candidates.rows.tolist())
        pairs = {
            tuple(sorted((pool.rows[link.source_id], pool.rows[link.target_id])))
            for link in pool.links
            if link.kind is LinkKind.CONTRADICTS
            and link.status in counted
            and present.issuperset((pool.rows.get(link.source_id, -1), pool.rows.get(link.target_id, -1)))
        }
        if not pairs:
            return Step()
        facts = pool.facts
        strengths = facts.strength * facts.confidence * recency(facts, query.now, self.recency_rate_per_day).values
        lost: dict[int, list[dict[str, Any]]] = {}
        for pair in sorted(pairs):
            weaker, stronger = sorted(pair, key=lambda row: strengths[row])
            own, other = float(strengths[weaker]), float(strengths[stronger])
            if own < other:
                lost.setdefault(weaker, []).append(
                    {"other": pool.ids[stronger], "own_strength": own, "other_strength": other}
                )
        factors = [self._factor(number, lost, len(pool)) for number in range(max(map(len, lost.values()), default=0))]
        return Step(product(f"{SCORE_AFTER}{self.name}", candidates.score, factors)) if factors else Step()

    def _factor(self, number: int, lost: Mapping[int, Sequence[Mapping[str, Any]]], size: int) -> Expr:
        """Return the factor of the contradiction of that number that a row loses; a row that loses fewer lacks it."""
        present = np.zeros(size, dtype=bool)
        present[[row for row, own in lost.items() if len(own) > number]] = True
        values = np.where(present, self.factor, 1.0)
        return Expr("contradiction", values, present=present, facts=lambda row: lost[row][number])
