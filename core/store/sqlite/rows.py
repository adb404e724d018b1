"""How values stand in a row: the few conversions every kind of row shares."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]  # column name to what SQLite holds, plus `tags` as a list for memories


def to_json(value: Any) -> str:
    """Compact JSON; keys keep their order, so the same value always gives the same text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_json(text: str) -> Any:
    return json.loads(text)


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Row, Row]:
    """The columns that differ, as they were and as they are."""
    names = [name for name in new if old[name] != new[name]]
    return {name: old[name] for name in names}, {name: new[name] for name in names}
