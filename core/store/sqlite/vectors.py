"""Vectors: one vec0 table for each space, and the table `embedded` of which memory has a vector in which space.

Invariant: a stored vector is the vector of the memory's present text. A change of the text removes its vectors in the
same transaction, so "not embedded" is the only state that the background work searches for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import apsw

from core.clock import to_micros
from core.model import Embedding, MemoryId, Space
from core.store.json_text import to_json
from core.store.records import SpaceUse
from core.store.sqlite import shadow_tables

SpaceId = int

# Vectors of a chunk: few enough that one of them is read fast, enough that reading all of them is fast too.
_CHUNK = 16


def space_id(connection: apsw.Connection, space: Space) -> SpaceId | None:
    found = connection.execute(
        "select id from spaces where (model, revision, dimension, file_hash, recipe) = (?, ?, ?, ?, ?)",
        _key(space),
    ).get
    return None if found is None else int(found)


def ensure_space(connection: apsw.Connection, space: Space, now: datetime) -> SpaceId:
    known = space_id(connection, space)
    if known is not None:
        return known
    connection.execute(
        "insert into spaces (model, revision, dimension, file_hash, recipe, created_at) values (?, ?, ?, ?, ?, ?)",
        (*_key(space), to_micros(now)),
    )
    created = connection.last_insert_rowid()
    _create_table(connection, created, space.dimension)
    return created


def spaces(connection: apsw.Connection) -> Iterator[tuple[SpaceId, Space]]:
    for id, *key in connection.execute("select id, model, revision, dimension, file_hash, recipe from spaces"):
        yield id, Space(*key)


def uses(connection: apsw.Connection) -> list[SpaceUse]:
    found = []
    for id, space in spaces(connection):
        count, truncated = connection.execute(
            "select count(*), coalesce(sum(truncated), 0) from embedded where space_id = ?", (id,)
        ).get
        found.append(SpaceUse(space, count, truncated))
    return found


def is_usable(connection: apsw.Connection, vector: bytes) -> bool:
    """Return whether a cosine to this vector exists: not if it is all zeros, not finite, or too long or short for a
    float32. Computed by the function that searches; one vector without cosines makes it drop others that are near."""
    return bool(connection.execute("select vec_distance_cosine(?1, ?1) is not null", (vector,)).get)


def unusable(connection: apsw.Connection, space: SpaceId) -> set[MemoryId]:
    """Return the memories of a space whose vector cannot be compared with any other."""
    try:
        found = connection.execute(
            f"select memory_id from {table(space)} where vec_distance_cosine(embedding, embedding) is null"
        )
        return {MemoryId(id) for (id,) in found}
    except (apsw.SQLError, apsw.CorruptError):  # which `drifted` reports
        return set()


def table(space: SpaceId) -> str:
    return f"vectors_{space}"


def put(connection: apsw.Connection, space: SpaceId, id: MemoryId, embedding: Embedding, now: datetime) -> None:
    # vec0 has no "insert or replace": delete an existing one first.
    if connection.execute("select 1 from embedded where space_id = ? and memory_id = ?", (space, id)).get:
        connection.execute(f"delete from {table(space)} where memory_id = ?", (id,))
        connection.execute("delete from embedded where space_id = ? and memory_id = ?", (space, id))
    add(connection, space, [(id, embedding)], now)


def add(
    connection: apsw.Connection, space: SpaceId, embedded: Sequence[tuple[MemoryId, Embedding]], now: datetime
) -> None:
    """Add vectors of memories that have none in the space."""
    given = [(id, embedding.vector) for id, embedding in embedded]
    insert = partial(_insert, connection, space)
    is_known = len(given) > _CHUNK and connection.execute("select vec_version()").get == shadow_tables.KNOWN_VEC0
    written = shadow_tables.write_chunks(connection, table(space), given, insert) if is_known else 0
    insert(given[written:])
    at = to_micros(now)
    connection.executemany(
        "insert into embedded (space_id, memory_id, truncated, digest, embedded_at) values (?, ?, ?, ?, ?)",
        [(space, id, int(each.truncated), _digest(each.vector), at) for id, each in embedded],
    )


def _insert(connection: apsw.Connection, space: SpaceId, given: Sequence[tuple[int, bytes]]) -> None:
    connection.executemany(f"insert into {table(space)} (memory_id, embedding) values (?, ?)", given)


def take(connection: apsw.Connection, id: MemoryId) -> list[tuple[SpaceId, Embedding]]:
    """Remove the vectors of a memory from every space and return them."""
    taken = []
    booked: list[Any] = connection.execute(
        "select space_id, truncated from embedded where memory_id = ?", (id,)
    ).fetchall()
    for space, truncated in booked:
        vector = connection.execute(f"select embedding from {table(space)} where memory_id = ?", (id,)).get
        taken.append((space, Embedding(vector, bool(truncated))))
        connection.execute(f"delete from {table(space)} where memory_id = ?", (id,))
    connection.execute("delete from embedded where memory_id = ?", (id,))
    return taken


def get(connection: apsw.Connection, space: SpaceId, id: MemoryId) -> Embedding | None:
    truncated = connection.execute(
        "select truncated from embedded where space_id = ? and memory_id = ?", (space, id)
    ).get
    if truncated is None:
        return None
    vector = connection.execute(f"select embedding from {table(space)} where memory_id = ?", (id,)).get
    return Embedding(vector, bool(truncated))


def read_all(connection: apsw.Connection, space: SpaceId) -> Iterator[tuple[MemoryId, Embedding]]:
    for id, truncated, vector in connection.execute(
        f"select e.memory_id, e.truncated, v.embedding from embedded e join {table(space)} v using (memory_id)"
        " where e.space_id = ? order by e.memory_id",
        (space,),
    ):
        yield MemoryId(id), Embedding(vector, bool(truncated))


def sample(connection: apsw.Connection, space: SpaceId, most: int) -> dict[MemoryId, bytes]:
    """Return at most so many vectors of a space, evenly from the first memory to the last, always the same."""
    booked: list[Any] = connection.execute(
        "select memory_id from embedded where space_id = ? order by memory_id", (space,)
    ).fetchall()
    step = max(1.0, len(booked) / most)
    taken = [booked[int(number * step)][0] for number in range(min(most, len(booked)))]
    found = connection.execute(
        f"select memory_id, embedding from {table(space)} where memory_id in (select value from json_each(?))",
        (to_json(taken),),
    )
    return {MemoryId(id): bytes(vector) for id, vector in found}


def pending(connection: apsw.Connection, space: SpaceId | None, after: MemoryId, limit: int) -> list[MemoryId]:
    """Return memories not embedded in a space yet, by id."""
    found = connection.execute(
        "select id from memories m where id > ? and status <> 'deleted' and not exists"
        " (select 1 from embedded where space_id = ? and memory_id = m.id) order by id limit ?",
        (after, space, limit),
    )
    return [MemoryId(id) for (id,) in found]


def count(connection: apsw.Connection, space: SpaceId) -> int:
    return int(connection.execute("select count(*) from embedded where space_id = ?", (space,)).get)


def count_pending(connection: apsw.Connection, space: SpaceId | None) -> int:
    return _count_not_embedded(connection, space, "<> 'deleted'")


def count_forgotten(connection: apsw.Connection, space: SpaceId | None) -> int:
    """Return how many memories without a vector are forgotten; much faster than counting those that wait, since few are
    forgotten."""
    return _count_not_embedded(connection, space, "= 'deleted'")


def _count_not_embedded(connection: apsw.Connection, space: SpaceId | None, status: str) -> int:
    return int(
        connection.execute(
            f"select count(*) from memories m where status {status} and not exists"
            " (select 1 from embedded where space_id = ? and memory_id = m.id)",
            (space,),
        ).get
    )


def drifted(connection: apsw.Connection, space: SpaceId) -> set[MemoryId]:
    """Return the memories for which `embedded`, the vectors and the memories of a space disagree."""
    book: Any = connection.execute("select memory_id, digest from embedded where space_id = ?", (space,))
    booked: dict[MemoryId, bytes] = dict(book)
    memories = {id for (id,) in connection.execute("select id from memories")}
    try:
        rowids = shadow_tables.vector_ids(connection, table(space))
        vectors: Any = connection.execute(f"select memory_id, embedding from {table(space)}").fetchall()
        stored = {MemoryId(id): _digest(vector) for id, vector in vectors}
    except (apsw.SQLError, apsw.CorruptError):  # the table itself is missing or broken
        return set(booked)
    changed = {id for id in booked if stored.get(id) != booked[id]}
    return changed | (booked.keys() ^ rowids) | (booked.keys() ^ stored.keys()) | (booked.keys() - memories)


def repair(connection: apsw.Connection, space: SpaceId) -> None:
    """Delete what is inconsistent or cannot be compared, which is then embedded again; an unusable table is created
    again."""
    wrong = drifted(connection, space) | unusable(connection, space)
    try:
        for id in wrong:
            connection.execute(f"delete from {table(space)} where memory_id = ?", (id,))
    except (apsw.SQLError, apsw.CorruptError):
        shadow_tables.drop_vec0(connection, table(space))
        dimension = int(connection.execute("select dimension from spaces where id = ?", (space,)).get)
        _create_table(connection, space, dimension)
        wrong = {id for (id,) in connection.execute("select memory_id from embedded where space_id = ?", (space,))}
    connection.executemany(
        "delete from embedded where space_id = ? and memory_id = ?", ((space, id) for id in sorted(wrong))
    )


def _create_table(connection: apsw.Connection, space: SpaceId, dimension: int) -> None:
    connection.execute(
        f"create virtual table {table(space)} using vec0("
        f"memory_id integer primary key, embedding float[{int(dimension)}] distance_metric=cosine, chunk_size={_CHUNK})"
    )


def _digest(vector: bytes) -> bytes:
    return hashlib.blake2b(vector, digest_size=8).digest()


def _key(space: Space) -> tuple[str, str, int, str, str]:
    return (space.model, space.revision, space.dimension, space.file_hash, space.recipe)
