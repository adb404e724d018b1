"""Reads and writes the tables in which FTS5 and vec0 keep their data; no other module knows them.

Reading them in bulk is many times faster than querying FTS5 or vec0 row by row, and writing complete vec0 chunks takes
a quarter of the time. For each of its tables FTS5 keeps `_data` (where record 1 has the totals), `_idx`, `_docsize` and
`_config`; vec0 keeps `_info`, `_chunks`, `_rowids` and `_vector_chunks00`. Imports no numpy, which most commands do not
need.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import apsw

from core.model import MemoryId
from core.store.sqlite.rows import among

# The version of vec0 whose chunks are written here; any other writes its own.
KNOWN_VEC0 = "v0.1.9"

# A location is where vec0 keeps a vector: the chunk's number, and in these lowest bits the offset within the chunk.
OFFSET_BITS = 32

_FTS5_ENDINGS = ("_data", "_idx", "_docsize", "_config")
_VEC0_ENDINGS = ("_info", "_chunks", "_rowids", "_vector_chunks00")


# FTS5


def text_totals(connection: apsw.Connection) -> list[int]:
    """Return the number of indexed rows, and the number of tokens in each column.

    Of an empty table FTS5 leaves the columns out.
    """
    return _varints(connection.execute("select block from fulltext_data where id = 1").get or b"") or [0]


def text_lengths(connection: apsw.Connection, ids: Sequence[int] | None = None) -> tuple[bytes, int, int, int]:
    """Return the number of tokens in each column of all rows, or of some, as varints one row after the other; and the
    number of rows, the lowest and the highest id."""
    some, asked = ("true", ()) if ids is None else among("id", ids)
    # As text only because SQLite joins nothing else: the bytes come back as they are.
    joined, count, first, last = connection.execute(
        "select cast(group_concat(cast(sz as text), '') as blob), count(*), min(id), max(id)"
        f" from fulltext_docsize where {some}",
        asked,
    ).get
    return joined or b"", count, first or 0, last or 0


def indexed_ids(connection: apsw.Connection, ids: Sequence[int] | None = None) -> str:
    """Return the ids of all rows, or of some, joined by commas."""
    some, asked = ("true", ()) if ids is None else among("id", ids)
    return connection.execute(f"select group_concat(id) from fulltext_docsize where {some}", asked).get or ""


def lengths_table(table: str) -> str:
    """Return the name of the table that has a row, with the key `id`, for each row of an FTS5 table."""
    return f"{table}_docsize"


def drop_fts5(connection: apsw.Connection, table: str) -> None:
    """Drop an FTS5 table with all that belongs to it, also where FTS5 itself no longer can."""
    for ending in ("", *_FTS5_ENDINGS):
        connection.execute(f"drop table if exists {table}{ending}")


def _varints(block: bytes) -> list[int]:
    """Decode SQLite's variable-length integers, seven bits a byte, the high bit set where more follow. For a few
    numbers; `cache_feed` decodes those of all memories at once."""
    found, value = [], 0
    for byte in block:
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            found.append(value)
            value = 0
    return found


# vec0


def vector_chunks(connection: apsw.Connection, table: str) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """Yield each chunk: its number, a bit for each place that is taken, the ids, and the vectors."""
    found: Iterator[Any] = connection.execute(
        f"select c.chunk_id, c.validity, c.rowids, v.vectors from {table}_chunks c"
        f" join {table}_vector_chunks00 v on v.rowid = c.chunk_id"
    )
    return found


def vector_places(connection: apsw.Connection, table: str, ids: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return chunk, offset and id of those of the ids that have a vector, in storage order."""
    some, asked = among("rowid", ids)
    found: Any = connection.execute(
        f"select chunk_id, chunk_offset, rowid from {table}_rowids where {some}", asked
    ).fetchall()
    return sorted(found)


def read_vectors(connection: apsw.Connection, table: str, dimension: int, locations: Iterable[int]) -> Iterator[bytes]:
    """Yield the vectors at some locations, given in storage order; those that lie side by side together, so that each
    run is one read."""
    size, blob, open_chunk = dimension * 4, None, None
    try:
        for first, last in _runs(locations):
            chunk, offset = first >> OFFSET_BITS, first & ((1 << OFFSET_BITS) - 1)
            if blob is None:
                blob = connection.blob_open("main", f"{table}_vector_chunks00", "vectors", chunk, False)
            elif chunk != open_chunk:
                blob.reopen(chunk)
            open_chunk = chunk
            blob.seek(offset * size)
            yield blob.read((last - first + 1) * size)
    finally:
        if blob is not None:
            blob.close()


def _runs(locations: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of those that follow one another without a gap."""
    first = last = None
    for location in locations:
        if last is not None and location == last + 1:
            last = location
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = location
    if first is not None and last is not None:
        yield first, last


def write_chunks(
    connection: apsw.Connection,
    table: str,
    given: Sequence[tuple[int, bytes]],
    insert: Callable[[Sequence[tuple[int, bytes]]], None],
) -> int:
    """Write as many of the vectors as fill whole chunks, and return how many that are; `insert` writes through vec0
    those that fill up the last chunk. Writing them where vec0 keeps them takes a quarter of its time."""
    last: Any = connection.execute(f"select size, validity from {table}_chunks order by chunk_id desc limit 1").get
    if last is None:  # vec0 shows the size of a chunk by its first
        insert(given[:1])
        return 1 + write_chunks(connection, table, given[1:], insert)
    size, validity = int(last[0]), bytes(last[1])  # a bit for each place of the chunk
    room = size - int.from_bytes(validity, "little").bit_count()
    insert(given[:room])
    places = []
    for start in range(room, len(given) - size + 1, size):
        ids, held = zip(*given[start : start + size], strict=True)
        connection.execute(
            f"insert into {table}_chunks (size, validity, rowids) values (?, ?, ?)",
            (size, b"\xff" * len(validity), struct.pack(f"<{size}q", *ids)),
        )
        chunk = connection.last_insert_rowid()
        connection.execute(
            f"insert into {table}_vector_chunks00 (_rowid_, rowid, vectors) values (?, ?, ?)",
            (chunk, chunk, b"".join(held)),
        )
        places += [(id, chunk, place) for place, id in enumerate(ids)]
    connection.executemany(f"insert into {table}_rowids (rowid, chunk_id, chunk_offset) values (?, ?, ?)", places)
    return min(room, len(given)) + len(places)


def vector_ids(connection: apsw.Connection, table: str) -> set[MemoryId]:
    """Return the ids that vec0 has a place for."""
    return {MemoryId(id) for (id,) in connection.execute(f"select rowid from {table}_rowids")}


def drop_vec0(connection: apsw.Connection, table: str) -> None:
    """Drop a vec0 table with all that belongs to it, also where vec0 itself no longer can."""
    for ending in ("", *_VEC0_ENDINGS):
        connection.execute(f"drop table if exists {table}{ending}")
