"""The posting lists that were asked for: kept, brought up to date change by change, and dropped by use."""

from __future__ import annotations

import pytest
from dict_engine import DictEngine

from core.search_cache import postings as module
from core.search_cache.cache_protocol import HIGHEST_ID, CacheMiss
from core.search_cache.feed import STEMS, WORDS
from core.search_cache.posting import FullPostings
from core.search_cache.postings import Postings


@pytest.fixture
def engine():
    made = DictEngine()
    for id, content in ((1, "pool pool deep"), (2, "deep"), (4, "pool")):
        made.put(id, content)
    return made


@pytest.fixture
def postings(engine):
    return Postings.read(engine, engine.last_change())


def holders(postings, engine, token="pool", index=WORDS):
    return postings.of(engine, index, token).ids.tolist()


def change(postings, engine, id, content=None):
    if content is None:
        engine.remove(id)
    else:
        engine.put(id, content)
    postings.apply_changes(engine, [id], engine.last_change())


def test_a_list_is_read_when_it_is_asked_for(postings, engine):
    assert (postings.rows, postings.holds(WORDS, "pool")) == (3, False)
    assert postings.document_frequency(engine, WORDS, "pool") is None
    assert holders(postings, engine) == [1, 4]
    assert postings.holds(WORDS, "pool")
    assert not postings.holds(STEMS, "pool")
    assert postings.document_frequency(engine, WORDS, "pool") == 2


def test_changed_added_and_removed_memories_move_into_and_out_of_a_list(postings, engine):
    holders(postings, engine)
    change(postings, engine, 2, "pool here")
    change(postings, engine, 1, "nothing")
    change(postings, engine, 9, "pool pool pool")
    change(postings, engine, 4)
    assert holders(postings, engine) == [2, 9]
    assert postings.of(engine, WORDS, "pool").max_counts == {0: 3}
    assert (postings.rows, postings.changed) == (3, 4)
    assert postings.lengths[[1, 2, 4, 9]].tolist() == [1, 2, -1, 3]


def test_a_list_read_after_the_changes_is_the_same(postings, engine):
    holders(postings, engine)
    change(postings, engine, 2, "pool here")
    fresh = Postings.read(engine, engine.last_change())
    assert holders(postings, engine) == holders(fresh, engine)


def test_a_whole_index_answers_for_every_token_also_after_changes(postings, engine):
    postings.add_full(engine, WORDS, FullPostings.read(engine, WORDS, postings.as_of), [])
    assert postings.full_indexes == {WORDS}
    assert postings.holds(WORDS, "anything")
    change(postings, engine, 2, "pool")
    assert holders(postings, engine) == [1, 2, 4]


def test_the_least_recently_used_lists_are_dropped(postings, engine, monkeypatch):
    holders(postings, engine, "pool")
    monkeypatch.setattr(module, "MAX_BYTES", 1)
    holders(postings, engine, "deep")
    assert (postings.holds(WORDS, "pool"), postings.holds(WORDS, "deep")) == (False, True)


def test_a_prefetched_list_is_the_first_to_be_dropped_and_replaces_none(postings, engine, monkeypatch):
    holders(postings, engine, "pool")
    known = postings.of(engine, WORDS, "pool")
    postings.add_prefetched(WORDS, "pool", postings.read_list(engine, WORDS, "pool"))
    assert postings.of(engine, WORDS, "pool") is known
    postings.add_prefetched(WORDS, "deep", postings.read_list(engine, WORDS, "deep"))
    monkeypatch.setattr(module, "MAX_BYTES", 1)
    holders(postings, engine, "pool")
    assert (postings.holds(WORDS, "pool"), postings.holds(WORDS, "deep")) == (True, False)
    assert not postings.is_prefetch_full


def test_an_id_beyond_the_highest_is_a_miss(engine):
    engine.put(HIGHEST_ID + 1, "pool")
    with pytest.raises(CacheMiss):
        Postings.read(engine, engine.last_change())
