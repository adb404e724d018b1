"""Changing a profile's parameters by name, `step.field`, with values checked against the field's own type."""

from __future__ import annotations

import json
import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cache, lru_cache
from typing import Any, get_args, get_origin

from core.errors import UserError
from core.pipeline.former_names import present_path
from core.pipeline.query import Query
from core.pipeline.run import Profile

MAX_WHOLE_NUMBER = 1_000_000

# A number that is smaller or larger than this, and not 0, is a slip, and makes numbers beyond all bounds.
SMALLEST, LARGEST = 1e-12, 1e12

ANY_NUMBER = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a profile: its step, field, value and type, and the range of a number."""

    step: str
    field: str
    value: Any
    type: Any
    range: tuple[float, float]

    @property
    def path(self) -> str:
        return f"{self.step}.{self.field}"


def parameters_of(profile: Profile) -> list[Parameter]:
    """Every parameter of a profile in the order of its steps."""
    found = []
    for step in profile.steps:
        kind: Any = type(step)
        hints = _types(kind)
        found += [
            Parameter(
                step.name, each.name, getattr(step, each.name), hints[each.name], each.metadata.get("range", ANY_NUMBER)
            )
            for each in fields(step)
            if each.name != "name"
        ]
    return found


@lru_cache(maxsize=32)  # a hundred values of a profile's parameters may be tried one after the other
def _by_path(profile: Profile) -> Mapping[str, Parameter]:
    return {parameter.path: parameter for parameter in parameters_of(profile)}


@cache
def _types(step: Any) -> dict[str, Any]:
    return typing.get_type_hints(step)


def with_parameters(profile: Profile, changes: Mapping[str, Any]) -> Profile:
    """Return the profile with some parameters changed; a value may be text, as from a command line."""
    if not changes:
        return profile
    known = _by_path(profile)
    changes = {present_path(path): value for path, value in changes.items()}
    for path in changes:
        if path not in known:
            raise UserError(_unknown(profile, path, known))
    values = {path: _checked(known[path], value) for path, value in changes.items()}

    def changed(step: Any) -> Any:
        own = {known[path].field: value for path, value in values.items() if known[path].step == step.name}
        return _effective(step, replace(step, **own)) if own else step

    return replace(profile, recall=tuple(map(changed, profile.recall)), stages=tuple(map(changed, profile.stages)))


def _effective(before: Any, step: Any) -> Any:
    """Return the changed step; refuse a change that has no effect, since the trace would still show it."""
    for field, needed in step.idle_parameters().items():
        if getattr(step, field) != getattr(before, field):
            raise UserError(f"{step.name}.{field} has no effect here; it needs {needed}.")
    return step


def refuse_overridden(profile: Profile, changed: Iterable[str], query: Query) -> None:
    """Refuse a changed parameter that this query overrides or never uses."""
    changed = set(map(present_path, changed))
    for step in profile.steps:
        for field, why in step.overridden(query).items():
            if f"{step.name}.{field}" in changed:
                raise UserError(f"{step.name}.{field} has no effect here: {why}.")


def _unknown(profile: Profile, path: str, known: Mapping[str, Parameter]) -> str:
    step = path.partition(".")[0]
    fitting = [each for each in known if each.startswith(f"{step}.")] or sorted({each.step for each in known.values()})
    return f"The profile {profile.name} has no parameter {path[:60]!r}; there are {', '.join(fitting)}."


def _checked(parameter: Parameter, value: Any) -> Any:
    if isinstance(value, str) and parameter.type is not str:
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{parameter.path} must be {_described(parameter.type)}, not {value[:40]!r}.") from error
    converted = _converted(parameter.type, value)
    if converted is _WRONG:
        raise UserError(f"{parameter.path} must be {_described(parameter.type)}, not {_shown(value)}.")
    least, most = parameter.range
    numbers = converted if isinstance(converted, tuple) else (converted,)
    if any(isinstance(each, (int, float)) and not least <= each <= most for each in numbers):
        raise UserError(f"{parameter.path} must be from {least:g} to {most:g}, not {_shown(value)}.")
    return converted


def _shown(value: Any) -> str:
    """A value short enough for a sentence; a number of hundreds of digits cannot even be written out."""
    return "a number too large" if isinstance(value, int) and abs(value) > 10**30 else repr(value)[:40]


_WRONG = object()


def _converted(kind: Any, value: Any) -> Any:
    """The value in the field's own type, or _WRONG."""
    if get_origin(kind) in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _converted(next(each for each in get_args(kind) if each is not type(None)), value)
    if get_origin(kind) is tuple:
        if not isinstance(value, (list, tuple)):
            return _WRONG
        items = tuple(_converted(get_args(kind)[0], item) for item in value)
        return _WRONG if _WRONG in items else items
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next((each for each in kind if each.value == value), _WRONG)
    if kind is bool or kind is str:
        return value if isinstance(value, kind) else _WRONG
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return _WRONG
    if value and not SMALLEST <= abs(value) <= LARGEST:
        return _WRONG
    if kind is int:
        return value if isinstance(value, int) and 0 <= value <= MAX_WHOLE_NUMBER else _WRONG
    return float(value) + 0.0  # −0.0 is 0.0, and two runs with either have one trace


def _described(kind: Any) -> str:
    if get_origin(kind) in (typing.Union, types.UnionType):
        return f"{_described(next(each for each in get_args(kind) if each is not type(None)))} or null"
    if get_origin(kind) is tuple:
        return f"a JSON list, each {_described(get_args(kind)[0])}"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"one of {', '.join(str(each.value) for each in kind)}"
    return {
        bool: "true or false",
        str: "text",
        int: f"a whole number from 0 to {MAX_WHOLE_NUMBER:,}",
        float: f"a number, 0 or from {SMALLEST:g} to {LARGEST:g} in size",
    }[kind]
