"""Ranks from scores, best first, from 1. The three rankings differ only for equal scores.

Sources: two-stage RRF, step 6 (dense); robotmem, RRF merge (ordinal, there counted from 0). Competition ranking is the
common third: equals share the better rank and the next rank is skipped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import neg
from typing import TypeVar

Key = TypeVar("Key", bound=int)


def ordered(scores: Mapping[Key, float]) -> list[Key]:
    """Return keys by score, best first, ties broken by key."""
    return [key for _, key in sorted(zip(map(neg, scores.values()), scores, strict=True))]


def ordinal(scores: Mapping[Key, float]) -> dict[Key, int]:
    """Return ranks such as 1, 2, 3, 4: every position has its own."""
    return {key: position for position, key in enumerate(ordered(scores), 1)}


def dense(scores: Mapping[Key, float]) -> dict[Key, int]:
    """Return ranks such as 1, 2, 2, 3: equals share a rank and no rank is skipped."""
    levels = {score: level for level, score in enumerate(sorted(set(scores.values()), reverse=True), 1)}
    return {key: levels[scores[key]] for key in ordered(scores)}


def competition(scores: Mapping[Key, float]) -> dict[Key, int]:
    """Return ranks such as 1, 2, 2, 4: equals share the better rank."""
    first: dict[float, int] = {}
    keys = ordered(scores)
    for position, key in enumerate(keys, 1):
        first.setdefault(scores[key], position)
    return {key: first[scores[key]] for key in keys}


def percentile(ascending: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed (nearest rank); 0 of nothing."""
    return ascending[max(0, math.ceil(share * len(ascending)) - 1)] if ascending else 0.0


RANKINGS = {"ordinal": ordinal, "dense": dense, "competition": competition}
