"""Reciprocal ranks and the importance boost."""

from __future__ import annotations

from core.formulas import fusion


def test_reciprocal_ranks_are_those_of_robotmems_table():
    assert fusion.reciprocal_rank(1, 60) + fusion.reciprocal_rank(3, 60) == 1 / 61 + 1 / 63
    assert fusion.reciprocal_rank(2, 60) + fusion.reciprocal_rank(1, 60) == 1 / 62 + 1 / 61


def test_the_importance_boost_is_ten_ranks():
    assert fusion.importance_boost(60) == 1 / (60 + 1) - 1 / (60 + 11)
