"""Several ranked lists to one score, by rank alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.errors import UserError
from core.formulas import fusion, ranks
from core.model import Memory, MemoryId
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import StageResult, weighted
from core.pipeline.trace import Operator, Term, leaf, term

# Lists that no source makes: every candidate has the fact itself.
_FACTS: Mapping[str, Callable[[Memory], float]] = {
    "recency": lambda memory: memory.created_at.timestamp(),
    "access": lambda memory: float(memory.access_count),
}


@dataclass(frozen=True, slots=True)
class ReciprocalRankFusion:
    """score = Σ weight / (k + rank) over the lists; a list that lacks a candidate adds 0.

    `lists` are names of sources, or `recency` (newest created first) and `access` (most used first).
    """

    name: str = "fuse"
    lists: tuple[str, ...] = ("bm25", "vector")
    weights: tuple[float, ...] = (1.0, 1.0)
    k: float = 60.0
    ranks: str = "ordinal"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        if self.ranks not in ranks.RANKINGS:
            raise UserError(f"fuse.ranks must be one of {', '.join(ranks.RANKINGS)}, not {self.ranks!r}.")
        lists = [
            (name, weight, *self._ranked(name, pool)) for name, weight in weighted(self.name, self.lists, self.weights)
        ]

        def value(id: MemoryId) -> float:
            return math.fsum(
                [fusion.reciprocal_rank(rank[id], self.k, weight) for _, weight, rank, _ in lists if id in rank]
            )

        def explain(candidate: Candidate) -> Term:
            parts = [self._share(candidate, *each) for each in lists]
            total = sum(part.value for part in parts) or 1.0
            named = (part._replace(facts={**part.facts, "share": part.value / total}) for part in parts)
            return term("fused", Operator.SUM, *named)

        return StageResult(pool.scored([value(memory.id) for memory in pool.memories], explain))

    def _ranked(self, name: str, pool: Pool) -> tuple[dict[MemoryId, int], dict[MemoryId, int]]:
        """The rank of each memory in a list as it was found, and with how many others it shares its score there."""
        fact = _FACTS.get(name)
        if fact is None:
            scores = pool.list_scores(name)
        else:
            scores = {each.memory.id: fact(each.memory) for each in pool.as_gathered}
        equal = Counter(scores.values())
        return ranks.RANKINGS[self.ranks](scores), {id: equal[score] - 1 for id, score in scores.items()}

    def _share(
        self, candidate: Candidate, name: str, weight: float, found: dict[MemoryId, int], ties: dict[MemoryId, int]
    ) -> Term:
        rank = found.get(candidate.id)
        if rank is None:
            return leaf(f"{name} by rank", 0.0, absent=True)
        hit = candidate.hits.get(name)
        facts = {"raw": hit.score if hit else None, "tied_with": ties[candidate.id], "ranks": self.ranks}
        parts = leaf("weight", weight), leaf("k", self.k), leaf("rank", rank)
        return term(f"{name} by rank", Operator.RECIPROCAL_RANK, *parts, **facts)
