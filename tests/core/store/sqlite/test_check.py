"""The check finds what is out of step, and repair mends what can be made again."""

from __future__ import annotations

import math
import struct
import threading

import apsw
import pytest

from core import draft
from core.changes import Op
from core.errors import UserError
from core.model import Embedding, Space
from core.progress import Cancelled
from core.store.records import Problem
from core.store.sqlite import vectors
from core.store.sqlite.engine import SqliteStore

SPACE = Space("test/four", "1", 4, "abc", "content")
FIELDS = "content, summary, entities, files, tags"


@pytest.fixture
def filled(store) -> SqliteStore:
    with store.transact(Op.REMEMBER, "test") as transaction:
        for n in range(20):
            memory = draft.memory({"content": f"memory {n}"}, store.clock.now())
            transaction.add_memory(memory, {SPACE: Embedding(struct.pack("<4f", 1, n, 0, 0))})
    return store


def behind_the_stores_back(store: SqliteStore, sql: str) -> None:
    with store.transact(Op.EDIT, "vandal") as transaction:
        transaction.reader()._connection.execute(sql)


def problems(store: SqliteStore) -> list[Problem]:
    return [finding.problem for finding in store.check()]


@pytest.mark.parametrize(
    ("vandalism", "problem"),
    [
        ("delete from fulltext where rowid = 3", Problem.FULLTEXT_DRIFT),
        ("delete from fulltext_stemmed where rowid = 3", Problem.FULLTEXT_DRIFT),
        ("insert into fulltext (rowid, content) values (99, 'ghost')", Problem.FULLTEXT_DRIFT),
        ("insert into fulltext_state values (99, x'00')", Problem.FULLTEXT_DRIFT),
        (
            f"insert or replace into fulltext (rowid, {FIELDS}) values (3, 'zzz', '', '', '', '')",
            Problem.FULLTEXT_DRIFT,
        ),
        ("drop table fulltext_stemmed", Problem.FULLTEXT_DRIFT),
        ("drop table vectors_1", Problem.VECTOR_DRIFT),
        ("update vectors_1_vector_chunks00 set vectors = zeroblob(length(vectors))", Problem.VECTOR_DRIFT),
        ("delete from vectors_1 where memory_id = 3", Problem.VECTOR_DRIFT),
        ("delete from embedded where memory_id = 3", Problem.VECTOR_DRIFT),
        ("insert into vectors_1 values (99, '[1, 2, 3, 4]')", Problem.VECTOR_DRIFT),
    ],
)
def test_drift_is_found_and_mended(filled, vandalism, problem):
    assert problems(filled) == []
    behind_the_stores_back(filled, vandalism)
    assert problems(filled) == [problem]
    with filled.transact(Op.REPAIR, "test") as transaction:
        transaction.rebuild_derived()
    assert problems(filled) == []
    with filled.read() as reader:
        assert len(reader.matching("memory")) == 20
        assert (reader.count_not_embedded(SPACE) > 0) == (problem is Problem.VECTOR_DRIFT and "99" not in vandalism)


UNUSABLE = {
    "zeros": (0, 0, 0, 0),
    "not a number": (1, math.nan, 0, 0),
    "infinite": (1, math.inf, 0, 0),
    "too long": (1e30, 1e30, 0, 0),
}


@pytest.mark.parametrize("numbers", UNUSABLE.values(), ids=UNUSABLE)
def test_a_vector_that_can_be_compared_with_none_is_refused_found_and_mended(filled, numbers):
    bad = Embedding(struct.pack("<4f", *numbers))
    memory = draft.memory({"content": "new"}, filled.clock.now())
    with (
        pytest.raises(UserError, match="all zeros or not finite"),
        filled.transact(Op.REMEMBER, "test") as transaction,
    ):
        transaction.add_memory(memory, {SPACE: bad})
    with pytest.raises(UserError, match="all zeros or not finite"), filled.transact(Op.EMBED, "test") as transaction:
        transaction.put_embedding(3, SPACE, bad)
    assert problems(filled) == []
    with filled.transact(Op.EDIT, "an earlier version") as transaction:
        vectors.put(transaction.reader()._connection, 1, 3, bad, transaction.now)
    (finding,) = filled.check()
    assert (finding.problem, finding.can_be_repaired, finding.ids) == (Problem.UNUSABLE_VECTORS, True, (3,))
    assert "test/four: the vector is all zeros or not finite (3)" in finding.sentence
    with filled.transact(Op.REPAIR, "test") as transaction:
        transaction.rebuild_derived()
    assert problems(filled) == []
    with filled.read() as reader:
        assert [each.id for each in reader.not_embedded(SPACE, limit=5)] == [3]


