"""Ranks from scores."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.formulas import ranks

scores = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, math.nan]), max_size=20)


def test_equal_scores_share_ranks_in_three_ways():
    given_scores = np.array([9.0, 5.0, 5.0, 1.0])
    assert ranks.ordinal(given_scores).tolist() == [1, 2, 3, 4]
    assert ranks.dense(given_scores).tolist() == [1, 2, 2, 3]
    assert ranks.competition(given_scores).tolist() == [1, 2, 2, 4]
    assert ranks.equals(given_scores).tolist() == [0, 1, 1, 0]


@given(scores)
def test_ranks_follow_scores_and_what_has_no_score_has_no_rank(given_scores):
    column = np.array(given_scores)
    found = {name: way(column) for name, way in ranks.RANKINGS.items()}
    for way in found.values():
        assert (np.isnan(way) == np.isnan(column)).all()
        for a, b in itertools.permutations(range(len(column)), 2):
            if column[a] > column[b]:
                assert way[a] < way[b]
    has_score = ~np.isnan(column)
    dense, competition, ordinal = (found[name][has_score] for name in ("dense", "competition", "ordinal"))
    assert (dense <= competition).all()
    assert (competition <= ordinal).all()
    assert sorted(ordinal) == list(range(1, len(ordinal) + 1))


@given(st.dictionaries(st.integers(1, 50), st.sampled_from([0.0, 0.5, 1.0]), max_size=20))
def test_keys_are_ordered_by_score_and_ties_by_key(given_scores):
    assert ranks.ordered(given_scores) == sorted(given_scores, key=lambda id: (-given_scores[id], id))
