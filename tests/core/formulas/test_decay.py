"""Decay by age: the documents' own arithmetic, then what must hold for all numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formulas import decay

ages = st.floats(-1e6, 1e6)

positive = st.floats(1e-3, 1e6)


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
