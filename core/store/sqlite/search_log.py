"""The log of changes that matter for a search: memories whose tokens, vectors, filterable fields or facts changed, in
order. An entry of which only a fact changed, such as the last access, is the id with a minus.

The search cache of every process reads what was appended since its last change. The log is short: a cache that is
further behind reads everything again.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import apsw

from core.store.json_text import to_json

MAX_KEPT = 10_000

# Means every memory.
ALL = 0


def append(connection: apsw.Connection, searched: Collection[int], facts: Collection[int]) -> None:
    """Log memories that a search may find otherwise, and those of which only a fact changed that a stage reads."""
    entries = sorted((*searched, *(-id for id in facts if id not in searched)))
    if len(entries) > MAX_KEPT:
        entries = [ALL]
    connection.execute("insert into search_log (memory_id) select value from json_each(?)", (to_json(entries),))
    connection.execute("delete from search_log where seq <= ?", (connection.last_insert_rowid() - MAX_KEPT,))


def last(connection: apsw.Connection) -> int:
    """Return the number of the newest entry; 0 for none."""
    return int(connection.execute("select coalesce(max(seq), 0) from search_log").get)


def since(connection: apsw.Connection, seq: int) -> tuple[list[int], list[int]] | None:
    """Return the memories that a search may find otherwise after an entry, and all of which a fact changed; None when
    they are too many to list, or too long ago."""
    found: list[Any] = connection.execute("select seq, memory_id from search_log where seq > ?", (seq,)).fetchall()
    changed = {id for _, id in found}
    if ALL in changed or len(found) != (found[-1][0] if found else last(connection)) - seq:
        return None
    return sorted(id for id in changed if id > 0), sorted({abs(id) for id in changed})