def test_taking_back_a_change_does_not_bring_an_unusable_vector_back(filled):
    with filled.transact(Op.EDIT, "an earlier version") as transaction:
        vectors.put(transaction.reader()._connection, 1, 3, Embedding(bytes(16)), transaction.now)
    with filled.transact(Op.EDIT, "test") as transaction:
        transaction.update_memory(3, {"content": "changed"})
    with filled.transact(Op.UNDO, "test") as undoing:
        undoing.undo([transaction.changes.seq])
    with filled.read() as reader:
        assert reader.memory(3).content == "memory 2"
        assert reader.embedding(3, SPACE) is None


@pytest.mark.parametrize(
    "vandalism",
    [
        "update memories set confidence = 0.1 where id = 3",
        "update memories set content_hash = 'x' where id = 3",
        "delete from journal_images where key = '3'",
        "insert into tags values (3, 0, 'sneaked in')",
    ],
)
def test_a_row_changed_behind_the_journals_back_is_found(filled, vandalism):
    behind_the_stores_back(filled, vandalism)
    findings = {finding.problem: finding for finding in filled.check()}
    assert "(3)" in findings[Problem.JOURNAL_DRIFT].sentence
    assert not findings[Problem.JOURNAL_DRIFT].can_be_repaired


def test_a_damaged_full_text_index_does_not_make_the_store_read_only_and_is_mended(filled, tmp_path):
    filled.close()
    connection = apsw.Connection(str(filled.path))
    connection.execute("delete from fulltext_data where id = 10")
    connection.close()
    with SqliteStore.open(filled.path, backups=tmp_path / "backups") as store:
        assert store.read_only_because == ""
        assert Problem.FULLTEXT_DRIFT in problems(store)
        with store.transact(Op.REPAIR, "test") as transaction:
            transaction.rebuild_derived()
        assert problems(store) == []


def test_a_check_while_others_write_raises_no_false_alarm(filled):
    stop = threading.Event()

    def write() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            with filled.transact(Op.REMEMBER, "writer") as transaction:
                memory = transaction.add_memory(draft.memory({"content": f"memory {n}"}, transaction.now))
                transaction.update_memory(memory.id, {"content": f"edited {n}"})

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert [filled.check() for _ in range(5)] == [[]] * 5
    finally:
        stop.set()
        writer.join()


def test_a_reference_to_nothing_is_found_and_not_called_mendable(filled):
    connection = filled._write_connection
    connection.execute("pragma foreign_keys = off; insert into tags values (99, 0, 'x'); pragma foreign_keys = on")
    (finding,) = filled.check()
    assert (finding.problem, finding.can_be_repaired) == (Problem.BROKEN_REFERENCES, False)
    assert "tags" in finding.sentence


def test_a_finding_names_the_memories(filled):
    behind_the_stores_back(filled, "delete from fulltext where rowid in (3, 5)")
    (finding,) = filled.check()
    assert finding.sentence == "2 memories and the full-text index disagree (3, 5)."


def test_every_space_is_looked_at(filled):
    other = Space("test/two", "1", 2, "x", "content")
    with filled.transact(Op.EMBED, "test") as transaction:
        transaction.put_embedding(1, other, Embedding(struct.pack("<2f", 1, 0)))
    behind_the_stores_back(filled, f"delete from {vectors.table(2)}")
    (finding,) = filled.check()
    assert "test/two" in finding.sentence


def test_a_check_that_is_no_longer_wanted_is_given_up(filled):
    with pytest.raises(Cancelled), filled.stoppable(lambda: False):
        filled.check()
    assert filled.check() == []
