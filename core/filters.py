"""Whether a memory passes a filter, and filters as plain values, by the fields described in filter_fields.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from core.clock import parse_moment, to_iso
from core.filter_fields import ANY_OF, FIELDS, FLAG, FROM, MOMENTS, FilterField
from core.model import Filter, Memory, Status

BY_NAME: Mapping[str, FilterField] = {field.name: field for field in FIELDS}


def matches(wanted: Filter, memory: Memory) -> bool:
    """Return whether a memory passes a filter."""
    return all(_fits(field, wanted, memory) for field in FIELDS)


def from_values(values: Mapping[str, Any], now: datetime | None = None) -> Filter:
    """Return the filter of plain values by field name; a missing one or None does not filter. An age counts from
    `now`; without it only times are understood."""
    given = {name: values[name] for name in BY_NAME if values.get(name) is not None}
    return Filter(**{name: _typed(BY_NAME[name], value, now) for name, value in given.items()})


def to_values(wanted: Filter) -> dict[str, Any]:
    """Return a filter as plain values by field name, the inverse of `from_values`."""
    return {field.name: _plain(getattr(wanted, field.name)) for field in FIELDS}


def named(names: Iterable[str]) -> tuple[FilterField, ...]:
    return tuple(BY_NAME[name] for name in names)


def choices(field: FilterField) -> tuple[str, ...]:
    """Return the values that a field may have; empty if any."""
    return tuple(map(str, Status)) if field.name == "statuses" else ()


def _fits(field: FilterField, wanted: Filter, memory: Memory) -> bool:
    values, own = getattr(wanted, field.name), getattr(memory, field.attribute)
    if field.match == FLAG:
        return values in (None, own)
    if not values:
        return True
    if field.match in MOMENTS:
        return bool(own >= values if field.match == FROM else own < values)
    return bool(set(values) & set(own)) if field.match == ANY_OF else own in values


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_iso(value)
    return list(map(str, value)) if isinstance(value, tuple) else value


def _typed(field: FilterField, value: Any, now: datetime | None) -> Any:
    if field.match == FLAG:
        return bool(value)
    if field.match in MOMENTS:
        return parse_moment(value, field.name, now)
    return tuple(map(Status, value)) if field.name == "statuses" else tuple(value)
