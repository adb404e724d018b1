"""The tables `memories` and `tags`. The columns are the fields of the row format, so that SQLite can write images
itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import apsw

from core import text
from core.clock import from_micros, to_micros
from core.errors import UserError
from core.filter_fields import BEFORE, FLAG, FROM, ONE_OF
from core.filter_fields import FIELDS as FILTER_FIELDS
from core.model import Filter, Memory, MemoryId, Uid
from core.search_types import FIELDS
from core.store.json_text import from_json, strings, to_json
from core.store.records import Row
from core.store.row_format import MEMORY_FIELDS as COLUMNS
from core.store.row_format import memory_from_values, memory_values
from core.store.sqlite.rows import among

LAST_USED = "coalesce(m.last_accessed_at, m.created_at)"  # of `memories m`, as Memory.last_used_at

# The full-text fields and the fields of filters: a change of these changes what a search finds.
SEARCHED_COLUMNS = frozenset({*FIELDS, *(field.attribute for field in FILTER_FIELDS)})

# What only stages read, to score a memory.
RANKED_COLUMNS = frozenset({"confidence", "strength", "importance", "created_at", "last_accessed_at", "access_count"})

_TAGS = "(select json_group_array(tag order by position) from tags where memory_id = m.id)"
SELECT = f"select {', '.join(f'm.{column}' for column in COLUMNS)}, {_TAGS} from memories m"
_SELECT_SEARCHED = f"select m.id, m.content, m.summary, m.entities, m.files, {_TAGS} from memories m"
_NAMED = ", ".join(f"'{column}', m.{column}" for column in COLUMNS)
# A complete row as JSON, made by SQLite in a third of the time that Python takes.
AS_JSON = f"json_object({_NAMED}, 'tags', json({_TAGS}))"
_INSERT = f"insert into memories ({', '.join(COLUMNS)}) values ({', '.join('?' * len(COLUMNS))})"


def next_id(connection: apsw.Connection) -> MemoryId:
    """Return the id of the next new memory: one that was never used."""
    found: Any = connection.execute(
        "select max(coalesce((select max(id) from memories), 0),"
        " coalesce((select seq from sqlite_sequence where name = 'memories'), 0)) + 1"
    ).get
    if not isinstance(found, int):  # beyond the largest integer SQLite computes a float
        raise UserError("No id is left for a new memory; export the memories and import them into a new store.")
    return MemoryId(found)


def insert(connection: apsw.Connection, new: Sequence[Memory]) -> None:
    """Insert memories under their ids, with their tags."""
    # A list: creating each row between two inserts takes 5 % longer.
    connection.executemany(_INSERT, list(map(memory_values, new)))
    _insert_tags(connection, [(memory.id, memory.tags) for memory in new])


def has_uid(connection: apsw.Connection, uid: Uid) -> bool:
    return connection.execute("select 1 from memories where uid = ?", (uid,)).get is not None


def taken_uid(connection: apsw.Connection, new: Iterable[Memory]) -> Uid | None:
    """Return the first uid that another memory already has."""
    for memory in new:
        if connection.execute("select 1 from memories where uid = ? and id <> ?", (memory.uid, memory.id)).get:
            return memory.uid
    return None


def never_reuse_ids(connection: apsw.Connection) -> None:
    """Set the next ids above all that the journal mentions, including removed rows."""
    for table, entity in (("memories", "memory"), ("links", "link")):
        highest = connection.execute(
            "select max(cast(key as integer)) from journal_images where entity = ?", (entity,)
        ).get
        if highest is not None:
            connection.execute("delete from sqlite_sequence where name = ? and seq < ?", (table, highest))
            connection.execute(
                "insert into sqlite_sequence (name, seq) select ?1, ?2"
                " where not exists (select 1 from sqlite_sequence where name = ?1)",
                (table, highest),
            )


def update(connection: apsw.Connection, id: MemoryId, changed: Row) -> None:
    columns = {name: value for name, value in changed.items() if name != "tags"}
    if columns:
        assignments = ", ".join(f"{name} = :{name}" for name in columns)
        connection.execute(f"update memories set {assignments} where id = :id", {**columns, "id": id})
    if "tags" in changed:
        connection.execute("delete from tags where memory_id = ?", (id,))
        _insert_tags(connection, [(id, changed["tags"])])


def delete(connection: apsw.Connection, id: MemoryId) -> None:
    connection.execute("delete from tags where memory_id = ?", (id,))
    connection.execute("delete from memories where id = ?", (id,))


def rows(connection: apsw.Connection, where: str = "", bindings: Sequence[Any] = ()) -> Iterator[Row]:
    """Yield complete rows for `where …`, with their tags."""
    for *values, tags in connection.execute(f"{SELECT} {where}", tuple(bindings)):
        yield dict(zip(COLUMNS, values, strict=True), tags=from_json(tags))


def searched(connection: apsw.Connection, where: str = "", bindings: Sequence[Any] = ()) -> apsw.Cursor:
    """Return the id and the full-text fields of each row, unparsed: id, content, summary, entities, files and tags."""
    return connection.execute(f"{_SELECT_SEARCHED} {where}", tuple(bindings))


def found(connection: apsw.Connection, where: str = "", bindings: Sequence[Any] = ()) -> Iterator[Memory]:
    """Yield memories for `where …`."""
    for values in connection.execute(f"{SELECT} {where}", tuple(bindings)):
        yield memory_from_values(values, strings(values[-1]))


def get(connection: apsw.Connection, id: MemoryId) -> Memory | None:
    return next(found(connection, "where m.id = ?", (id,)), None)


def get_by_uid(connection: apsw.Connection, uid: Uid) -> Memory | None:
    return next(found(connection, "where m.uid = ?", (uid,)), None)


def of_ids(connection: apsw.Connection, ids: Iterable[MemoryId]) -> Iterator[Memory]:
    """Return those of the ids that exist."""
    some, asked = among("m.id", list(ids))
    return found(connection, f"where {some}", asked)


def same_content(connection: apsw.Connection, content: str) -> list[Memory]:
    # The index is on the first eight characters.
    where = "where substr(m.content_hash, 1, 8) = substr(?1, 1, 8) and m.content_hash = ?1"
    return list(found(connection, where, (text.content_hash(content),)))


def page(connection: apsw.Connection, wanted: Filter, before: MemoryId | None, limit: int) -> list[Memory]:
    """Return the newest memories that pass a filter, before an id."""
    fits, bindings = condition(wanted)
    where = f"where {fits} and (? is null or m.id < ?) order by m.id desc limit ?"
    return list(found(connection, where, (*bindings, before, before, limit)))


def after(connection: apsw.Connection, id: MemoryId, limit: int) -> list[Memory]:
    return list(found(connection, "where m.id > ? order by m.id limit ?", (id, limit)))


def ids(connection: apsw.Connection) -> list[MemoryId]:
    return [MemoryId(id) for (id,) in connection.execute("select id from memories order by id")]


def count(connection: apsw.Connection, wanted: Filter) -> int:
    fits, bindings = condition(wanted)
    return int(connection.execute(f"select count(*) from memories m where {fits}", bindings).get)


_COMPARED = {FROM: ">=", BEFORE: "<"}


def condition(wanted: Filter) -> tuple[str, list[Any]]:
    """Return a filter as SQL over `memories m`, with its bindings; `true` for an empty filter."""
    terms: list[str] = []
    bindings: list[Any] = []

    def one_of(column: str, values: Iterable[Any]) -> None:
        texts = [str(value) for value in values]
        if texts:
            terms.append(f"{column} in ({', '.join('?' * len(texts))})")
            bindings.extend(texts)

    for field in FILTER_FIELDS:
        values = getattr(wanted, field.name)
        if field.match == ONE_OF:
            one_of(f"m.{field.attribute}", values)
        elif field.match == FLAG and values is not None:
            terms.append(f"m.{field.attribute} = ?")
            bindings.append(int(values))
        elif field.match in _COMPARED and values is not None:
            terms.append(f"m.{field.attribute} {_COMPARED[field.match]} ?")
            bindings.append(to_micros(values))
    if wanted.tags:
        terms.append(f"m.id in (select memory_id from tags where tag in ({', '.join('?' * len(wanted.tags))}))")
        bindings.extend(wanted.tags)
    return " and ".join(terms) or "true", bindings


def fitting(connection: apsw.Connection, ids: Sequence[int], condition: str, bindings: Sequence[Any]) -> list[MemoryId]:
    """Return those of the ids that pass a filter's condition."""
    # SQLite keeps the order of a cross join; otherwise it may scan an index of the filter over all memories.
    found = connection.execute(
        f"select m.id from json_each(?) asked cross join memories m on m.id = asked.value where {condition}",
        (to_json(ids), *bindings),
    )
    return [MemoryId(id) for (id,) in found]


