"""Arithmetic that takes numbers and expressions alike, so that each formula is written once.

An expression (`core/pipeline/expr.py`) is a column of numbers that remembers how it was computed. It has the operators
of a number; what a number has no operator for is here.
"""

from __future__ import annotations

import math
from typing import Any


class Constant(float):
    """A number with the name that an explanation shows for it."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str, value: float) -> Constant:
        constant = super().__new__(cls, value)
        constant.name = name
        return constant


def named(name: str, value: Any) -> Any:
    """Return an expression under a name; a plain number as it is."""
    return value if isinstance(value, (int, float)) else value.named(name)


def exp(value: Any) -> Any:
    return math.exp(value) if isinstance(value, (int, float)) else value.exp()


def maximum(least: float, value: Any) -> Any:
    return max(least, value) if isinstance(value, (int, float)) else value.maximum(least)


def clamp(value: Any, least: float, most: float) -> Any:
    return min(most, max(least, value)) if isinstance(value, (int, float)) else value.clamp(least, most)


def not_negative(value: Any) -> Any:
    """Return an age, or 0 for one below 0; a column of ages has none below 0."""
    return max(0.0, value) if isinstance(value, (int, float)) else value
