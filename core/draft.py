"""Validation of untrusted fields: the same rules for the command line, agents and imports.

A front-end passes a mapping of field names to the values it was given. Each value is checked by the rule of its field;
the first that does not fit raises a UserError naming the field, and nothing is written.
"""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from core.clock import parse_iso, to_micros
from core.errors import UserError
from core.model import Importance, Link, LinkKind, LinkStatus, Memory, MemoryId, Status, Uid

MAX_CONTENT_CHARS = 200_000
MAX_TEXT_CHARS = 10_000
MAX_NAME_CHARS = 200
MAX_LIST_ITEMS = 256
MAX_JSON_CHARS = 256_000
MAX_JSON_DEPTH = 32
MAX_COUNT = 2**63 - 1
MAX_MARKS = 30

_UID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")
_TYPE = re.compile(r"[a-z][a-z0-9_-]{0,63}")

Rule = Callable[[str, Any], Any]


def new_uid(now: datetime) -> Uid:
    """Return a new uid: the moment in milliseconds (48 bits), then 80 random bits. Uids created together are adjacent
    in the index of the store, where a thousand random ones change a thousand pages."""
    return Uid(_moment_of_uid(now) + os.urandom(10).hex())


@lru_cache(maxsize=1)  # all memories of one operation have the same moment
def _moment_of_uid(now: datetime) -> str:
    return f"{to_micros(now) // 1_000 & (1 << 48) - 1:012x}"


def memory(fields: Mapping[str, Any], now: datetime) -> Memory:
    """Return an unsaved memory with the given fields, checked, and the model's defaults."""
    checked = changes(fields)
    if "content" not in checked:
        raise UserError("A memory needs content.")
    created = checked.setdefault("created_at", now)
    checked.setdefault("updated_at", created)
    checked.setdefault("uid", new_uid(now))
    checked.setdefault("provenance", {})
    checked.setdefault("context", {})
    return Memory(**checked)


def changes(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with their values checked and converted to the model's types."""
    if not fields.keys() <= RULES.keys():
        unknown = next(name for name in fields if name not in RULES)
        raise UserError(f"A memory has no field {unknown[:40]!r}.")
    return {name: RULES[name](name, value) for name, value in fields.items()}


def link(fields: Mapping[str, Any], source_id: MemoryId, target_id: MemoryId, now: datetime) -> Link:
    """Return an unsaved link between two memories."""
    if source_id == target_id:
        raise UserError("A memory cannot be linked to itself.")
    checked = {name: LINK_RULES[name](name, value) for name, value in fields.items() if name in LINK_RULES}
    return Link(source_id=source_id, target_id=target_id, **{"created_at": now, **checked})


def plain_text(field: str, value: Any, max_chars: int = MAX_TEXT_CHARS) -> str:
    if not isinstance(value, str):
        raise UserError(f"{field} must be text, not {_kind(value)}.")
    if len(value) > max_chars:
        raise UserError(f"{field} has {len(value):,} characters; at most {max_chars:,} are kept.")
    if "\0" in value:
        raise UserError(f"{field} contains a NUL character.")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"{field} contains half a character (a lone surrogate).") from error
    if _longest_run_of_marks(value) > MAX_MARKS:
        raise UserError(f"{field} puts more than {MAX_MARKS} marks on one character.")
    return value


def _longest_run_of_marks(value: str) -> int:
    """Return the length of the longest run of combining marks: normalising takes the square of it (Unicode's
    stream-safe format allows 30)."""
    longest = run = 0
    for char in value:
        run = run + 1 if unicodedata.combining(char) else 0
        longest = max(longest, run)
    return longest


def _content(field: str, value: Any) -> str:
    text = plain_text(field, value, MAX_CONTENT_CHARS)
    if not text.strip():
        raise UserError(f"{field} is empty.")
    return text


def _name(field: str, value: Any) -> str:
    return plain_text(field, value, MAX_NAME_CHARS).strip()


def _collection(field: str, value: Any) -> str:
    name = _name(field, value)
    if not name:
        raise UserError(f"{field} is empty.")
    return name


