"""Similarity of vectors, texts and positions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def from_distance(distance: float) -> float:
    """Return the cosine of sqlite-vec's cosine distance (0 equal, 2 opposite)."""
    return 1.0 - distance


def overlap(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """Return the Jaccard index: words in both / words in either; 0 for two empty sets. Range [0, 1]."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if a or b else 0.0


def euclidean(a: Sequence[float], b: Sequence[float]) -> float:
    """Return sqrt(Σ (aᵢ − bᵢ)²). Source: robotmem, spatial sort."""
    return math.dist(a, b)
