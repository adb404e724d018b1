"""Decay: what a memory's age leaves of its score. Every function gives 1 at age 0 and falls; an age below 0 is 0.

Sources: Oro, decision 2 (half-life of 30 days) and prior art (BCR, CC-v3's linear window); OpenMem, stage 4
(rate of 0.05 a day); Recursive Light, appendix A (rate an hour).
"""

from __future__ import annotations

import math


def half_life(age: float, half: float) -> float:
    """Return 0.5 ^ (age / half): one half remains after each half-life. Range (0, 1]."""
    return float(0.5 ** (max(0.0, age) / half))


def exponential(age: float, rate: float) -> float:
    """Return exp(−rate · age). A rate of 0.05 a day halves in 13.9 days. Range (0, 1]."""
    return math.exp(-rate * max(0.0, age))


def linear(age: float, window: float) -> float:
    """Return max(0, 1 − age / window): nothing remains at the end of the window. Range [0, 1]."""
    return max(0.0, 1.0 - max(0.0, age) / window)
