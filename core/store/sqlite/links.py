"""The table `links`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import apsw

from core.model import Link, LinkId, LinkKind, MemoryId
from core.store.json_text import to_json
from core.store.records import Row
from core.store.row_format import LINK_FIELDS as COLUMNS
from core.store.row_format import link_from_row, link_to_row

_INSERT = f"insert into links ({', '.join(COLUMNS)}) values ({', '.join(f':{column}' for column in COLUMNS)})"


def insert(connection: apsw.Connection, link: Link) -> Link:
    connection.execute(_INSERT, link_to_row(link))
    return replace(link, id=LinkId(connection.last_insert_rowid()))


def update(connection: apsw.Connection, id: LinkId, changed: Row) -> None:
    assignments = ", ".join(f"{name} = :{name}" for name in changed)
    connection.execute(f"update links set {assignments} where id = :id", {**changed, "id": id})


def delete(connection: apsw.Connection, id: LinkId) -> None:
    connection.execute("delete from links where id = ?", (id,))


def rows(connection: apsw.Connection, where: str = "", bindings: Sequence[Any] = ()) -> Iterator[Row]:
    for values in connection.execute(f"select {', '.join(COLUMNS)} from links {where}", tuple(bindings)):
        yield dict(zip(COLUMNS, values, strict=True))


def found(connection: apsw.Connection, where: str, bindings: Sequence[Any]) -> list[Link]:
    """Return links for `where …`, the oldest first."""
    return [link_from_row(row) for row in rows(connection, f"{where} order by id", bindings)]


def get(connection: apsw.Connection, id: LinkId) -> Link | None:
    return next(iter(found(connection, "where id = ?", (id,))), None)


def of_kind(connection: apsw.Connection, kind: LinkKind) -> list[Link]:
    return found(connection, "where kind = ?", (kind.value,))


def count(connection: apsw.Connection) -> int:
    return int(connection.execute("select count(*) from links").get)


def from_memory(connection: apsw.Connection, id: MemoryId) -> list[Link]:
    return found(connection, "where source_id = ?", (id,))


def of_memory(connection: apsw.Connection, id: MemoryId) -> list[Link]:
    """Return links from a memory and links to it."""
    return found(connection, "where source_id = ?1 or target_id = ?1", (id,))


def around(connection: apsw.Connection, ids: Iterable[MemoryId], kinds: Iterable[LinkKind]) -> list[Link]:
    """Return links of some kinds with at least one end among the ids."""
    where = (
        "where kind in (select value from json_each(?2)) and id in ("
        " select id from links where source_id in (select value from json_each(?1))"
        " union select id from links where target_id in (select value from json_each(?1)))"
    )
    return found(connection, where, (to_json(sorted(ids)), to_json([str(kind) for kind in kinds])))


def is_there(connection: apsw.Connection, link: Link) -> bool:
    """Return whether the same two memories are linked by the same kind."""
    key = (link.source_id, link.target_id, link.kind.value)
    return connection.execute("select 1 from links where (source_id, target_id, kind) = (?, ?, ?)", key).get is not None


def most_linked(connection: apsw.Connection, limit: int) -> list[tuple[MemoryId, int]]:
    """Return the memories with the most links that are not dismissed, and how many."""
    found = connection.execute(
        "select id, count(*) from (select source_id as id from links where status <> 'dismissed'"
        " union all select target_id from links where status <> 'dismissed')"
        " join memories using (id) where memories.status <> 'deleted' group by id order by 2 desc, 1 limit ?",
        (limit,),
    )
    return [(MemoryId(id), int(count)) for id, count in found]
