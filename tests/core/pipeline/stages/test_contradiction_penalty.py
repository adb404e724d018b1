"""Of two memories that contradict each other the weaker is demoted, once for each contradiction it loses."""

from __future__ import annotations

from datetime import timedelta

import pytest
from ranking import BM25, explanation, ranked, scores
from store_steps import add, link

from core.pipeline.stages.contradiction_penalty import ContradictionPenalty
from core.pipeline.stages.recall import FullText, LinkedMemories

RECALL = (FullText(), LinkedMemories())


@pytest.fixture
def pair(store):
    return add(store, "The pool has 25", strength=0.9), add(store, "The pool has 10", strength=0.4)


def both(store, stage):
    before = scores(ranked(store, BM25, recall=RECALL))
    return before, ranked(store, BM25, stage, recall=RECALL)


@pytest.mark.parametrize("is_turned", [False, True])
def test_the_weaker_is_demoted_whichever_raised_it(store, pair, is_turned):
    strong, weak = pair
    link(store, *(pair[::-1] if is_turned else pair), "contradicts", status="accepted")
    before, ranking = both(store, ContradictionPenalty())
    assert scores(ranking) == {strong.id: before[strong.id], weak.id: pytest.approx(0.3 * before[weak.id])}
    lost = explanation(ranking, weak).part("contradiction")
    assert (lost.facts["other"], lost.value) == (strong.id, 0.3)
    assert lost.facts["own_strength"] < lost.facts["other_strength"]


def test_two_of_equal_strength_demote_neither(store):
    link(store, add(store, "The pool has 25"), add(store, "The pool has 10"), "contradicts", status="accepted")
    before, ranking = both(store, ContradictionPenalty())
    assert scores(ranking) == before


@pytest.mark.parametrize(
    ("status", "open_too", "is_demoted"),
    [("accepted", False, True), ("open", False, False), ("open", True, True), ("dismissed", True, False)],
)
def test_an_open_contradiction_counts_only_when_asked_and_a_dismissed_one_never(
    store, pair, status, open_too, is_demoted
):
    link(store, *pair, "contradicts", status=status)
    before, ranking = both(store, ContradictionPenalty(open_too=open_too))
    assert (scores(ranking)[pair[1].id] < before[pair[1].id]) is is_demoted


def test_other_kinds_of_link_demote_nothing(store, pair):
    link(store, *pair, "relates", status="accepted")
    before, ranking = both(store, ContradictionPenalty())
    assert scores(ranking) == before


def test_each_lost_contradiction_counts(store, pair):
    third = add(store, "The pool has 40", strength=0.8)
    for other in (pair[0], third):
        link(store, other, pair[1], "contradicts", status="accepted")
    before, ranking = both(store, ContradictionPenalty(factor=0.5))
    assert scores(ranking)[pair[1].id] == pytest.approx(0.25 * before[pair[1].id])


def test_the_longer_unused_of_two_alike_is_the_weaker(store, clock):
    old = add(store, "The pool has 25")
    clock.advance(timedelta(days=10))
    new = add(store, "The pool has 10")
    link(store, new, old, "contradicts", status="accepted")
    before, ranking = both(store, ContradictionPenalty())
    assert scores(ranking) == {new.id: before[new.id], old.id: pytest.approx(0.3 * before[old.id])}
