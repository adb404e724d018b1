"""The table of settings, as JSON values."""

from __future__ import annotations

from typing import Any

import apsw

from core.store.json_text import from_json, to_json


def get(connection: apsw.Connection, name: str) -> Any:
    """Return the value, or None if it was never set."""
    found = connection.execute("select value from settings where name = ?", (name,)).get
    return None if found is None else from_json(found)


def put(connection: apsw.Connection, name: str, value: Any) -> None:
    if value is None:
        connection.execute("delete from settings where name = ?", (name,))
    else:
        connection.execute("insert or replace into settings (name, value) values (?, ?)", (name, to_json(value)))


def read_all(connection: apsw.Connection) -> list[tuple[str, Any]]:
    found = connection.execute("select name, value from settings order by name")
    return [(str(name), from_json(str(value))) for name, value in found]
