"""Vectors that are written many at once lie in the file as vec0 itself lays them."""

from __future__ import annotations

import struct
from datetime import UTC, datetime

import apsw
import pytest

from core.model import Embedding, MemoryId
from core.store.sqlite import migrate, shadow_tables, vectors
from core.store.sqlite.connection import prepare

NOW = datetime(2026, 11, 15, tzinfo=UTC)
SHADOWS = ("vectors_1_chunks", "vectors_1_rowids", "vectors_1_vector_chunks00", "sqlite_sequence")


@pytest.fixture(params=[8, 16, 1024])
def pair(request):
    """Two files alike, with an empty table of vectors in chunks of a size."""
    made = []
    for _ in range(2):
        connection = apsw.Connection(":memory:")
        prepare(connection)
        migrate.migrate(connection)
        connection.execute("pragma foreign_keys = off")  # there are only vectors here, no memories
        connection.execute(
            "create virtual table vectors_1 using vec0(memory_id integer primary key,"
            f" embedding float[2] distance_metric=cosine, chunk_size={request.param})"
        )
        made.append(connection)
    return made


def embedded(ids):
    return [(MemoryId(id), Embedding(struct.pack("<2f", id, 1))) for id in ids]


@pytest.mark.parametrize("portions", [(100,), (1, 99), (5, 16, 17, 200), (16, 32), (3000, 1)])
def test_vectors_added_together_lie_where_vec0_puts_them_one_by_one(pair, portions):
    together, one_by_one = pair
    first = 1
    for count in portions:
        some = embedded(range(first, first + count))
        vectors.add(together, 1, some, NOW)
        for each in some:
            vectors.add(one_by_one, 1, [each], NOW)
        for connection in pair:  # holes in chunks that are full and in the last one
            connection.execute("delete from vectors_1 where memory_id in (?, ?)", (first, first + count - 1))
        first += count
    for shadow in SHADOWS:
        written = [connection.execute(f"select * from {shadow} order by 1").fetchall() for connection in pair]
        assert written[0] == written[1], shadow


def test_vec0_finds_changes_and_takes_away_what_was_laid_for_it(pair):
    connection, _ = pair
    for start in (1, 51):
        vectors.add(connection, 1, embedded(range(start, start + 50)), NOW)
    vectors.put(connection, 1, MemoryId(70), Embedding(struct.pack("<2f", -1, 0)), NOW)
    vectors.take(connection, MemoryId(71))
    nearest = connection.execute(
        "select memory_id from vectors_1 where embedding match ? and k = 3", (struct.pack("<2f", -1, 0),)
    ).fetchall()
    assert nearest == [(70,), (1,), (2,)]
    assert connection.execute("select count(*), sum(memory_id) from vectors_1").get == (99, 5050 - 71)


def test_a_vec0_that_is_not_known_lays_its_vectors_down_itself(pair, monkeypatch):
    connection, _ = pair
    ours = []
    connection.exec_trace = lambda _, statement, __: ours.append(statement) or True
    monkeypatch.setattr(shadow_tables, "KNOWN_VEC0", "v99")
    vectors.add(connection, 1, embedded(range(1, 101)), NOW)
    assert not [statement for statement in ours if "_chunks" in statement]
    assert connection.execute("select count(*) from vectors_1").get == 100
