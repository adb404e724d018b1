"""A memory as plain fields and back, for every format."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from core.clock import to_iso
from core.model import Memory

_NOT_EXCHANGED = ("id", "version")  # of this store alone

NAMES = tuple(name for name in Memory._fields if name not in _NOT_EXCHANGED)
LISTS = ("tags", "entities", "files")
OBJECTS = ("context", "provenance")
NUMBERS = ("confidence", "strength")
COUNTS = ("access_count", "return_count")


def plain(memory: Memory) -> dict[str, Any]:
    """Return every field that another store can import, times as ISO 8601."""
    values = {name: getattr(memory, name) for name in NAMES}
    return {name: to_iso(value) if isinstance(value, datetime) else value for name, value in values.items()}
