"""Times and what is made of them: variants take turns in one run, so that what slows the machine slows them all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

SECONDS_A_VARIANT = 60.0
MIN_TURNS = 10


def timed(work: Callable[[], object]) -> float:
    """How many milliseconds it takes."""
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def interleaved(
    variants: Mapping[str, Callable[[Any], object]], turns: Iterable[Any], seconds: float = SECONDS_A_VARIANT
) -> dict[str, list[float]]:
    """Each turn given to every variant, who begins changing; a slow one drops out when its time is used up."""
    names = list(variants)
    times: dict[str, list[float]] = {name: [] for name in names}
    for number, turn in enumerate(turns):
        start = number % len(names)
        for name in (*names[start:], *names[:start]):
            is_used_up = len(times[name]) >= MIN_TURNS and sum(times[name]) > seconds * 1000
            if not is_used_up:
                times[name].append(timed(lambda name=name, turn=turn: variants[name](turn)))
    return times


def p50(times: Sequence[float]) -> float:
    return statistics.median(times)


def p95(times: Sequence[float]) -> float:
    """The smallest time that 95 of 100 do not exceed."""
    ordered = sorted(times)
    return ordered[max(0, -(-95 * len(ordered) // 100) - 1)]


def ratio(times: Sequence[float], yardstick: Sequence[float]) -> float:
    """Of the medians, over the turns that both have had."""
    both = min(len(times), len(yardstick))
    return p50(times[:both]) / p50(yardstick[:both])
