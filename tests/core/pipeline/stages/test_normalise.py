"""Raw scores to 0…1: by a constant, by the largest of a list, by the best result, or as they are."""

from __future__ import annotations

import pytest
from ranking import BM25, explanation, ranked, scores
from store_steps import SPACE, add, vector

from core.pipeline.stages.normalise import BestIsOne, DivideAndClamp, DivideByLargest, RawScore
from core.pipeline.stages.recall import FullText, VectorSearch

NEAR = {"vector": vector(1, 0, 0, 0).vector, "space": SPACE}


@pytest.fixture
def pair(store):
    for n in range(5):
        add(store, f"filler number {n}")
    return add(store, "pool"), add(store, "a pool among some other words")


@pytest.fixture
def raw(store, pair):
    return scores(ranked(store, BM25))


def test_a_constant_divides_and_the_result_is_clamped(store, pair, raw):
    first, second = pair
    largest = raw[first.id]
    divided = scores(ranked(store, DivideAndClamp(divisor=2 * largest)))
    assert divided == {first.id: pytest.approx(0.5), second.id: pytest.approx(raw[second.id] / (2 * largest))}
    clamped = scores(ranked(store, DivideAndClamp(divisor=raw[second.id] / 2, max=1.5)))
    assert clamped == {first.id: 1.5, second.id: 1.5}
    assert scores(ranked(store, DivideAndClamp(divisor=1000, min=0.3))) == {first.id: 0.3, second.id: 0.3}


def test_an_absolute_score_is_warned_of_in_a_small_store(store, pair):
    assert any("depend on the size of the store" in each for each in ranked(store, DivideAndClamp()).trace.warnings)
    assert ranked(store, DivideByLargest()).trace.warnings == ()


def test_the_largest_of_the_list_becomes_1(store, pair, raw):
    first, second = pair
    ranking = ranked(store, DivideByLargest())
    assert scores(ranking) == {first.id: 1.0, second.id: pytest.approx(raw[second.id] / raw[first.id])}
    assert explanation(ranking, second).part("largest").value == raw[first.id]


def test_a_raw_score_is_that_of_the_list_and_0_where_it_lacks_a_memory(store, pair):
    near = add(store, "elsewhere", {SPACE: vector(1, 0, 0, 0)})
    ranking = ranked(store, RawScore(list="vector"), recall=(FullText(), VectorSearch()), **NEAR)
    assert scores(ranking) == {near.id: pytest.approx(1.0), pair[0].id: 0.0, pair[1].id: 0.0}
    assert explanation(ranking, pair[0]).facts["absent"]


def test_the_best_result_becomes_1_and_the_order_stays(store, pair, raw):
    first, second = pair
    ranking = ranked(store, BM25, BestIsOne())
    assert scores(ranking) == {first.id: 1.0, second.id: pytest.approx(raw[second.id] / raw[first.id])}
    assert list(scores(ranking)) == list(raw)


def test_without_a_match_nothing_is_divided(store):
    assert scores(ranked(store, BM25, BestIsOne(), asked="xylophone")) == {}
    assert scores(ranked(store, DivideByLargest(), asked="xylophone")) == {}
