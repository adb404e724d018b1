"""What is read into memory before anybody asks: enough, in step, and never of a small store."""

from __future__ import annotations

import random

from core.search import TextSearch
from core.store.quick import postings as postings_module
from core.store.sqlite import fulltext
from tests.support.quick import SPACE, WEIGHTS, matches, numbers, same_text, same_vectors
from tests.support.store_steps import add


def test_the_words_that_most_memories_hold_are_read_before_anybody_asks(quick_store, monkeypatch):
    monkeypatch.setattr(postings_module, "_READ_AHEAD", 2)
    for n in range(6):
        add(quick_store, "alpha " + "beta " * (n < 4) + "gamma " * (n < 2) + "delta")
    same_text(quick_store, TextSearch(("delta",), False, WEIGHTS[0]))
    quick_store.wait_until_quick()
    postings = quick_store._quick._postings
    assert set(postings._lists) == {(table, word) for table in fulltext.TABLES for word in ("alpha", "delta")}
    add(quick_store, "alpha beta")
    assert len(same_text(quick_store, TextSearch(("alpha",), False, WEIGHTS[0]))) == 7
    assert quick_store._quick._postings is postings


def test_a_word_that_changes_while_it_is_read_ahead_is_not_kept_as_it_was(quick_store, monkeypatch):
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
    assert ("fulltext", "alpha") in quick_store._quick._postings._lists


def test_whoever_expects_questions_is_answered_from_memory_from_the_first_on(quick_store):
    rng = random.Random(3)
    for n in range(20):
        add(quick_store, f"alpha {n}", {SPACE: numbers(rng)})
    with quick_store.read() as reader:
        reader.expect_questions(SPACE)
    quick_store.wait_until_quick()
    assert list(quick_store._quick._signs) == [1]
    assert ("fulltext", "alpha") in quick_store._quick._postings._lists
    same_vectors(quick_store, numbers(rng).vector, SPACE)


def test_expecting_questions_reads_nothing_of_a_small_store(store):
    add(store, "alpha")
    with store.read() as reader:
        reader.expect_questions(SPACE)
    assert store._quick is None


def test_no_more_is_read_ahead_than_leaves_room_for_what_will_be_asked(quick_store, monkeypatch):
    monkeypatch.setattr(postings_module, "_ENOUGH_BYTES", 500)
    add(quick_store, " ".join(f"word{n}" for n in range(50)))
    same_text(quick_store, TextSearch(("word7",), False, WEIGHTS[0]))
    quick_store.wait_until_quick()
    assert 500 <= quick_store._quick._postings._bytes < 1_000
