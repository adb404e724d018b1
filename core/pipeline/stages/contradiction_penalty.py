"""Of two memories that contradict each other, the weaker is demoted."""

from __future__ import annotations

from dataclasses import dataclass

from core.model import LinkKind, LinkStatus, MemoryId
from core.pipeline.candidate import SCORE_AFTER, UNSCORED, Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import StageResult
from core.pipeline.stages.weigh import recency_term
from core.pipeline.trace import Operator, Term, leaf, term


@dataclass(frozen=True, slots=True)
class ContradictionPenalty:
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

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        counted = {LinkStatus.ACCEPTED, LinkStatus.OPEN} if self.open_too else {LinkStatus.ACCEPTED}
        present = {each.id: each for each in pool.candidates}
        pairs = {
            frozenset((link.source_id, link.target_id))
            for link in pool.links
            if link.kind is LinkKind.CONTRADICTS and link.status in counted
        }
        lost: dict[MemoryId, list[Term]] = {}
        for pair in sorted(sorted(pair) for pair in pairs if pair <= present.keys()):
            strengths = {id: self._effective(present[id], query).value for id in pair}
            weaker, stronger = sorted(pair, key=lambda id: strengths[id])
            if strengths[weaker] < strengths[stronger]:
                facts = {"other": stronger, "own_strength": strengths[weaker], "other_strength": strengths[stronger]}
                lost.setdefault(weaker, []).append(leaf("contradiction", self.factor, **facts))
        return StageResult(
            pool.ranked(
                each.scored(term(f"{SCORE_AFTER}{self.name}", Operator.PRODUCT, each.score or UNSCORED, *lost[each.id]))
                if each.id in lost
                else each
                for each in pool.candidates
            )
        )

    def _effective(self, candidate: Candidate, query: Query) -> Term:
        return term(
            "effective strength",
            Operator.PRODUCT,
            leaf("strength", candidate.memory.strength),
            leaf("confidence", candidate.memory.confidence),
            recency_term(candidate.memory, query.now, self.recency_rate_per_day),
        )
