"""The probability that a result is relevant."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formulas import relevance


@pytest.mark.parametrize(("odds", "expected"), [(0.0, 1 / 2), (math.log(3), 3 / 4), (-math.log(99), 1 / 100)])
def test_it_is_the_logistic_function_of_the_logarithm_of_the_odds(odds, expected):
    assert relevance.probability(odds) == pytest.approx(expected)


@given(st.floats(-40, 40), st.floats(-40, 40))
def test_higher_odds_are_never_less_probable(one, other):
    low, high = sorted((one, other))
    assert 0 <= relevance.probability(low) <= relevance.probability(high) <= 1


def test_holding_more_of_the_query_counts_for_a_memory_and_small_talk_against_it():
    for_it = {name for name, weight in relevance.WEIGHTS.items() if weight > 0}
    assert for_it == relevance.WEIGHTS.keys() - {"small talk"}
    assert relevance.INTERCEPT < 0, "most of what is found is not relevant"
