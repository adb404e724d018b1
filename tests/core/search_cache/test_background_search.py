"""Until vectors are in memory the engine searches in the background: same answers, same errors, stoppable."""

from __future__ import annotations

import random
import threading

import apsw
import pytest

from core.errors import Unavailable
from core.pipeline.query import Query
from core.pipeline.run import run
from core.profiles.inspector import INSPECTOR
from core.progress import Cancelled
from core.search_cache import background_loader, vector_index
from core.search_cache.background_search import THREAD_NAME
from core.search_types import TextSearch
from core.store.sqlite import search as search_module
from core.store.sqlite.cache_feed import SqliteCacheFeed
from tests.support.cached_search import ACTIVE, SPACE, WEIGHTS, numbers, writing_by_hand
from tests.support.store_steps import add

ALPHA = TextSearch(("alpha",), False, WEIGHTS[0])
ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"


@pytest.fixture
def filled(cached_store):
    """Twenty memories of which nothing is in memory."""
    rng = random.Random(5)
    for n in range(20):
        add(cached_store, f"alpha {n}", {SPACE: numbers(rng)})
    return cached_store


@pytest.fixture
def searched_by(monkeypatch):
    """The names of the threads that have searched the file for vectors."""
    names = []
    search_vectors = search_module.search_vectors

    def noted(*question):
        names.append(threading.current_thread().name)
        return search_vectors(*question)

    monkeypatch.setattr(search_module, "search_vectors", noted)
    return names


@pytest.fixture
def endless(monkeypatch):
    """A file in which a vector search never ends; set once one has begun."""
    begun = threading.Event()

    def search_vectors(connection, *_):
        begun.set()
        return connection.execute(ENDLESS).fetchall()

    monkeypatch.setattr(search_module, "search_vectors", search_vectors)
    return begun


def background_threads():
    return [each for each in threading.enumerate() if each.name == THREAD_NAME]


def asked():
    return numbers(random.Random(8)).vector


def test_the_first_answer_is_exact_and_its_vectors_were_searched_in_the_background(filled, searched_by):
    query = Query("alpha 3", filled.clock.now(), 10, ("alpha", "3"), ("alpha", "3"), asked(), SPACE, filter=ACTIVE)
    with filled.read() as reader:
        first = run(INSPECTOR, query, reader)
    assert searched_by == [THREAD_NAME]
    with filled.read(exact=True) as reader:
        exact = run(INSPECTOR, query, reader)
    assert [(each.id, each.value) for each in first.results] == [(each.id, each.value) for each in exact.results]
    assert [trace.found for trace in first.trace.sources] == [trace.found for trace in exact.trace.sources]
    assert searched_by[1:] == [threading.current_thread().name]  # an exact read asks the file itself


def test_no_background_search_begins_once_the_vectors_are_in_memory(filled, searched_by):
    with filled.read() as reader:
        reader.expect_questions(SPACE)
    filled.wait_for_search_cache()
    with filled.read() as reader:
        reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
        assert len(reader.search_vectors(asked(), SPACE, ACTIVE, 5)) == 5
    assert searched_by == []


def test_another_question_than_the_expected_one_gets_its_own_answer(filled):
    other = numbers(random.Random(9)).vector
    with filled.read() as reader:
        reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
        found = [reader.search_vectors(vector, SPACE, ACTIVE, limit) for vector, limit in ((other, 5), (asked(), 3))]
    with filled.read(exact=True) as reader:
        assert found == [
            reader.search_vectors(other, SPACE, ACTIVE, 5),
            reader.search_vectors(asked(), SPACE, ACTIVE, 3),
        ]


def test_a_background_search_does_not_find_what_was_written_after_the_snapshot(filled):
    with filled.read() as reader:
        assert reader.count() == 20
        new = add(filled, "alpha", {SPACE: numbers(random.Random(8))})  # the very vector that is asked for
        reader.expect_vectors(asked(), SPACE, ACTIVE, 20)
        found = [id for id, _ in reader.search_vectors(asked(), SPACE, ACTIVE, 20)]
    assert sorted(found) == list(range(1, 21))
    assert new.id == 21


