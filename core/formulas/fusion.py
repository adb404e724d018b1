"""Reciprocal rank fusion: a rank in each list becomes a share of one score.

    score = Σ weight / (k + rank)

Sources: Cormack et al. 2009; Oro, decision 1 (k = 60); robotmem, RRF merge (1 / (k + rank0 + 1), the same with
ranks from 1); two-stage RRF, step 7 (weights). A list that lacks a candidate adds 0.
"""

from __future__ import annotations

from typing import Any


def reciprocal_rank(rank: Any, k: float, weight: float = 1.0) -> Any:
    """weight / (k + rank), rank counted from 1."""
    return weight / (k + rank)


def importance_boost(k: float, better_by: int = 10) -> float:
    """Return what moving from rank 1 + better_by to rank 1 is worth: 1/(k+1) − 1/(k+1+better_by).

    Source: two-stage RRF, step 7, for memories of high importance (better_by = 10).
    """
    return 1 / (k + 1) - 1 / (k + 1 + better_by)
