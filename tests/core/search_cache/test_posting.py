"""Posting lists: read one by one, among some memories, or as a whole index, always with the same content."""

from __future__ import annotations

import numpy as np
import pytest
from dict_engine import DictEngine

from core.search_cache.feed import WORDS
from core.search_cache.posting import FullPostings, read_posting, read_posting_among
from core.search_types import FIELDS

CONTENT = FIELDS.index("content")


@pytest.fixture
def engine():
    made = DictEngine()
    for id, content in ((1, "pool pool deep"), (2, "deep"), (4, "pool")):
        made.put(id, content)
    return made


@pytest.fixture
def lengths():
    return np.array([-1, 3, 1, -1, 1], dtype=np.int32)


def content(posting):
    return dict(zip(posting.ids.tolist(), posting.counts.get(CONTENT, np.zeros(0)).tolist(), strict=True))


def test_a_list_has_the_count_in_each_memory_and_its_bounds(engine, lengths):
    posting = read_posting(engine, WORDS, "pool", lengths, 7)
    assert content(posting) == {1: 2, 4: 1}
    assert (posting.max_counts, posting.min_length, posting.as_of) == ({CONTENT: 2}, 1, 7)
    assert posting.nbytes > 0


def test_a_token_that_no_memory_holds_has_an_empty_list(engine, lengths):
    assert content(read_posting(engine, WORDS, "none", lengths, 7)) == {}


def test_of_some_memories_only_their_part_is_read(engine, lengths):
    posting = read_posting_among(engine, WORDS, "pool", np.array([1, 2], dtype=np.int32), lengths, 7)
    assert content(posting) == {1: 2}


@pytest.mark.parametrize("token", ["pool", "deep", "none"])
def test_a_whole_index_has_the_same_lists(engine, lengths, token):
    full = FullPostings.read(engine, WORDS, 7)
    full.measure(lengths)
    one, other = full.posting(token), read_posting(engine, WORDS, token, lengths, 7)
    assert content(one) == content(other)
    assert (one.max_counts, one.min_length, one.as_of) == (other.max_counts, other.min_length, other.as_of)
    assert full.nbytes > 0


def test_a_memory_that_was_removed_since_bounds_no_length(engine, lengths):
    full = FullPostings.read(engine, WORDS, 7)
    lengths[2] = lengths[4] = -1
    full.measure(lengths)
    assert full.posting("deep").min_length == 3