def fitting_each(
    connection: apsw.Connection, ids: Sequence[int], conditions: Sequence[tuple[str, Sequence[Any]]]
) -> list[tuple[int, ...]]:
    """Return those of the ids that exist, each with whether it passes each of several conditions."""
    asked = ", ".join(f"({condition})" for condition, _ in conditions)
    bindings = [value for _, own in conditions for value in own]
    some, among_them = among("m.id", ids)
    found: Any = connection.execute(
        f"select m.id, {asked} from memories m where {some}", (*bindings, *among_them)
    ).fetchall()
    return list(found)


def newest_created_at(connection: apsw.Connection) -> datetime | None:
    newest = connection.execute("select max(created_at) from memories").get
    return None if newest is None else from_micros(newest)


def predecessor(connection: apsw.Connection, memory: Memory) -> Memory | None:
    """Return the memory before this one in its session."""
    if not memory.session:
        return None
    where = (
        "where m.session = ? and m.session <> '' and m.collection = ? and (m.created_at, m.id) < (?, ?)"
        " order by m.created_at desc, m.id desc limit 1"
    )
    key = (memory.session, memory.collection, to_micros(memory.created_at), memory.id)
    return next(found(connection, where, key), None)


def session_neighbours(
    connection: apsw.Connection, ids: Iterable[MemoryId], wanted: Filter, steps: int
) -> dict[MemoryId, list[tuple[MemoryId, int]]]:
    """Return the memories next to each memory in its session and collection that pass the filter, with their distance.

    Memories created at the same moment, as by an import without times, have no order and are no neighbours.
    """
    fits, filters = condition(wanted)

    def nearest(comparison: str, order: str) -> str:
        # `m.session <> ''` is what lets SQLite use the partial index.
        return (
            "(select json_group_array(id) from (select m.id from memories m"
            " where m.session = at.session and m.session <> '' and m.collection = at.collection"
            f" and m.created_at {comparison} at.created_at and {fits}"
            f" order by m.created_at {order}, m.id {order} limit ?))"
        )

    rows = connection.execute(
        "with at (id, session, collection, created_at) as materialized"
        " (select m.id, m.session, m.collection, m.created_at from json_each(?) wanted cross join memories m"
        " where m.id = wanted.value and m.session <> '')"
        f" select id, {nearest('<', 'desc')}, {nearest('>', 'asc')} from at",
        (to_json(list(ids)), *filters, steps, *filters, steps),
    )
    return {
        MemoryId(id): [
            *((MemoryId(other), -step) for step, other in enumerate(from_json(before), 1)),
            *((MemoryId(other), step) for step, other in enumerate(from_json(after), 1)),
        ]
        for id, before, after in rows
    }


def count_accesses(connection: apsw.Connection, counted: Sequence[tuple[Row, MemoryId]]) -> None:
    """Set the fields that count accesses, of many memories."""
    connection.executemany(
        "update memories set last_accessed_at = ?, access_count = ?, return_count = ? where id = ?",
        [(row["last_accessed_at"], row["access_count"], row["return_count"], id) for row, id in counted],
    )


def _insert_tags(connection: apsw.Connection, tagged: Iterable[tuple[MemoryId, Sequence[str]]]) -> None:
    connection.executemany(
        "insert into tags (memory_id, position, tag) values (?, ?, ?)",
        [(id, position, tag) for id, tags in tagged for position, tag in enumerate(tags)],
    )
