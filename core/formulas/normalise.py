"""Raw scores brought to 0…1.

Sources: Oro, scoring formula (divide by 25 and clamp, from CC-v3); OpenMem, stage 2 and robotmem, MaxScore (divide
by the largest).
"""

from __future__ import annotations

from typing import Any

from core.formulas.numbers import clamp, named


def divided_and_clamped(score: Any, divisor: float, least: float = 0.0, most: float = 1.0) -> Any:
    """min(most, max(least, score / divisor))."""
    return clamp(named("divided", score / divisor), least, most)


def by_maximum(score: Any, largest: float) -> Any:
    """score / largest; 0 when nothing scored above 0."""
    return score / largest if largest > 0 else 0.0
