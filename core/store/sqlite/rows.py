"""Conditions and values shared by all tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.store.json_text import to_json

_NUMBERS = range(-(2**63), 2**63)  # the integers of SQLite


def among(column: str, ids: Sequence[int]) -> tuple[str, tuple[Any, ...]]:
    """Return the condition that a column is one of some ids, and its bindings: a range if the ids are consecutive, as
    of memories that were just added, which is faster; else a JSON array of any length."""
    lowest, highest = min(ids, default=0), max(ids, default=0)
    if highest - lowest + 1 == len(set(ids)) and lowest in _NUMBERS and highest in _NUMBERS:
        return f"{column} between ? and ?", (lowest, highest)
    return f"{column} in (select value from json_each(?))", (to_json(ids),)
