"""JSON Schema of arguments and answers: for MCP clients, the OpenAPI document and the check of arguments.

Each argument has one type, since some clients print a warning for a union. A shape that several answers share is a
component, named by a reference; `COMPONENTS` holds them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, get_type_hints

import jsonschema

from core.errors import UserError
from core.model import Importance, Link, LinkKind, LinkStatus, Memory, Status
from inspector.serve.messages import refuse_what_json_cannot_mean

Schema = dict[str, Any]

MAX_ARGUMENTS = 100
MAX_AT_ONCE = 100  # of the memories of one call
TYPE_NAMES = {
    "integer": "a whole number", "number": "a number", "string": "a text", "array": "a list", "object": "an object",
    "boolean": "true or false",
}  # fmt: skip


# arguments


def text(about: str, **more: Any) -> Schema:
    return {"type": "string", **({"description": about} if about else {}), **more}


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


def several(about: str, items: Schema, *, is_like_the_tool: bool = False) -> Schema:
    """Return the schema of a list of at least one item, whose fields may be those of the tool itself."""
    marks = {LIKE_THE_TOOL: True} if is_like_the_tool else {}
    return {"type": "array", "items": {**items, **marks}, "minItems": 1, "maxItems": MAX_AT_ONCE, "description": about}


# An extension of JSON Schema: a number is taken for the text of its digits. An id is a number in every answer.
ALSO_A_NUMBER = "x-also-a-number"
# Another: the fields of an object are those of the tool that takes it, so that no model reads them twice.
LIKE_THE_TOOL = "x-like-the-tool"
MEMORY_NAME = text("Its id or uid.", **{ALSO_A_NUMBER: True})


def arguments(properties: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """Return the schema of a tool's arguments; unknown names are refused, so that no misspelt filter is ignored."""
    shape: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**shape, "required": list(required)} if required else shape


def plain(schema: Schema, given: Any) -> Any:
    """Return arguments as the schema means them, at every level: an optional null counts as absent, 5.0 as a whole
    number, and the number of a memory as its name."""
    kind = schema.get("type")
    if kind == "object" and isinstance(given, dict) and "properties" in schema:
        required, properties = schema.get("required", ()), schema["properties"]
        return {
            name: plain(properties.get(name, {}), value)
            for name, value in given.items()
            if value is not None or name in required or name not in properties
        }
    if kind == "array" and isinstance(given, list) and "items" in schema:
        return [plain(schema["items"], each) for each in given]
    if isinstance(given, float) and given.is_integer() and (kind == "integer" or ALSO_A_NUMBER in schema):
        given = int(given)
    return str(given) if ALSO_A_NUMBER in schema and type(given) is int else given


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
            raise UserError(f"The argument {'.'.join(filter(None, (where, missing)))} is missing.")
        case "additionalProperties":
            unknown = sorted(error.instance.keys() - error.schema["properties"].keys())[0]
            known = ", ".join(error.schema["properties"]) or "none"
            raise UserError(f"There is no argument {unknown[:60]!r}; there are: {known}.")
        case "type":
            also = "a whole number or " if ALSO_A_NUMBER in error.schema else ""
            raise UserError(f"{where or 'The arguments'} must be {also}{TYPE_NAMES[error.validator_value]}.")
        case "enum":
            raise UserError(f"{where} must be one of {', '.join(map(str, error.validator_value))}.")
        case "minimum" | "maximum":
            raise UserError(f"{where} must be from {error.schema['minimum']} to {error.schema['maximum']}.")
        case "minItems" | "maxItems":
            least, most = (error.schema.get(name, 0) for name in ("minItems", "maxItems"))
            raise UserError(f"{where} must be a list of {least} to {most} items.")
        case _:
            raise UserError(f"{where or 'The arguments'} cannot be used: {error.validator} {error.validator_value}.")


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


def with_optional(schema: Schema, **properties: Schema) -> Schema:
    """Return the schema of an answer with parts that it has only where they were asked for."""
    return {**schema, "properties": {**schema["properties"], **properties}}


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


OPERATION: Schema = {
    **optional(INTEGER),
    "description": "The journal's number of this operation; null if nothing changed.",
}
CHANGED = answer(operation=OPERATION, memories=array(INTEGER), links=array(INTEGER))

# What the OpenAPI document describes once and refers to by name.
COMPONENTS: dict[str, Schema] = {
    "Memory": _of(Memory),
    "Link": _of(Link),
    "Problem": answer(type=STRING, title=STRING, status=INTEGER, detail=STRING),
}


def component(name: str) -> Schema:
    """Return a reference to a component of the OpenAPI document."""
    return {"$ref": f"#/components/schemas/{name}"}


MEMORY, LINK, PROBLEM = map(component, ("Memory", "Link", "Problem"))


# as MCP lists them

_LIMITS = ("additionalProperties", "minimum", "maximum", "minItems", "maxItems", ALSO_A_NUMBER, LIKE_THE_TOOL)


def listed_arguments(
    schema: Schema, described: Mapping[str, Schema] = MappingProxyType({}), unlisted: Collection[str] = ()
) -> Schema:
    """Return a schema of arguments as a model reads it: without the limits, which a refusal names, without the
    descriptions of arguments that another tool has described, and without those that it need not list. Whatever fits
    the schema fits this one."""
    if LIKE_THE_TOOL in schema:
        return {"type": schema["type"], "required": schema["required"]}
    listed = {name: value for name, value in schema.items() if name not in _LIMITS}
    if "properties" in schema:
        listed["properties"] = {
            name: _undescribed(shown) if described.get(name) == each else shown
            for name, each in schema["properties"].items()
            if name not in unlisted
            for shown in (listed_arguments(each),)
        }
    if "items" in schema:
        listed["items"] = listed_arguments(schema["items"])
    return listed


def _undescribed(schema: Schema) -> Schema:
    return {name: value for name, value in schema.items() if name != "description"}


def listed_answer(schema: Schema) -> Schema:
    """Return the schema of an answer as MCP lists it: the names of its parts and their types, each one type or none,
    since a tool's schema can refer to no component and a model reads the answer itself."""
    kinds = {name: {"type": each["type"]} if "type" in each else {} for name, each in schema["properties"].items()}
    return {"type": "object", "properties": kinds, "required": schema.get("required", [])}