def test_damaged_vectors_are_reported_with_the_same_error_as_by_the_file(filled):
    with writing_by_hand(filled) as connection:
        connection.execute("drop table vectors_1_vector_chunks00")
    messages = []
    for exact in (True, False):
        with filled.read(exact=exact) as reader:
            reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
            with pytest.raises(Unavailable) as error:
                reader.search_vectors(asked(), SPACE, ACTIVE, 5)
            messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_without_a_connection_for_the_background_search_the_caller_searches_itself(filled, searched_by, monkeypatch):
    def refused(*_, **__):
        raise apsw.CantOpenError

    with filled.read() as reader:
        reader.search_text(ALPHA, ACTIVE, 5)
        monkeypatch.setattr(SqliteCacheFeed, "connect", refused)
        reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
        assert len(reader.search_vectors(asked(), SPACE, ACTIVE, 5)) == 5
    assert searched_by == [threading.current_thread().name]


def test_a_file_that_has_just_replaced_the_store_is_not_searched_in_the_background(filled, searched_by):
    assert filled.empty_log()
    other = filled.path.with_name("other.db")
    with filled.read() as reader:
        exact = [id for id, _ in reader.search_vectors(asked(), SPACE, ACTIVE, 5)]
        other.write_bytes(filled.path.read_bytes())
        other.replace(filled.path)
        reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
        assert [id for id, _ in reader.search_vectors(asked(), SPACE, ACTIVE, 5)] == exact
    assert set(searched_by) == {threading.current_thread().name}


def test_a_background_search_that_was_not_asked_for_by_the_end_of_the_snapshot_is_stopped(filled, endless):
    with filled.read() as reader:
        reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
        assert endless.wait(30)
        assert len(reader.search_text(ALPHA, ACTIVE, 5)) == 5
        assert len(background_threads()) == 1
    assert background_threads() == []


def test_loading_vectors_lets_a_background_search_finish_first(filled, monkeypatch):
    search_vectors, may_end, order = search_module.search_vectors, threading.Event(), []

    def held_up(*question):
        assert may_end.wait(30)
        order.append("searched")
        return search_vectors(*question)

    read = vector_index.VectorIndex.read.__func__

    def noted(cls, *arguments):
        *rest, between = arguments

        def look():
            may_end.set()
            between()
            order.append("read")

        return read(cls, *rest, look)

    monkeypatch.setattr(search_module, "search_vectors", held_up)
    monkeypatch.setattr(vector_index.VectorIndex, "read", classmethod(noted))
    with filled.read() as reader:
        reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
        reader.expect_questions(SPACE)
        reader.search_text(ALPHA, ACTIVE, 5)
        filled.wait_for_search_cache()
    assert order[:2] == ["searched", "read"]


def test_vectors_are_loaded_to_the_end_however_many_background_searches_run(filled, endless, monkeypatch):
    monkeypatch.setattr(background_loader, "MAX_LET_PASS", 0)
    with filled.read() as reader:
        reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
        assert endless.wait(30)
        reader.expect_questions(SPACE)
        filled.wait_for_search_cache()
        assert len(reader.search_vectors(asked(), SPACE, ACTIVE, 5)) == 5  # from memory: the file would never answer
        assert len(background_threads()) == 1


def test_closing_the_store_stops_background_searches(filled, endless):
    def look():
        with filled.read() as reader:
            reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
            begun.set()
            assert may_end.wait(30)

    begun, may_end = threading.Event(), threading.Event()
    reading = threading.Thread(target=look)
    reading.start()
    assert begun.wait(30)
    assert endless.wait(30)
    filled._search_cache.close()
    assert background_threads() == []
    may_end.set()
    reading.join()
    filled.close()
    assert [each.name for each in filled.path.parent.glob("store.db*")] == ["store.db"]


def test_a_caller_that_waits_for_a_background_search_can_be_stopped(filled, endless):
    is_wanted = iter((True, True, False))
    with (
        pytest.raises(Cancelled),
        filled.stoppable(lambda: next(is_wanted)),
        filled.read() as reader,
    ):
        reader.expect_vectors(asked(), SPACE, ACTIVE, 5)
        reader.search_vectors(asked(), SPACE, ACTIVE, 5)
    assert background_threads() == []
    with filled.read() as reader:
        assert reader.count() == 20
