"""The fields of a filter, described once: engine condition, options, tool arguments and window controls follow from it.

To add a field: add it to `Filter` in model.py and a row here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from core.model import Filter, Memory, Status


class Match(Enum):
    """How a memory is compared with the wanted values."""

    ONE_OF = auto()  # its value is one of them
    ANY_OF = auto()  # it has at least one of them
    FLAG = auto()  # it has this truth value


@dataclass(frozen=True, slots=True)
class FilterField:
    """`name` is the field of `Filter` and the argument of REST and MCP; `attribute` that of a memory, and the engine's
    column. `option` is without dashes; empty texts mean that a field is not offered there."""

    name: str
    attribute: str
    match: Match = Match.ONE_OF
    option: str = ""
    metavar: str = ""
    help: str = ""
    description: str = ""
    title: str = ""
    choices: tuple[str, ...] = ()

    def fits(self, wanted: Filter, memory: Memory) -> bool:
        """Return whether a memory passes this field of a filter."""
        values, own = getattr(wanted, self.name), getattr(memory, self.attribute)
        if self.match is Match.FLAG:
            return values in (None, own)
        if not values:
            return True
        return bool(set(values) & set(own)) if self.match is Match.ANY_OF else own in values


FIELDS = (
    FilterField("types", "type", option="type", metavar="TYPE", help="only this type (may be repeated)",
                description="Only these types.", title="Type"),
    FilterField("tags", "tags", Match.ANY_OF, option="tag", metavar="TAG", help="only with this tag (may be repeated)",
                description="Only with one of these tags.", title="Tags"),
    FilterField("statuses", "status", option="status", metavar="STATUS", help="active, superseded, archived, …",
                description="Only of these statuses; active by default.", title="Status",
                choices=tuple(str(status) for status in Status)),
    FilterField("collections", "collection", option="collection", metavar="NAME", help="only of this collection",
                description="Only of these collections.", title="Collection"),
    FilterField("sessions", "session", option="session", metavar="ID", help="only of this session",
                description="Only of these sessions.", title="Session"),
    FilterField("users", "user", description="Only about these users."),
    FilterField("agents", "agent", option="agent", metavar="NAME", help="only from this agent",
                description="Only from these agents."),
    FilterField("sources", "source", title="Source"),
    FilterField("pinned", "pinned", Match.FLAG, option="pinned", help="only pinned memories",
                description="Only pinned ones, or only others."),
)  # fmt: skip
BY_NAME: Mapping[str, FilterField] = {field.name: field for field in FIELDS}


def matches(wanted: Filter, memory: Memory) -> bool:
    """Return whether a memory passes a filter."""
    return all(field.fits(wanted, memory) for field in FIELDS)


def of_values(values: Mapping[str, Any]) -> Filter:
    """Return the filter of plain values by field name; what is missing or None does not filter."""
    given = {name: values[name] for name in BY_NAME if values.get(name) is not None}
    return Filter(**{name: _typed(BY_NAME[name], value) for name, value in given.items()})


def to_values(wanted: Filter) -> dict[str, Any]:
    """Return a filter as plain values by field name, the inverse of `of_values`."""
    values = ((field.name, getattr(wanted, field.name)) for field in FIELDS)
    return {name: list(map(str, value)) if isinstance(value, tuple) else value for name, value in values}


def named(names: Iterable[str]) -> tuple[FilterField, ...]:
    return tuple(BY_NAME[name] for name in names)


def _typed(field: FilterField, value: Any) -> Any:
    if field.match is Match.FLAG:
        return bool(value)
    return tuple(map(Status, value)) if field.name == "statuses" else tuple(value)
