"""What is loaded before it is asked for: enough, up to date, and never of a small store."""

from __future__ import annotations

import random

import pytest

from core.changes import Op
from core.search_cache import background_loader, posting
from core.search_cache import postings as postings_module
from core.search_cache.feed import INDEXES, WORDS
from core.search_types import TextSearch
from tests.support.cached_search import SPACE, WEIGHTS, matches, numbers, same_text, same_vectors
from tests.support.store_steps import add


@pytest.fixture
def large(monkeypatch):
    """Every store counts as too large for its indexes to be read whole."""
    monkeypatch.setattr(background_loader, "MAX_TOKENS_READ_WHOLE", 0)


def test_all_postings_are_prefetched_and_kept_up_to_date(cached_store):
    rng = random.Random(5)
    words = [f"w{n}" for n in range(30)]

    def some():
        return " ".join(rng.choices(words, k=rng.randint(1, 12)))

    known = [add(cached_store, some(), tags=[rng.choice(words)]) for _ in range(60)]
    with cached_store.read() as reader:
        reader.expect_questions(None)
    cached_store.wait_for_search_cache()
    postings = cached_store._search_cache.contents.postings
    assert set(postings.full_indexes) == set(INDEXES)
    assert not postings._lists
    for _ in range(40):
        with cached_store.transact(Op.EDIT, "test") as transaction:
            if len(known) > 20 and rng.random() < 0.3:
                transaction.remove_memory(known.pop(rng.randrange(len(known))).id)
            else:
                transaction.update_memory(rng.choice(known).id, {"content": some()})
        for stemmed in (False, True):
            same_text(cached_store, TextSearch(tuple(rng.sample(words, 3)), stemmed, WEIGHTS[0]))
    assert cached_store._search_cache.contents.postings is postings


def test_a_change_made_while_all_postings_are_read_is_applied(cached_store, monkeypatch):
    for _ in range(5):
        add(cached_store, "alpha")
    read = posting.FullPostings.read

    def overtaken(snapshot, index, as_of):
        full = read(snapshot, index, as_of)
        add(cached_store, "alpha beta")
        matches(cached_store, TextSearch(("beta",), False, WEIGHTS[0]))  # takes the new memory in
        return full

    monkeypatch.setattr(posting.FullPostings, "read", overtaken)
    with cached_store.read() as reader:
        reader.expect_questions(None)
    cached_store.wait_for_search_cache()
    assert set(cached_store._search_cache.contents.postings.full_indexes) == set(INDEXES)
    for stemmed in (False, True):
        assert len(same_text(cached_store, TextSearch(("alpha", "beta"), stemmed, WEIGHTS[0]))) == 7


def test_of_a_large_store_the_most_frequent_tokens_are_prefetched(cached_store, large, monkeypatch):
    monkeypatch.setattr(background_loader, "MAX_PREFETCHED_TOKENS", 2)
    for n in range(6):
        add(cached_store, "alpha " + "beta " * (n < 4) + "gamma " * (n < 2) + "delta")
    same_text(cached_store, TextSearch(("delta",), False, WEIGHTS[0]))
    cached_store.wait_for_search_cache()
    postings = cached_store._search_cache.contents.postings
    assert set(postings._lists) == {(index, token) for index in INDEXES for token in ("alpha", "delta")}
    add(cached_store, "alpha beta")
    assert len(same_text(cached_store, TextSearch(("alpha",), False, WEIGHTS[0]))) == 7
    assert cached_store._search_cache.contents.postings is postings


def test_where_there_is_no_room_for_all_the_most_frequent_tokens_of_either_index_come_first(
    cached_store, large, monkeypatch
):
    for n in range(6):
        add(cached_store, "alpha " + "beta " * (n < 4) + f"gamma{n} delta{n}")
    monkeypatch.setattr(postings_module, "_MAX_PREFETCHED_BYTES", 850)  # four of such short lists
    with cached_store.read() as reader:
        reader.expect_questions(None)
    cached_store.wait_for_search_cache()
    held = set(cached_store._search_cache.contents.postings._lists)
    assert held == {(index, token) for index in INDEXES for token in ("alpha", "beta")}


def test_a_posting_list_that_changes_while_it_is_prefetched_is_not_kept_stale(cached_store, large, monkeypatch):
    search = TextSearch(("alpha",), False, WEIGHTS[0])
    for _ in range(5):
        add(cached_store, "alpha")
    read_list = postings_module.Postings.read_list

    def overtaken(postings, snapshot, index, token):
        monkeypatch.setattr(postings_module.Postings, "read_list", read_list)
        add(cached_store, "alpha too")
        matches(cached_store, TextSearch(("beta",), False, WEIGHTS[0]))  # takes the new memory in
        return read_list(postings, snapshot, index, token)

    with cached_store.read() as reader:
        monkeypatch.setattr(postings_module.Postings, "read_list", overtaken)
        reader.expect_questions(None)
    cached_store.wait_for_search_cache()
    assert len(same_text(cached_store, search)) == 6


def test_postings_are_prefetched_where_there_are_no_vectors(cached_store):
    add(cached_store, "alpha")
    with cached_store.read() as reader:
        reader.expect_questions(None)
    cached_store.wait_for_search_cache()
    assert cached_store._search_cache.contents.postings.holds(WORDS, "alpha")


def test_a_caller_that_expects_questions_is_answered_from_the_cache_from_the_first_on(cached_store):
    rng = random.Random(3)
    for n in range(20):
        add(cached_store, f"alpha {n}", {SPACE: numbers(rng)})
    with cached_store.read() as reader:
        reader.expect_questions(SPACE)
    cached_store.wait_for_search_cache()
    assert list(cached_store._search_cache.contents.vector_indexes) == [1]
    assert cached_store._search_cache.contents.postings.holds(WORDS, "alpha")
    same_vectors(cached_store, numbers(rng).vector, SPACE)


def test_expecting_questions_of_a_small_store_makes_no_cache(store):
    add(store, "alpha")
    with store.read() as reader:
        reader.expect_questions(SPACE)
    assert store._search_cache is None


def test_prefetching_leaves_room_for_the_posting_lists_that_will_be_asked_for(cached_store, large, monkeypatch):
    monkeypatch.setattr(postings_module, "_MAX_PREFETCHED_BYTES", 500)
    add(cached_store, " ".join(f"word{n}" for n in range(50)))
    same_text(cached_store, TextSearch(("word7",), False, WEIGHTS[0]))
    cached_store.wait_for_search_cache()
    assert 500 <= cached_store._search_cache.contents.postings._bytes < 1_000
