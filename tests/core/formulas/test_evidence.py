"""What each kind of evidence is worth."""

from __future__ import annotations

import pytest

from core.formulas import evidence

SHARES = {"share": 0.3, "per_step": 0.5, "question_share": 0.6}


@pytest.mark.parametrize(
    ("step", "asks", "expected"),
    [(1, False, 0.3), (-1, False, 0.3), (2, False, 0.3 * 0.5), (-2, True, 0.3 * 0.5), (-1, True, 0.3), (1, True, 0.6)],
)
def test_a_share_falls_with_the_steps_and_is_larger_right_after_a_question(step, asks, expected):
    assert evidence.neighbour_share(step, asks=asks, **SHARES) == pytest.approx(expected)


def test_meaning_counts_from_the_lowest_of_the_list():
    assert evidence.meaning(0.82, 0.7, 20.0) == pytest.approx(20 * (0.82 - 0.7))
    assert evidence.meaning(0.7, 0.7, 20.0) == 0
