"""Ranks from scores."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.formulas import ranks

scores = st.dictionaries(st.integers(1, 50), st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=20)


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


def test_a_percentile_is_the_nearest_rank():
    values = [1.0, 2.0, 3.0, 4.0]
    assert [ranks.percentile(values, share) for share in (0.0, 0.5, 0.51, 1.0)] == [1.0, 2.0, 3.0, 4.0]
    assert ranks.percentile([], 0.5) == 0.0
