"""Arithmetic that takes numbers and expressions alike."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.formulas import decay, evidence, fusion, normalise, numbers
from core.pipeline.expr import Expr


def test_a_constant_is_a_number_with_a_name():
    trust = numbers.Constant("trust", 2)
    assert (trust * 3, trust.name) == (6.0, "trust")


@pytest.mark.parametrize(
    "formula",
    [
        lambda value: decay.half_life(value, 30.0),
        lambda value: decay.exponential(value, 0.05),
        lambda value: decay.linear(value, 30.0),
        lambda value: normalise.divided_and_clamped(value, 25.0),
        lambda value: normalise.by_maximum(value, 40.0),
        lambda value: evidence.meaning(value, 0.5, 20.0),
    ],
)
def test_a_formula_gives_a_column_what_it_gives_each_number(formula):
    values = [0.0, 1.5, 25.0, 400.0]
    column = formula(Expr("value", np.array(values)))
    assert column.values.tolist() == pytest.approx([formula(value) for value in values], rel=1e-15)


def test_a_rank_may_be_a_column_too():
    ranks = np.array([1.0, 2.0])
    assert fusion.reciprocal_rank(ranks, 60.0).tolist() == [fusion.reciprocal_rank(rank, 60.0) for rank in (1, 2)]


def test_plain_numbers_stay_plain():
    assert numbers.named("x", 2.0) == 2.0
    assert (numbers.exp(1.0), numbers.maximum(0.0, -1.0), numbers.clamp(3.0, 0.0, 1.0)) == (math.e, 0.0, 1.0)
    assert numbers.not_negative(-3.0) == 0.0
