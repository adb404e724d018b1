"""Forgetting for good: a memory's text leaves every table, every index and the journal, and the pages it stood on.

Deleted content is overwritten (`secure_delete`, set for every connection) and vec0 clears a vector's slot, but FTS5
keeps the words of a deleted row in its segments until they are merged, and the journal keeps every image on purpose.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import apsw

from core.model import LinkId, MemoryId
from core.store.sqlite import fulltext
from core.store.sqlite.rows import to_json


def forget_images(connection: apsw.Connection, ids: Collection[MemoryId], gone: Collection[LinkId]) -> None:
    """Take memories and the links that went with them out of the journal; that something was done stays."""
    for entity, keys in (("memory", ids), ("link", gone)):
        connection.executemany(
            "delete from journal_images where entity = ? and key = ?", ((entity, str(key)) for key in keys)
        )
    purged = to_json(sorted(ids))
    # A link that a merge has moved away keeps its number: what it was before goes, what it is since stays.
    mentions: Any = connection.execute(
        "select key, seq, position from journal_images where entity = 'link' and ("
        " coalesce(after, before) ->> 'source_id' in (select value from json_each(?1)) or"
        " coalesce(after, before) ->> 'target_id' in (select value from json_each(?1))) order by seq, position",
        (purged,),
    )
    last = {key: (seq, position) for key, seq, position in mentions}
    connection.executemany(
        "delete from journal_images where entity = 'link' and key = ? and (seq, position) <= (?, ?)",
        ((key, *place) for key, place in last.items()),
    )
    for table in ("journal_vectors", "call_results"):
        connection.execute(f"delete from {table} where memory_id in (select value from json_each(?))", (purged,))


def merge_segments(connection: apsw.Connection) -> None:
    """Write the full-text indexes anew without the words of what was deleted."""
    for table in fulltext.TABLES:
        connection.execute(f"insert into {table} ({table}) values ('optimize')")
