"""Near-copies of a higher-ranked result are dropped."""

from __future__ import annotations

import pytest
from ranking import BM25, funnel, ranked, reasons, scores
from store_steps import add

from core.pipeline.stages.cut import TopK
from core.pipeline.stages.dedup import Deduplicate
from core.pipeline.trace import ReasonKind


@pytest.fixture
def three(store):
    return [
        add(store, "pool mode matters to writers"),
        add(store, "pool mode matters to the writers today"),
        add(store, "a deep pool in the garden behind the old house"),
    ]


def test_a_result_that_shares_most_words_with_a_better_one_is_dropped(store, three):
    best, copy, other = three
    ranking = ranked(store, BM25, Deduplicate())
    assert list(scores(ranking)) == [best.id, other.id]
    reason = reasons(ranking)[copy.id]
    assert (reason.kind, reason.facts["of"]) == (ReasonKind.DUPLICATE, best.id)
    assert reason.facts["overlap"] >= reason.facts["threshold"] == 0.7
    assert funnel(ranking)[-1] == ("dedup", 3, 2)


def test_only_equal_words_are_copies_at_an_overlap_of_1(store, three):
    assert len(scores(ranked(store, BM25, Deduplicate(overlap=1.0)))) == 3


def test_what_is_dropped_makes_room_among_the_first_k(store, three):
    best, _, other = three
    assert list(scores(ranked(store, BM25, Deduplicate(), TopK(), k=2))) == [best.id, other.id]


def test_what_comes_after_the_first_k_is_not_compared(store, three):
    assert reasons(ranked(store, BM25, Deduplicate(), k=1)) == {}