def _matching(pattern: re.Pattern[str], form: str) -> Rule:
    def rule(field: str, value: Any) -> str:
        text = plain_text(field, value, MAX_NAME_CHARS)
        if not pattern.fullmatch(text):
            raise UserError(f"{field} must be {form}, not {text[:40]!r}.")
        return text

    return rule


def _names(field: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise UserError(f"{field} must be a list of texts, not {_kind(value)}.")
    if len(value) > MAX_LIST_ITEMS:
        raise UserError(f"{field} has {len(value):,} items; at most {MAX_LIST_ITEMS} are kept.")
    one = f"{field} item"
    names: dict[str, None] = {}  # as an ordered set
    for item in value:
        if name := _name(one, item):
            names[name] = None
    return tuple(names)


def _share(field: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UserError(f"{field} must be a number from 0 to 1, not {_kind(value)}.")
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise UserError(f"{field} must be from 0 to 1, not {value!r:.20}.")
    return float(value) + 0.0  # −0.0 is 0.0


def _flag(field: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UserError(f"{field} must be true or false, not {_kind(value)}.")
    return value


def _count(field: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        raise UserError(f"{field} must be a whole number of at least 0.")
    return value


def _one_of(choices: type[StrEnum]) -> Rule:
    def rule(field: str, value: Any) -> StrEnum:
        try:
            return choices(value)
        except ValueError as error:
            raise UserError(f"{field} must be one of {', '.join(choices)}; got {str(value)[:40]!r}.") from error

    return rule


def _moment(field: str, value: Any) -> datetime:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value
    if not isinstance(value, str):
        raise UserError(f"{field} must be an ISO 8601 time, not {_kind(value)}.")
    return parse_iso(value, field)


def _moment_or_never(field: str, value: Any) -> datetime | None:
    return None if value is None else _moment(field, value)


def _json_object(field: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{field} must be a JSON object, not {_kind(value)}.")
    _check_json(field, value, MAX_JSON_DEPTH)
    if len(json.dumps(value, ensure_ascii=False)) > MAX_JSON_CHARS:
        raise UserError(f"{field} is longer than {MAX_JSON_CHARS:,} characters as JSON.")
    return value


def _check_json(field: str, value: Any, depth: int) -> None:
    """Raise UserError for what SQLite's JSON and other readers do not all accept: numbers that are not finite, integers
    of more than 64 bits, lone surrogates, deep nesting."""
    if depth == 0:
        raise UserError(f"{field} is nested deeper than {MAX_JSON_DEPTH} levels.")
    match value:
        case dict():
            for key, item in value.items():
                plain_text(f"a key of {field}", key)
                _check_json(field, item, depth - 1)
        case list() | tuple():
            for item in value:
                _check_json(field, item, depth - 1)
        case str():
            plain_text(field, value, MAX_JSON_CHARS)
        case bool() | None:
            pass
        case int() if -(2**63) <= value < 2**63:
            pass
        case float() if math.isfinite(value):
            pass
        case _:
            raise UserError(f"{field} holds a value that JSON cannot keep.")


def _kind(value: Any) -> str:
    names = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return "nothing" if value is None else names.get(type(value), "an object")


RULES: Mapping[str, Rule] = {
    "content": _content,
    "summary": plain_text,
    "type": _matching(_TYPE, "a lower-case word such as fact or decision"),
    "tags": _names,
    "entities": _names,
    "files": _names,
    "collection": _collection,
    "session": _name,
    "user": _name,
    "agent": _name,
    "source": _name,
    "provenance": _json_object,
    "context": _json_object,
    "confidence": _share,
    "strength": _share,
    "importance": _one_of(Importance),
    "pinned": _flag,
    "status": _one_of(Status),
    "created_at": _moment,
    "updated_at": _moment,
    "last_accessed_at": _moment_or_never,
    "access_count": _count,
    "return_count": _count,
    "uid": _matching(_UID, "up to 100 letters, digits and . _ : -"),
}

LINK_RULES: Mapping[str, Rule] = {
    "kind": _one_of(LinkKind),
    "weight": _share,
    "status": _one_of(LinkStatus),
    "evidence": _json_object,
    "created_at": _moment,
}
