"""Whether work grows faster than the length of what it is given, measured by its processor time by ratio alone."""

from __future__ import annotations

import time
from collections.abc import Callable

CHARS = 8_000
# Seconds of processor time below which CHARS characters hide no square: even `.*`, which takes 0.3 ns a character, from
# every fourth character on, takes longer. Only what does is looked at closely.
MIN_DOUBTFUL = 0.002
# A text four times as long takes linear work four times as long, quadratic work sixteen times.
MAX_GROWTH = 11.0
CERTAIN = 0.5  # seconds that no noise adds up to: one look is enough
TRIES = 4


def grows_too_fast(work: Callable[[str], object], text_of: Callable[[int], str]) -> bool:
    """Whether more of the same takes more than in proportion longer, however often it is measured."""

    def seconds(chars: int) -> float:
        text = text_of(chars)
        began = time.thread_time()
        work(text)
        return time.thread_time() - began

    few, more = seconds(16), seconds(24)
    if more > MIN_DOUBTFUL and more > 20 * few:
        return True  # doubles with every character: nothing longer may be tried
    short = seconds(CHARS)
    if short < MIN_DOUBTFUL:
        return False
    for _ in range(TRIES):
        long = seconds(4 * CHARS)
        if long < MAX_GROWTH * short:
            return False
        if long > CERTAIN:
            return True
        short = min(seconds(CHARS) for _ in range(3))
    return True
