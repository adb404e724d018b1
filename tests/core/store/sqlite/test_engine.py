"""What only the SQLite engine has: batches of rows, a connection for each thread, a file that can be replaced."""

from __future__ import annotations

import gc
import threading

import pytest
from store_steps import SPACE, add, in_step, vector

from core import draft
from core.changes import Op
from core.errors import CannotOpen
from core.progress import Cancelled
from core.store.sqlite import writer
from core.store.sqlite.engine import SqliteStore


def test_more_memories_than_are_written_at_once_are_one_operation(store, monkeypatch):
    monkeypatch.setattr(writer, "MAX_PENDING", 7)
    with store.transact(Op.IMPORT, "test") as transaction:
        saved = [
            transaction.add_memory(
                draft.memory({"content": f"number {n}"}, transaction.now), {SPACE: vector(n, 1, 0, 0)}
            )
            for n in range(40)
        ]
    with store.read() as reader:
        assert list(reader.memories(memory.id for memory in saved).values()) == saved
        assert [image.key for image in reader.images(transaction.changes.seq)] == [str(memory.id) for memory in saved]
    assert in_step(store)


def test_the_connections_of_threads_that_ended_are_let_go(store):
    def look() -> None:
        with store.read() as reader:
            reader.count()

    for _ in range(30):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    gc.collect()
    assert len(store._readers) <= 2


def test_a_file_that_is_replaced_while_open_is_not_written_to(store, tmp_path):
    add(store)
    SqliteStore.create(tmp_path / "other.db", backups=tmp_path / "backups").close()
    (tmp_path / "other.db").replace(store.path)
    with pytest.raises(CannotOpen, match="replaced while it was open"):
        add(store)
    with pytest.raises(CannotOpen, match="replaced while it was open"), store.read():
        pass


def test_a_read_that_is_no_longer_wanted_is_given_up_and_the_next_is_not(store):
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    looks = iter((True, True, False))
    with pytest.raises(Cancelled), store.stoppable(lambda: next(looks)), store.read() as reader:
        reader._connection.execute(endless).fetchall()
    with store.read() as reader:
        assert reader.count() == 0
