"""Decay: what a memory's age leaves of its score. Every function gives 1 at age 0 and falls; an age below 0 is 0.

Sources: Oro, decision 2 (half-life of 30 days) and prior art (BCR, CC-v3's linear window); OpenMem, stage 4
(rate of 0.05 a day); Recursive Light, appendix A (rate an hour).
"""

from __future__ import annotations

from typing import Any

from core.formulas.numbers import Constant, exp, maximum, named, not_negative

_HALF, _ONE, _NOTHING = Constant("one half", 0.5), Constant("one", 1.0), Constant("nothing", 0.0)


def half_life(age: Any, half: float) -> Any:
    """0.5 ^ (age / half): one half is left after each half-life. Range (0, 1]."""
    return _HALF ** named("halvings", not_negative(age) / half)


def exponential(age: Any, rate: float) -> Any:
    """exp(−rate · age). A rate of 0.05 a day halves in 13.9 days. Range (0, 1]."""
    return exp(named("−rate · age", rate_of(rate) * not_negative(age)))


def rate_of(rate: float) -> Constant:
    """Return a rate with the sign that it has in the exponent."""
    return Constant(getattr(rate, "name", "−rate"), -rate)


def linear(age: Any, window: float) -> Any:
    """max(0, 1 − age / window): nothing is left at the end of the window. Range [0, 1]."""
    return maximum(_NOTHING, named("1 − age / window", _ONE - named("age / window", not_negative(age) / window)))
