"""A complete, checked query: no later step reads the clock, the model or the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.errors import UserError
from core.model import Filter, MemoryId, Space

MAX_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Spatial:
    """Order by nearness: the context field that holds a place, where to be near, how far at most."""

    field: str
    target: tuple[float, ...]
    max_distance: float | None = None


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    now: datetime
    k: int
    words: tuple[str, ...] = ()
    all_words: tuple[str, ...] = ()
    vector: bytes | None = None
    space: Space | None = None
    why_no_vector: str = ""
    trust: float = 0.0  # in the vector's model, see core/embed/catalogue.py
    unrelated_cosine: float | None = None  # of unrelated texts in that model; None where it was not measured
    recall_phrase: str = ""  # by which the text refers to earlier talk
    filter: Filter = field(default_factory=Filter)
    session: str = ""
    min_confidence: float | None = None
    token_budget: int | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    spatial: Spatial | None = None
    explained: frozenset[MemoryId] = frozenset()
    explains_results: bool = False  # to the last number, as those in `explained`
    notes: tuple[str, ...] = ()

    @property
    def has_structured_filter(self) -> bool:
        return bool(self.context) or self.spatial is not None


def checked_k(value: Any, most: int) -> tuple[int, tuple[str, ...]]:
    """Return the number of results; a number above the maximum is clamped, with a note."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UserError(f"k must be a whole number, not {str(value)[:40]!r}.")
    if value < 1:
        raise UserError(f"k must be at least 1, not {str(value)[:20]}.")
    if value > most:
        return most, (f"k was cut to {most}, the most that is returned.",)
    return value, ()


def checked_context(value: Any) -> dict[str, Any]:
    """Dot paths to a plain value, or to operators with plain values."""
    if not isinstance(value, Mapping):
        raise UserError('A context filter must be an object of dot paths, such as {"task.success": true}.')
    known = ("$lt", "$lte", "$gt", "$gte", "$ne")
    for path, wanted in value.items():
        if not isinstance(path, str) or not path:
            raise UserError("A context filter's paths must be text such as params.force.value.")
        for operator in wanted if isinstance(wanted, Mapping) else ():
            if operator not in known:
                raise UserError(f"A context filter knows {', '.join(known)}, not {str(operator)[:20]!r}.")
    return dict(value)


def checked_spatial(value: Any) -> Spatial:
    """A mapping with field, target and perhaps max_distance."""
    if not isinstance(value, Mapping) or not isinstance(value.get("field"), str) or not value["field"]:
        raise UserError('Spatial order needs {"field": "spatial.position", "target": [x, y, …]}.')
    target = value.get("target")
    if not isinstance(target, (list, tuple)) or not target or not all(_is_number(part) for part in target):
        raise UserError("The target of a spatial order must be a list of numbers.")
    most = value.get("max_distance")
    if most is not None and not (_is_number(most) and most >= 0):
        raise UserError("max_distance must be a number of at least 0.")
    return Spatial(value["field"], tuple(float(part) for part in target), None if most is None else float(most))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e300 <= value <= 1e300
