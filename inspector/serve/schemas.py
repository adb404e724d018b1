"""JSON Schema of arguments and answers: for MCP clients, the OpenAPI document and the check of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, get_type_hints

import jsonschema

from core.errors import UserError
from core.model import Importance, Link, LinkKind, LinkStatus, Memory, Status
from inspector.serve.messages import refuse_what_json_cannot_mean

Schema = dict[str, Any]

MAX_ARGUMENTS = 100


# arguments


def text(about: str, **more: Any) -> Schema:
    return {"type": "string", "description": about, **more}


def whole(about: str, least: int, most: int, **more: Any) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": about, **more}


def share(about: str) -> Schema:
    return {"type": "number", "minimum": 0, "maximum": 1, "description": about}


def flag(about: str, **more: Any) -> Schema:
    return {"type": "boolean", "description": about, **more}


def texts(about: str, values: Sequence[str] = ()) -> Schema:
    items: Schema = {"type": "string", "enum": list(values)} if values else {"type": "string"}
    return {"type": "array", "items": items, "maxItems": 100, "description": about}


def mapping(about: str) -> Schema:
    return {"type": "object", "description": about}


MEMORY_NAME: Schema = {
    "type": ["integer", "string"],
    "description": "The memory's id in this store (a number) or its uid.",
}


def arguments(properties: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """Return the schema of a tool's arguments; unknown names are refused, so that no misspelt filter is ignored."""
    shape: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**shape, "required": list(required)} if required else shape


def plain(schema: Schema, given: Any) -> Any:
    """Return arguments as the schema means them: an optional null counts as absent, and 5.0 as a whole number."""
    if not isinstance(given, dict):
        return given
    required, properties = schema.get("required", ()), schema["properties"]
    return {
        name: _whole_if_meant(properties.get(name, {}), value)
        for name, value in given.items()
        if value is not None or name in required or name not in properties
    }


def _whole_if_meant(schema: Schema, value: Any) -> Any:
    kinds = schema.get("type", ())
    is_meant = "integer" in ([kinds] if isinstance(kinds, str) else kinds)
    return int(value) if is_meant and isinstance(value, float) and value.is_integer() else value


def check(schema: Schema, given: Any) -> None:
    """Refuse arguments that do not fit, in one sentence that names the argument and not its value."""
    if isinstance(given, dict) and len(given) > MAX_ARGUMENTS:
        raise UserError(f"There are more than {MAX_ARGUMENTS} arguments.")
    refuse_what_json_cannot_mean(given)
    # The first error: finding the most relevant of half a million would take half a minute.
    error = next(jsonschema.Draft202012Validator(schema).iter_errors(given), None)
    if error is None:
        return
    where = ".".join(str(part) for part in error.absolute_path)
    match error.validator:
        case "required":
            missing = next(name for name in error.validator_value if name not in error.instance)
            raise UserError(f"The argument {missing} is missing.")
        case "additionalProperties":
            unknown = sorted(error.instance.keys() - error.schema["properties"].keys())[0]
            known = ", ".join(error.schema["properties"]) or "none"
            raise UserError(f"There is no argument {unknown[:60]!r}; there are: {known}.")
        case "type":
            raise UserError(f"{where or 'The arguments'} must be {_named(error.validator_value)}.")
        case "enum":
            raise UserError(f"{where} must be one of {', '.join(map(str, error.validator_value))}.")
        case "minimum" | "maximum":
            raise UserError(f"{where} must be from {error.schema['minimum']} to {error.schema['maximum']}.")
        case _:
            raise UserError(f"{where or 'The arguments'} cannot be used: {error.validator} {error.validator_value}.")


def _named(types: str | list[str]) -> str:
    names = {"integer": "a whole number", "number": "a number", "string": "a text", "array": "a list",
             "object": "an object", "boolean": "true or false"}  # fmt: skip
    return " or ".join(names[each] for each in ([types] if isinstance(types, str) else types))


# answers


_PLAIN: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    datetime: {"type": "string", "format": "date-time"},
    Status: {"type": "string", "enum": list(Status)},
    Importance: {"type": "string", "enum": list(Importance)},
    LinkKind: {"type": "string", "enum": list(LinkKind)},
    LinkStatus: {"type": "string", "enum": list(LinkStatus)},
}
LIST_OF_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
OBJECT: Schema = {"type": "object"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
STRING: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}


def optional(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def array(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def answer(**properties: Schema) -> Schema:
    """Return the schema of an answer, all of whose parts are required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _of(kind: type) -> Schema:
    """Return the schema of a frozen dataclass, as `wire` writes it."""
    return answer(**{name: _of_type(hint) for name, hint in get_type_hints(kind).items()})


def _of_type(hint: Any) -> Schema:
    plain = getattr(hint, "__supertype__", hint)  # a NewType has the schema of its base
    if plain in _PLAIN:
        return _PLAIN[plain]
    if plain == tuple[str, ...]:
        return LIST_OF_TEXTS
    if plain == datetime | None:
        return optional(_PLAIN[datetime])
    return OBJECT


MEMORY = _of(Memory)
LINK = _of(Link)
OPERATION: Schema = {
    **optional(INTEGER),
    "description": "The journal's number of this operation; null if nothing changed.",
}
CHANGED = answer(operation=OPERATION, memories=array(INTEGER), links=array(INTEGER))
PROBLEM = answer(type=STRING, title=STRING, status=INTEGER, detail=STRING)
