"""Activation and PageRank over links."""

from __future__ import annotations

import pytest
from ranking import explanation, ranked, scores
from store_steps import add, link

from core.pipeline.stages.normalise import DivideByLargest
from core.pipeline.stages.recall import CONVERSATION_LINKS, FullText, LinkedMemories
from core.pipeline.stages.spread import QueryBiasedPageRank, SpreadingActivation

MEANING = (FullText(), LinkedMemories())
CONVERSATION = (FullText(), LinkedMemories(kinds=CONVERSATION_LINKS))


@pytest.fixture
def chain(store):
    """A match, and two memories that only links lead to."""
    return [add(store, content) for content in ("pool", "one hop", "two hops")]


def test_activation_loses_weight_times_decay_a_hop(store, chain):
    match, near, far = chain
    link(store, match, near, "supports", weight=0.6)
    link(store, far, near, "relates", weight=0.5)
    ranking = ranked(store, DivideByLargest(), SpreadingActivation(), recall=MEANING)
    expected = {match.id: 1.0, near.id: pytest.approx(0.6 * 0.5), far.id: pytest.approx(0.6 * 0.5 * 0.5 * 0.5)}
    assert scores(ranking) == expected
    path = explanation(ranking, far).part("over a link")
    assert (path.facts["hop"], path.facts["came_from"], path.facts["kind"]) == (2, near.id, "relates")


def test_the_best_of_several_links_carries_it(store, chain):
    match, near, _ = chain
    link(store, match, near, "relates", weight=0.1)
    link(store, match, near, "supports", weight=0.9)
    ranking = ranked(store, DivideByLargest(), SpreadingActivation(), recall=MEANING)
    assert scores(ranking)[near.id] == pytest.approx(0.45)
    assert explanation(ranking, near).part("over a link").facts["kind"] == "supports"


def test_no_activation_goes_further_than_the_hops(store, chain):
    match, near, far = chain
    link(store, match, near)
    link(store, near, far)
    found = scores(ranked(store, DivideByLargest(), SpreadingActivation(max_hops=1), recall=MEANING))
    assert (found[near.id] > 0, found[far.id]) == (True, 0.0)


def test_pagerank_flows_along_a_one_way_link_and_returns_to_the_match(store, chain):
    match, near, far = chain
    link(store, match, near, "temporal", weight=1.0)
    link(store, far, match, "temporal", weight=1.0)
    found = scores(ranked(store, QueryBiasedPageRank(), recall=CONVERSATION))
    assert found == {match.id: pytest.approx(0.15), near.id: pytest.approx(0.85 * 0.15), far.id: 0.0}


def test_a_topic_binds_both_ways(store, chain):
    match, near, _ = chain
    link(store, match, near, "topic", weight=1.0)
    found = scores(ranked(store, QueryBiasedPageRank(), recall=CONVERSATION))
    assert found[match.id] > 0.15
    assert found[match.id] > found[near.id] > 0


def test_without_an_iteration_the_rank_is_that_of_a_match(store, chain):
    match, near, _ = chain
    link(store, match, near, "topic")
    found = scores(ranked(store, QueryBiasedPageRank(iterations=0), recall=CONVERSATION))
    assert found[match.id] > found[near.id] == 0.0
