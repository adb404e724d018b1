"""How values stand in a row: the few conversions every kind of row shares."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from core.store.records import Row

_NUMBERS = range(-(2**63), 2**63)  # that SQLite knows
_SHORT = 100

# Json's own functions without what they do for other callers: a recall reads some hundred small values, and an import
# writes as many for each memory. The encoder is the one that JSONEncoder makes anew for every value.
_encode: Callable[[Any, int], tuple[str, ...]] = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, json.JSONEncoder().default, json.encoder.encode_basestring, None, ":", ",", False, False, False
)
_decode: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def to_json(value: Any) -> str:
    """Compact JSON; keys keep their order, so the same value always gives the same text."""
    if not value and isinstance(value, (tuple, list, dict)):
        return "{}" if isinstance(value, dict) else "[]"
    return "".join(_encode(value, 0))


def among(column: str, ids: Sequence[int]) -> tuple[str, tuple[Any, ...]]:
    """The condition that a column holds one of some ids, and its bindings: a range where none is missing in between, as
    of memories that were just added, which is looked up sooner; else a JSON array, however many they are."""
    lowest, highest = min(ids, default=0), max(ids, default=0)
    if highest - lowest + 1 == len(set(ids)) and lowest in _NUMBERS and highest in _NUMBERS:
        return f"{column} between ? and ?", (lowest, highest)
    return f"{column} in (select value from json_each(?))", (to_json(ids),)


def from_json(text: str) -> Any:
    if text == "[]":  # as most lists and objects of most memories are
        return []
    if text == "{}":
        return {}
    try:
        return _decode(text, 0)[0]
    except StopIteration:
        return json.loads(text)  # says what is wrong with it


def strings(array: str) -> tuple[str, ...]:
    """A JSON array of texts. Short ones are kept: the same names and tags come up again and again."""
    if array == "[]":
        return ()
    return _kept(array) if len(array) <= _SHORT else tuple(from_json(array))


@lru_cache(maxsize=4096)
def _kept(array: str) -> tuple[str, ...]:
    return tuple(from_json(array))


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Row, Row]:
    """The columns that differ, as they were and as they are."""
    names = [name for name in new if old[name] != new[name]]
    return {name: old[name] for name in names}, {name: new[name] for name in names}
