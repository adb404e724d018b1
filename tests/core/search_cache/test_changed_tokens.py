"""The tokens of changed memories: appended, counted after a point, and retracted when a memory changes again."""

from __future__ import annotations

import numpy as np

from core.search_cache.changed_tokens import ChangedTokens
from core.search_cache.feed import FIELD_BITS, INDEXES, WORDS


def put(changed, id, *tokens, before=()):
    occurrences = np.array([id << FIELD_BITS] * len(tokens), dtype=np.int64)
    changed.replace(np.array(before, dtype=np.int32), dict.fromkeys(INDEXES, tokens), occurrences)


def counts(changed, token, after=0):
    return {occurrence >> FIELD_BITS: count for occurrence, count in changed.counts(WORDS, token, after).items()}


def test_a_token_is_counted_by_memory():
    changed = ChangedTokens()
    put(changed, 1, "pool", "pool", "deep")
    put(changed, 2, "pool")
    assert counts(changed, "pool") == {1: 2, 2: 1}
    assert counts(changed, "none") == {}


def test_only_what_was_appended_after_a_point_is_counted():
    changed = ChangedTokens()
    put(changed, 1, "pool")
    seen = changed.count
    put(changed, 2, "pool")
    assert counts(changed, "pool", seen) == {2: 1}


def test_the_earlier_tokens_of_a_changed_memory_are_retracted():
    changed = ChangedTokens()
    put(changed, 1, "pool", "deep")
    put(changed, 1, "pool", before=[1])
    assert (counts(changed, "pool"), counts(changed, "deep")) == ({1: 1}, {})


def test_the_room_grows_with_the_tokens():
    changed = ChangedTokens()
    before = changed.nbytes
    put(changed, 1, *["pool"] * 1_000)
    assert changed.nbytes > before
