"""Purging: removes the text of a memory from every table, every index, the journal and the pages that had it.

Deleted content is overwritten (`secure_delete`, set for every connection) and vec0 clears the slot of a vector, but
FTS5 keeps the words of a deleted row in its segments until they are merged, and the journal keeps every image on
purpose.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import apsw

from core.changes import Op, duplicate_sentence_start
from core.model import LinkId, MemoryId
from core.store.json_text import to_json
from core.store.sqlite import fulltext


def forget_images(connection: apsw.Connection, ids: Collection[MemoryId], gone: Collection[LinkId]) -> None:
    """Delete the images of memories and of their links; the entries stay, without their reasons."""
    touched = {
        int(seq)
        for entity, keys in (("memory", ids), ("link", gone))
        for key in keys
        for (seq,) in connection.execute(
            "delete from journal_images where entity = ? and key = ? returning seq", (entity, str(key))
        )
    }
    purged = to_json(sorted(ids))
    # A link that a merge has moved to another memory stays; its evidence and its images from before the move, when it
    # led to the purged memory, do not.
    mentions: Any = connection.execute(
        "select key, seq, position from journal_images where entity = 'link' and ("
        " coalesce(after, before) ->> 'source_id' in (select value from json_each(?1)) or"
        " coalesce(after, before) ->> 'target_id' in (select value from json_each(?1))) order by seq, position",
        (purged,),
    )
    last = {key: (seq, position) for key, seq, position in mentions}
    for key, place in last.items():
        touched |= {
            int(seq)
            for (seq,) in connection.execute(
                "delete from journal_images where entity = 'link' and key = ? and (seq, position) <= (?, ?)"
                " returning seq",
                (key, *place),
            )
        }
        connection.execute("update links set evidence = '{}' where id = ?", (int(key),))
        for side in ("before", "after"):
            connection.execute(
                f"update journal_images set {side} = json_set({side}, '$.evidence', '{{}}')"
                f" where entity = 'link' and key = ? and {side} ->> 'evidence' is not null",
                (key,),
            )
    connection.executemany("update journal set purged = 1, reason = '' where seq = ?", ((seq,) for seq in touched))
    # A refused duplicate is in the journal with its text.
    connection.executemany(
        "update journal set purged = 1, reason = '' where op = ? and instr(reason, ?) = 1",
        ((Op.REMEMBER.value, f"{duplicate_sentence_start(id)} (") for id in ids),
    )
    connection.execute("delete from journal_vectors where memory_id in (select value from json_each(?))", (purged,))
    # A query that returned it may repeat its text.
    connection.execute(
        "update calls set question = null, trace = null where id in"
        " (select call_id from call_results where memory_id in (select value from json_each(?)))",
        (purged,),
    )
    connection.execute("delete from call_results where memory_id in (select value from json_each(?))", (purged,))


def merge_segments(connection: apsw.Connection) -> None:
    """Merge the segments of the full-text indexes, which drops the words of deleted rows."""
    for table in fulltext.TABLES:
        connection.execute(f"insert into {table} ({table}) values ('optimize')")
