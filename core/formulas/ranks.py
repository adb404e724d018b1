"""Ranks from scores, best first, from 1. The three rankings differ only for equal scores.

Columns are in the order of the ids, so that equals come by id; a row without a score (NaN) gets no rank (NaN).

Sources: two-stage RRF, step 6 (dense); robotmem, RRF merge (ordinal, there counted from 0). Competition ranking
is the common third: equals share the better rank and the next rank is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import neg
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Key = TypeVar("Key", bound=int)


def ordered(scores: Mapping[Key, float]) -> list[Key]:
    """Return keys by score, best first, ties broken by key."""
    return [key for _, key in sorted(zip(map(neg, scores.values()), scores, strict=True))]


def ordinal(scores: Floats) -> Floats:
    """1, 2, 3, 4: every position its own rank."""
    order = np.argsort(-scores, kind="stable")  # NaN comes last
    found = len(scores) - int(np.count_nonzero(np.isnan(scores)))
    ranks = np.full(len(scores), np.nan)
    ranks[order[:found]] = np.arange(1.0, found + 1)
    return ranks


def dense(scores: Floats) -> Floats:
    """1, 2, 2, 3: equals share a rank and no rank is skipped."""
    return _ranked(scores, lambda found: np.unique(-found, return_inverse=True)[1] + 1)


def competition(scores: Floats) -> Floats:
    """1, 2, 2, 4: equals share the better rank."""
    return _ranked(scores, lambda found: np.searchsorted(np.sort(-found), -found) + 1)


def equals(scores: Floats) -> Floats:
    """With how many others each shares its score."""

    def counted(found: Floats) -> NDArray[Any]:
        _, level, count = np.unique(found, return_inverse=True, return_counts=True)
        return count[level] - 1

    return _ranked(scores, counted)


def _ranked(scores: Floats, rank: Callable[[Floats], NDArray[Any]]) -> Floats:
    """Apply a way of ranking to the rows that have a score."""
    ranks = np.full(len(scores), np.nan)
    has_score = ~np.isnan(scores)
    ranks[has_score] = rank(scores[has_score])
    return ranks


RANKINGS = {"ordinal": ordinal, "dense": dense, "competition": competition}
