"""What the cache holds: brought up to date with a snapshot, refused for an older one, cleared when it is damaged."""

from __future__ import annotations

import pytest
from dict_engine import DictEngine, Interrupted

from core.model import Filter
from core.search_cache import cache_contents
from core.search_cache.cache_contents import CacheContents
from core.search_cache.cache_protocol import CacheMiss
from core.search_cache.feed import WORDS


@pytest.fixture
def engine():
    made = DictEngine()
    for id, content in ((1, "pool deep"), (2, "deep")):
        made.put(id, content)
    return made


@pytest.fixture
def contents(engine):
    return CacheContents(engine)


def holders(contents, engine, token="pool"):
    with contents.up_to_date(engine) as postings:
        return postings.of(engine, WORDS, token).ids.tolist()


def test_the_contents_follow_every_change(contents, engine):
    assert holders(contents, engine) == [1]
    kept = contents.postings
    engine.put(3, "pool")
    assert holders(contents, engine) == [1, 3]
    assert contents.postings is kept
    assert contents.as_of == engine.last_change()
    assert contents.nbytes > 0


def test_masks_follow_the_changes_too(contents, engine):
    facts = Filter(types=("fact",))
    with contents.up_to_date(engine) as postings:
        assert contents.mask(engine, facts, postings).ids.tolist() == [1, 2]
    engine.put(2, "deep", "decision")
    with contents.up_to_date(engine) as postings:
        assert contents.mask(engine, facts, postings).ids.tolist() == [1]


def test_a_snapshot_older_than_the_contents_is_a_miss(contents, engine):
    holders(contents, engine)
    engine.log.pop()
    with pytest.raises(CacheMiss):
        holders(contents, engine)


def test_without_postings_none_are_read_where_that_is_not_wanted(contents, engine):
    with pytest.raises(CacheMiss), contents.up_to_date(engine, begin=False):
        pass
    assert contents.postings is None


def test_after_too_many_changes_postings_are_read_anew(contents, engine, monkeypatch):
    holders(contents, engine)
    before = contents.postings
    monkeypatch.setattr(cache_contents, "MAX_CHANGES_AT_ONCE", 0)
    engine.put(3, "pool")
    assert holders(contents, engine) == [1, 3]
    assert contents.postings is not before


@pytest.mark.parametrize(("error", "raised"), [(RuntimeError, CacheMiss), (Interrupted, Interrupted)])
def test_an_engine_that_fails_is_a_miss_and_an_interruption_passes(contents, engine, monkeypatch, error, raised):
    holders(contents, engine)
    engine.put(3, "pool")

    def fail(ids):
        raise error

    with monkeypatch.context() as patched, pytest.raises(raised):
        patched.setattr(engine, "indexed_tokens", fail)
        holders(contents, engine)
    assert holders(contents, engine) == [1, 3]
