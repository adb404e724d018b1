"""Formulas: the documents' own arithmetic, then what must hold for all numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formulas import activation, bm25, decay, fusion, normalise, pagerank, ranks, similarity

ages = st.floats(-1e6, 1e6)
positive = st.floats(1e-3, 1e6)
scores = st.dictionaries(st.integers(1, 50), st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=20)


def test_a_memory_of_one_half_life_is_worth_half():
    assert decay.half_life(30, 30) == 0.5
    assert decay.half_life(60, 30) == 0.25
    assert decay.half_life(90, 30) == 0.125


def test_openmems_recency_is_095_after_a_day_and_022_after_a_month():
    assert decay.exponential(1, 0.05) == pytest.approx(0.95, abs=0.005)
    assert decay.exponential(30, 0.05) == pytest.approx(0.22, abs=0.005)
    assert decay.exponential(math.log(2) / 0.05, 0.05) == pytest.approx(0.5)


def test_recursive_lights_decay_halves_in_29_days_3_days_and_7_hours():
    for rate, hours in ((0.001, 29 * 24), (0.01, 3 * 24), (0.1, 7)):
        assert decay.exponential(hours, rate) == pytest.approx(0.5, abs=0.02)
    assert decay.exponential(1, 0.01) > 2 * decay.exponential(168, 0.01)


def test_the_linear_window_ends_at_its_end():
    assert decay.linear(15, 30) == 0.5
    assert decay.linear(31, 30) == 0


@given(ages, positive)
def test_decay_lies_between_nothing_and_one_and_a_negative_age_is_none(age, parameter):
    for law in (decay.half_life, decay.linear):
        assert 0 <= law(age, parameter) <= 1
        assert law(min(age, 0), parameter) == 1
    assert 0 <= decay.exponential(age, parameter) <= 1


@given(ages, ages, positive)
def test_an_older_memory_never_weighs_more(a, b, parameter):
    young, old = sorted((a, b))
    for law in (decay.half_life, decay.exponential, decay.linear):
        assert law(old, parameter) <= law(young, parameter)


def test_reciprocal_ranks_are_those_of_robotmems_table():
    assert fusion.reciprocal_rank(1, 60) + fusion.reciprocal_rank(3, 60) == 1 / 61 + 1 / 63
    assert fusion.reciprocal_rank(2, 60) + fusion.reciprocal_rank(1, 60) == 1 / 62 + 1 / 61


def test_the_importance_boost_is_ten_ranks():
    assert fusion.importance_boost(60) == 1 / (60 + 1) - 1 / (60 + 11)


def test_equal_scores_share_ranks_in_three_ways():
    given_scores = {1: 9.0, 2: 5.0, 3: 5.0, 4: 1.0}
    assert ranks.ordinal(given_scores) == {1: 1, 2: 2, 3: 3, 4: 4}
    assert ranks.dense(given_scores) == {1: 1, 2: 2, 3: 2, 4: 3}
    assert ranks.competition(given_scores) == {1: 1, 2: 2, 3: 2, 4: 4}


@given(scores)
def test_ranks_follow_scores_and_ties_break_by_id(given_scores):
    order = ranks.ordered(given_scores)
    assert order == sorted(order, key=lambda id: (-given_scores[id], id))
    for way in ranks.RANKINGS.values():
        found = way(given_scores)
        assert found.keys() == given_scores.keys()
        for a in found:
            for b in found:
                if given_scores[a] > given_scores[b]:
                    assert found[a] < found[b]
    for a in given_scores:
        assert ranks.dense(given_scores)[a] <= ranks.competition(given_scores)[a] <= ranks.ordinal(given_scores)[a]


def test_bm25_of_one_word_is_the_appendixs_formula():
    idf = math.log((100 - 10 + 0.5) / (10 + 0.5))
    assert bm25.okapi_idf(100, 10) == idf
    expected = idf * (3 * (1.5 + 1)) / (3 + 1.5 * (1 - 0.75 + 0.75 * (20 / 10)))
    assert bm25.term_score(3, idf, 20, 10, 1.5, 0.75) == pytest.approx(expected)


def test_a_word_in_most_documents_counts_against_in_okapi_and_for_nothing_in_fts5():
    assert bm25.okapi_idf(10, 9) < 0
    assert bm25.fts5_idf(10, 9) == 1e-6


@given(st.integers(1, 1000), st.integers(0, 1000), st.floats(0.1, 50), st.floats(1, 500), st.floats(1, 500))
def test_more_occurrences_never_lower_a_positive_score(documents, with_word, frequency, length, average):
    idf = bm25.fts5_idf(documents, min(with_word, documents))
    less = bm25.term_score(frequency, idf, length, average, 1.2, 0.75)
    more = bm25.term_score(frequency + 1, idf, length, average, 1.2, 0.75)
    assert 0 < less <= more <= idf * 2.2 + 1e-9


def test_the_clamp_is_oros():
    assert normalise.divided_and_clamped(10, 25) == 10 / 25
    assert normalise.divided_and_clamped(30, 25) == 1
    assert normalise.divided_and_clamped(-3, 25) == 0
    assert normalise.by_maximum(2, 4) == 0.5
    assert normalise.by_maximum(2, 0) == 0


def test_activation_spreads_as_it_is_drawn():
    arrivals = activation.spread({1: 0.80}, [(1, 2, 0.6), (2, 3, 0.5)], max_hops=2, decay_per_hop=0.5)
    values = {node: found[-1].value for node, found in arrivals.items()}
    assert values == {1: 0.80, 2: pytest.approx(0.24), 3: pytest.approx(0.06)}


def test_activation_goes_both_ways_stops_at_its_hops_and_keeps_the_best_path():
    edges = [(2, 1, 0.6), (3, 2, 0.5), (1, 3, 0.9), (4, 3, 1.0)]
    one = activation.spread({1: 1.0}, edges, max_hops=1, decay_per_hop=0.5)
    assert {node: found[-1].value for node, found in one.items()} == {1: 1.0, 2: 0.3, 3: 0.45}
    two = activation.spread({1: 1.0}, edges, max_hops=2, decay_per_hop=0.5)
    assert two[3][-1].value == 0.45
    assert two[4][-1].value == pytest.approx(0.225)


@given(
    st.dictionaries(st.integers(1, 8), st.floats(0, 1), min_size=1),
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8), st.floats(0, 1)), max_size=20),
    st.integers(0, 4),
)
def test_activation_never_exceeds_the_strongest_seed_nor_loses_a_seed(seeds, edges, hops):
    arrivals = activation.spread(seeds, edges, hops, 0.5)
    for node, value in seeds.items():
        assert arrivals[node][-1].value >= value
    assert max(found[-1].value for found in arrivals.values()) <= max(seeds.values())


def test_rank_returns_to_the_matches():
    ranked, _ = pagerank.query_biased([1, 2, 3], [(1, 2, 1.0), (2, 3, 0.5)], {1}, damping=0.85, iterations=50)
    assert ranked[1] == pytest.approx(1 - 0.85)
    assert ranked[2] == pytest.approx(0.85 * ranked[1])
    assert ranked[3] == pytest.approx(0.85 * 0.5 * ranked[2])


def test_one_iteration_is_the_documents_line():
    ranked, before = pagerank.query_biased([1, 2], [(1, 2, 0.5), (1, 2, 0.25)], {1}, damping=0.85, iterations=1)
    assert before == {1: 1.0, 2: 0.0}
    assert ranked[2] == 0.85 * (1.0 * 0.5 / 2 + 1.0 * 0.25 / 2) + (1 - 0.85) * 0.0


def test_overlap_and_distance():
    assert similarity.overlap({"a", "b"}, {"b", "c"}) == 1 / 3
    assert similarity.overlap(set(), set()) == 0
    assert similarity.euclidean((1.3, 0.7), (1.0, 0.3)) == pytest.approx(0.5)
    assert similarity.from_distance(0.25) == 0.75
