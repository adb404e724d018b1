"""What is read into memory before anybody asks: enough, in step, and never of a small store."""

from __future__ import annotations

import random

import pytest

from core.changes import Op
from core.search_types import TextSearch
from core.store.quick import postings as postings_module
from core.store.quick import quick as quick_module
from core.store.quick import vocabulary
from core.store.sqlite import fulltext
from tests.support.quick import SPACE, WEIGHTS, matches, numbers, same_text, same_vectors
from tests.support.store_steps import add


@pytest.fixture
def large(monkeypatch):
    """Every store counts as too large for all of its words to be read."""
    monkeypatch.setattr(quick_module, "MAX_WORDS_READ_WHOLE", 0)


def test_every_word_is_read_before_anybody_asks_and_followed_from_then_on(quick_store):
    rng = random.Random(5)
    words = [f"w{n}" for n in range(30)]

    def some():
        return " ".join(rng.choices(words, k=rng.randint(1, 12)))

    known = [add(quick_store, some(), tags=[rng.choice(words)]) for _ in range(60)]
    with quick_store.read() as reader:
        reader.expect_questions(None)
    quick_store.wait_until_quick()
    postings = quick_store._quick._postings
    assert set(postings._whole) == set(fulltext.TABLES)
    assert not postings._lists
    for _ in range(40):
        with quick_store.transact(Op.EDIT, "test") as transaction:
            if len(known) > 20 and rng.random() < 0.3:
                transaction.remove_memory(known.pop(rng.randrange(len(known))).id)
            else:
                transaction.update_memory(rng.choice(known).id, {"content": some()})
        for stemmed in (False, True):
            same_text(quick_store, TextSearch(tuple(rng.sample(words, 3)), stemmed, WEIGHTS[0]))
    assert quick_store._quick._postings is postings


def test_what_changes_while_every_word_is_read_is_taken_in(quick_store, monkeypatch):
    for _ in range(5):
        add(quick_store, "alpha")
    read = vocabulary.Whole.read

    def overtaken(connection, table, as_of):
        whole = read(connection, table, as_of)
        add(quick_store, "alpha beta")
        matches(quick_store, TextSearch(("beta",), False, WEIGHTS[0]))  # takes the new memory in
        return whole

    monkeypatch.setattr(vocabulary.Whole, "read", overtaken)
    with quick_store.read() as reader:
        reader.expect_questions(None)
    quick_store.wait_until_quick()
    assert set(quick_store._quick._postings._whole) == set(fulltext.TABLES)
    for stemmed in (False, True):
        assert len(same_text(quick_store, TextSearch(("alpha", "beta"), stemmed, WEIGHTS[0]))) == 7


def test_of_a_large_store_the_words_that_most_memories_hold_are_read_before_anybody_asks(
    quick_store, large, monkeypatch
):
    monkeypatch.setattr(vocabulary, "_MAX_HELD", 2)
    for n in range(6):
        add(quick_store, "alpha " + "beta " * (n < 4) + "gamma " * (n < 2) + "delta")
    same_text(quick_store, TextSearch(("delta",), False, WEIGHTS[0]))
    quick_store.wait_until_quick()
    postings = quick_store._quick._postings
    assert set(postings._lists) == {(table, word) for table in fulltext.TABLES for word in ("alpha", "delta")}
    add(quick_store, "alpha beta")
    assert len(same_text(quick_store, TextSearch(("alpha",), False, WEIGHTS[0]))) == 7
    assert quick_store._quick._postings is postings


def test_where_there_is_no_room_for_all_the_words_that_most_memories_hold_of_either_table_come_first(
    quick_store, large, monkeypatch
):
    for n in range(6):
        add(quick_store, "alpha " + "beta " * (n < 4) + f"gamma{n} delta{n}")
    monkeypatch.setattr(postings_module, "_ENOUGH_BYTES", 850)  # four of such short lists
    with quick_store.read() as reader:
        reader.expect_questions(None)
    quick_store.wait_until_quick()
    held = set(quick_store._quick._postings._lists)
    assert held == {(table, word) for table in fulltext.TABLES for word in ("alpha", "beta")}


def test_a_word_that_changes_while_it_is_read_ahead_is_not_kept_as_it_was(quick_store, large, monkeypatch):
    search = TextSearch(("alpha",), False, WEIGHTS[0])
    for _ in range(5):
        add(quick_store, "alpha")
    read_word = postings_module.Postings.read_word

    def overtaken(postings, connection, table, word):
        monkeypatch.setattr(postings_module.Postings, "read_word", read_word)
        add(quick_store, "alpha too")
        matches(quick_store, TextSearch(("beta",), False, WEIGHTS[0]))  # takes the new memory in
        return read_word(postings, connection, table, word)

    with quick_store.read() as reader:
        monkeypatch.setattr(postings_module.Postings, "read_word", overtaken)
        reader.expect_questions(None)
    quick_store.wait_until_quick()
    assert len(same_text(quick_store, search)) == 6


def test_words_are_read_ahead_where_there_are_no_vectors(quick_store):
    add(quick_store, "alpha")
    with quick_store.read() as reader:
        reader.expect_questions(None)
    quick_store.wait_until_quick()
    assert quick_store._quick._postings.holds("fulltext", "alpha")


def test_whoever_expects_questions_is_answered_from_memory_from_the_first_on(quick_store):
    rng = random.Random(3)
    for n in range(20):
        add(quick_store, f"alpha {n}", {SPACE: numbers(rng)})
    with quick_store.read() as reader:
        reader.expect_questions(SPACE)
    quick_store.wait_until_quick()
    assert list(quick_store._quick._signs) == [1]
    assert quick_store._quick._postings.holds("fulltext", "alpha")
    same_vectors(quick_store, numbers(rng).vector, SPACE)


def test_expecting_questions_reads_nothing_of_a_small_store(store):
    add(store, "alpha")
    with store.read() as reader:
        reader.expect_questions(SPACE)
    assert store._quick is None


def test_no_more_is_read_ahead_than_leaves_room_for_what_will_be_asked(quick_store, large, monkeypatch):
    monkeypatch.setattr(postings_module, "_ENOUGH_BYTES", 500)
    add(quick_store, " ".join(f"word{n}" for n in range(50)))
    same_text(quick_store, TextSearch(("word7",), False, WEIGHTS[0]))
    quick_store.wait_until_quick()
    assert 500 <= quick_store._quick._postings._bytes < 1_000
