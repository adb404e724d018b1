"""Raw scores brought to 0…1.

Sources: Oro, scoring formula (divide by 25 and clamp, from CC-v3); OpenMem, stage 2 and robotmem, MaxScore (divide
by the largest).
"""

from __future__ import annotations


def divided_and_clamped(score: float, divisor: float, low: float = 0.0, high: float = 1.0) -> float:
    """Return min(high, max(low, score / divisor))."""
    return min(high, max(low, score / divisor))


def by_maximum(score: float, largest: float) -> float:
    """Return score / largest; 0 if nothing scored above 0."""
    return score / largest if largest > 0 else 0.0
