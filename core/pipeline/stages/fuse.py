"""Several ranked lists to one score, by rank alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import UserError
from core.formulas import ranks
from core.pipeline.expr import Expr, Floats, constant, reciprocal_rank, total, where
from core.pipeline.pool import Candidates, Pool, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage, list_named, weighted

# Lists that no source makes: every candidate has the fact itself.
FACTS: Mapping[str, Callable[[Pool], Floats]] = {
    "recency": lambda pool: pool.facts.created.astype(np.float64),
    "access": lambda pool: pool.facts.access_count.astype(np.float64),
}


@dataclass(frozen=True, slots=True)
class ReciprocalRankFusion(Stage):
    """score = Σ weight / (k + rank) over the lists; a list that lacks a candidate adds 0.

    `lists` are names of sources, or `recency` (newest created first) and `access` (most used first).
    """

    name: str = "fuse"
    lists: tuple[str, ...] = list_named(("bm25", "vector"))
    weights: tuple[float, ...] = (1.0, 1.0)
    k: float = 60.0
    ranks: str = "ordinal"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        if self.ranks not in ranks.RANKINGS:
            raise UserError(f"fuse.ranks must be one of {', '.join(ranks.RANKINGS)}, not {self.ranks!r}.")
        shares: list[Expr] = []
        for name, weight in weighted(self.name, self.lists, self.weights):
            shares.append(self._share(candidates.pool, name, weight, shares))
        return Step(total("fused", shares))

    def _share(self, pool: Pool, name: str, weight: float, shares: Sequence[Expr]) -> Expr:
        """Return what a list adds, 0 where it lacks a row; `shares` will be those of all lists."""
        fact = FACTS.get(name)
        scores = pool.column(name).scores if fact is None else fact(pool)
        found = ranks.RANKINGS[self.ranks](scores)

        def of_all(row: int) -> float:
            return sum(each.at(row) for each in shares) or 1.0

        def facts(row: int) -> dict[str, Any]:
            raw = float(scores[row]) if fact is None else None
            tied = {"tied_with": int(ranks.equals(scores)[row]), "ranks": self.ranks}
            return {"raw": raw, **tied, "share": share.at(row) / of_all(row)}

        share = reciprocal_rank(f"{name} by rank", weight, self.k, found).with_facts(facts)
        if fact is not None:
            return share
        absent = constant(share.name, 0.0).with_facts(lambda _: {"absent": True, "share": 0.0})
        return where(pool.column(name).present, share, absent)
