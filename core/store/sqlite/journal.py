"""The journal tables: actor, time, kind and reason of each operation, with images of the rows before and after.

Written in the same transaction as the change itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import apsw

from core.changes import Op
from core.clock import from_micros, to_micros
from core.model import Embedding, MemoryId
from core.store.json_text import from_json, to_json
from core.store.records import Image, JournalEntry, JournalOperation, Row
from core.store.sqlite import memories
from core.store.sqlite.vectors import SpaceId, ensure_space
from core.store.sqlite.vectors import spaces as space_rows

# The memories an operation changed, and those at both ends of the links it added or removed.
_LINKED = "select position, coalesce(after, before) ->> '{}' from journal_images where seq = ?1 and entity = 'link'"
_TOUCHED = (
    "with touched (position, id) as ("
    "select position, cast(key as integer) from journal_images where seq = ?1 and entity = 'memory'"
    f" union all {_LINKED.format('source_id')} union all {_LINKED.format('target_id')})"
)
_INSERT_IMAGE = "insert into journal_images (seq, position, entity, key, before, after) values (?, ?, ?, ?, ?, ?)"
# The last operation up to a moment. Compared by number afterwards, since a clock may have been set back in between.
_LAST_BEFORE = "(select coalesce(max(seq), 0) from journal where at <= ?)"


def begin(connection: apsw.Connection, at: datetime, op: Op, actor: str, reason: str) -> int:
    connection.execute(
        "insert into journal (at, op, actor, reason) values (?, ?, ?, ?)",
        (to_micros(at), op.value, actor, reason),
    )
    return connection.last_insert_rowid()


def add_images(connection: apsw.Connection, seq: int, position: int, images: Sequence[Image]) -> None:
    """Append images of one operation, numbered from a position."""
    connection.executemany(
        _INSERT_IMAGE,
        (
            (seq, at, image.entity, image.key, _encoded(image.before), _encoded(image.after))
            for at, image in enumerate(images, position)
        ),
    )


def add_new_memories(connection: apsw.Connection, seq: int, position: int, ids: Sequence[MemoryId]) -> None:
    """Append the images of memories that were just inserted; SQLite makes the rows itself."""
    connection.execute(
        "insert into journal_images (seq, position, entity, key, before, after)"
        f" select ?, ? + given.key, 'memory', m.id, null, {memories.AS_JSON}"
        " from json_each(?) given cross join memories m on m.id = given.value",
        (seq, position, to_json(ids)),
    )


def keep_vector(connection: apsw.Connection, seq: int, id: MemoryId, space: SpaceId, taken: Embedding) -> None:
    connection.execute(
        "insert or ignore into journal_vectors (seq, memory_id, space_id, vector, truncated) values (?, ?, ?, ?, ?)",
        (seq, id, space, taken.vector, int(taken.truncated)),
    )


def entries(
    connection: apsw.Connection,
    *,
    before: int | None = None,
    limit: int = 100,
    without: Iterable[Op] = (),
    actor: str | None = None,
) -> Iterator[JournalEntry]:
    """Yield the newest entries first, except some kinds; of one actor or of all."""
    for seq, at, op, who, reason in connection.execute(
        "select seq, at, op, actor, reason from journal where (?1 is null or seq < ?1)"
        " and op not in (select value from json_each(?3)) and (?4 is null or actor = ?4) order by seq desc limit ?2",
        (before, limit, to_json([str(op) for op in without]), actor),
    ):
        yield JournalEntry(seq, from_micros(at), Op(op), who, reason)


def actors(connection: apsw.Connection, without: Iterable[Op] = ()) -> dict[str, int]:
    """Return every actor with its number of entries."""
    found = connection.execute(
        "select actor, count(*) from journal where op not in (select value from json_each(?)) group by actor",
        (to_json([str(op) for op in without]),),
    )
    return {str(actor): int(count) for actor, count in found}


def touched(connection: apsw.Connection, seq: int, limit: int) -> tuple[int, list[MemoryId]]:
    """Return how many memories an operation changed, linked or unlinked, and the first of them."""
    count: Any = connection.execute(f"{_TOUCHED} select count(distinct id) from touched", (seq,)).get
    found = connection.execute(
        f"{_TOUCHED} select id from touched where id is not null group by id order by min(position) limit ?2",
        (seq, limit),
    )
    return int(count), [MemoryId(id) for (id,) in found]


def has_all_images(connection: apsw.Connection, seq: int) -> bool:
    """Return whether every image of an operation is still there; a purge removes some."""
    found = connection.execute(
        "select 1 from journal_images join journal using (seq) where seq = ? and not purged limit 1", (seq,)
    ).get
    return found is not None


def after(connection: apsw.Connection, seq: int, limit: int) -> Iterator[tuple[JournalEntry, list[MemoryId]]]:
    """Yield the entries after a number, oldest first, each with the memories that it changed."""
    for number, at, op, actor, reason, keys in connection.execute(
        "select seq, at, op, actor, reason, (select json_group_array(distinct cast(key as integer))"
        " from journal_images i where i.seq = j.seq and entity = 'memory')"
        " from journal j where seq > ? order by seq limit ?",
        (seq, limit),
    ):
        yield JournalEntry(number, from_micros(at), Op(op), actor, reason), from_json(keys)


def images(connection: apsw.Connection, seq: int) -> Iterator[Image]:
    for entity, key, before, after in connection.execute(
        "select entity, key, before, after from journal_images where seq = ? order by position", (seq,)
    ):
        yield Image(entity, key, _decoded(before), _decoded(after))


def all_images(connection: apsw.Connection) -> Iterator[Image]:
    """Yield every image, oldest first."""
    for entity, key, before, after in connection.execute(
        "select entity, key, before, after from journal_images order by seq, position"
    ):
        yield Image(entity, key, _decoded(before), _decoded(after))


def outcomes(connection: apsw.Connection, entity: str) -> Iterator[tuple[str, Row | None]]:
    """Yield the row that results from the images of each key: what the table must have now, None for a removed row."""
    current, outcome = "", None
    for key, before, after in connection.execute(
        "select key, before, after from journal_images where entity = ? order by key, seq, position", (entity,)
    ):
        if key != current:
            if current:
                yield current, outcome
            current, outcome = str(key), None
        changed = _decoded(after)
        outcome = changed if changed is None or before is None else {**(outcome or {}), **changed}
    if current:
        yield current, outcome


def undone(connection: apsw.Connection) -> set[int]:
    """Return the operations that are undone at present; an undo that was itself undone does not count."""
    found: set[int] = set()
    for seq, undoes in connection.execute("select seq, undoes from journal_undoes order by seq desc"):
        if seq not in found:
            found.add(int(undoes))
    return found


def note_undo(connection: apsw.Connection, seq: int, undoes: int) -> None:
    connection.execute("insert into journal_undoes (seq, undoes) values (?, ?)", (seq, undoes))


def undoes(connection: apsw.Connection, seq: int) -> list[int]:
    """Return the operations that one operation undid."""
    found = connection.execute("select undoes from journal_undoes where seq = ? order by undoes", (seq,))
    return [int(each) for (each,) in found]


def images_of(connection: apsw.Connection, entity: str, key: str) -> Iterator[tuple[JournalEntry, Image]]:
    """Yield every image of one row, oldest first, each with its operation."""
    for seq, at, op, actor, reason, before, after in connection.execute(
        "select seq, at, op, actor, reason, before, after from journal_images i join journal using (seq)"
        " where i.entity = ? and i.key = ? order by i.seq, i.position",
        (entity, key),
    ):
        yield (
            JournalEntry(seq, from_micros(at), Op(op), actor, reason),
            Image(entity, key, _decoded(before), _decoded(after)),
        )


def images_after(connection: apsw.Connection, moment: datetime) -> Iterator[Image]:
    """Yield every image of the operations after a moment, newest first."""
    for entity, key, before, after in connection.execute(
        "select entity, key, before, after from journal_images"
        f" where seq > {_LAST_BEFORE} order by seq desc, position desc",
        (to_micros(moment),),
    ):
        yield Image(entity, key, _decoded(before), _decoded(after))


def operations(connection: apsw.Connection) -> Iterator[JournalOperation]:
    """Yield the complete journal, oldest first."""
    spaces = dict(space_rows(connection))
    for seq, at, op, actor, reason, purged in connection.execute(
        "select seq, at, op, actor, reason, purged from journal order by seq"
    ):
        taken = tuple((id, spaces[space], embedding) for id, space, embedding in vectors(connection, seq))
        entry = JournalEntry(seq, from_micros(at), Op(op), actor, reason)
        changed = tuple(images(connection, seq))
        yield JournalOperation(entry, changed, tuple(undoes(connection, seq)), taken, bool(purged))


def insert_operation(connection: apsw.Connection, operation: JournalOperation, now: datetime) -> None:
    """Insert an operation of another store under its own number."""
    entry = operation.entry
    connection.execute(
        "insert into journal (seq, at, op, actor, reason, purged) values (?, ?, ?, ?, ?, ?)",
        (entry.seq, to_micros(entry.at), entry.op.value, entry.actor, entry.reason, int(operation.is_purged)),
    )
    add_images(connection, entry.seq, 0, operation.images)
    for undone in operation.undoes:
        note_undo(connection, entry.seq, undone)
    for id, space, embedding in operation.vectors:
        keep_vector(connection, entry.seq, id, ensure_space(connection, space, now), embedding)


def vectors(connection: apsw.Connection, seq: int) -> Iterator[tuple[MemoryId, SpaceId, Embedding]]:
    for id, space, vector, truncated in connection.execute(
        "select memory_id, space_id, vector, truncated from journal_vectors where seq = ?", (seq,)
    ):
        yield MemoryId(id), space, Embedding(vector, bool(truncated))


def vectors_after(connection: apsw.Connection, moment: datetime) -> Iterator[tuple[MemoryId, SpaceId, Embedding]]:
    """Return for each memory and space the vector of its text at a moment, if the next change of that text removed
    one."""
    for id, space, vector, truncated in connection.execute(
        f"""
        with changed as (
            select cast(key as integer) as memory_id, min(seq) as seq from journal_images
            where entity = 'memory' and seq > {_LAST_BEFORE} and before is not null
              and (after is null or before ->> 'content' is not null or before ->> 'entities' is not null)
            group by key
        )
        select memory_id, space_id, vector, truncated from journal_vectors join changed using (memory_id, seq)
        """,
        (to_micros(moment),),
    ):
        yield MemoryId(id), space, Embedding(vector, bool(truncated))


def _encoded(row: Row | None) -> str | None:
    return None if row is None else to_json(row)


def _decoded(text: str | None) -> Row | None:
    return None if text is None else from_json(text)
