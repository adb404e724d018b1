"""JSON as stores keep it: compact, with keys in their order, and quick for the many small values of a recall."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

_SHORT = 100

# The functions beneath json.dumps and json.loads, called directly: a recall reads some hundred small values, and an
# import writes as many for each memory. JSONEncoder would make this encoder anew for every value.
_encode: Callable[[Any, int], tuple[str, ...]] = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, json.JSONEncoder().default, json.encoder.encode_basestring, None, ":", ",", False, False, False
)
_decode: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def to_json(value: Any) -> str:
    """Compact JSON; keys keep their order, so the same value always gives the same text."""
    if not value and isinstance(value, (tuple, list, dict)):
        return "{}" if isinstance(value, dict) else "[]"
    return "".join(_encode(value, 0))


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
    """Return a JSON array of texts. Short ones are kept: the same names and tags come up again and again."""
    if array == "[]":
        return ()
    return _kept(array) if len(array) <= _SHORT else tuple(from_json(array))


@lru_cache(maxsize=4096)
def _kept(array: str) -> tuple[str, ...]:
    return tuple(from_json(array))
