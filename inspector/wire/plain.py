"""JSON of plain values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.clock import to_iso


def plain(value: Any) -> Any:
    """Return plain values, enums and dataclasses of them as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def field(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_iso(value)
    return list(value) if isinstance(value, tuple) else value
