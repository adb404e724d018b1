"""Decay curves: the factor of the ranking stage over time, its crossings and its formula."""

from __future__ import annotations

from datetime import timedelta

import pytest
from store_steps import add

from core.pipeline import decay_curves
from core.pipeline.decay_curves import POINTS, THRESHOLDS
from core.pipeline.stages.weigh import DecayWeight

ORO = DecayWeight(half_life_days=30)
DAY = timedelta(days=1)


@pytest.fixture
def memory(store):
    return add(store)


def test_the_formula_is_written_with_its_numbers():
    assert decay_curves.described(ORO) == "0.5 ^ (days since it was written / 30)"
    accessed = DecayWeight(half_life_days=None, rate_per_day=0.05, basis="accessed")
    assert decay_curves.described(accessed) == "exp(−0.05 · days since it was last used)"
    newest = DecayWeight(half_life_days=None, rate_per_hour=0.01, basis="newest")
    assert decay_curves.described(newest) == "exp(−0.01 · hours since it was the newest)"


def test_points_are_evenly_spaced_from_when_it_was_written(store, memory):
    begin, end = memory.created_at - 10 * DAY, memory.created_at + 90 * DAY
    points = decay_curves.points(ORO, memory, begin, end, None)
    assert len(points) == POINTS
    assert points[0] == (memory.created_at, 1.0)
    assert points[-1][1] == pytest.approx(0.125)
    assert abs(points[-1][0] - end) < timedelta(seconds=1)
    assert decay_curves.points(ORO, memory, begin, memory.created_at, None) == ()


def test_crossings_are_the_days_of_the_formula(memory):
    made = decay_curves.curve(ORO, memory, memory.created_at, (memory.created_at, memory.created_at + DAY), None)
    days = {value: (at - memory.created_at) / DAY for value, at in made.crossings}
    assert days == {0.5: pytest.approx(30), 0.25: pytest.approx(60), 0.1: pytest.approx(99.657842847)}
    assert tuple(days) == THRESHOLDS


def test_a_pinned_memory_never_crosses(memory):
    assert decay_curves.crossing(ORO, memory._replace(pinned=True), 0.5, None) is None


def test_a_curve_has_what_is_left_now_and_at_each_event(memory):
    start = memory.created_at
    done = [(start + 30 * DAY, "edited")]
    made = decay_curves.curve(ORO, memory, start + 60 * DAY, (start, start + 90 * DAY), None, done)
    assert made.now == pytest.approx(0.25)
    assert [(event.what, event.value) for event in made.happenings] == [("edited", pytest.approx(0.5))]


def test_another_half_life_replaces_every_other_law():
    per_hour = DecayWeight(half_life_days=None, rate_per_hour=0.01)
    assert decay_curves.with_half_life(per_hour, 7).half_life_days == 7
    assert decay_curves.described(decay_curves.with_half_life(per_hour, 7)) == "0.5 ^ (days since it was written / 7)"


def test_the_age_of_a_share_is_the_inverse_of_the_curve():
    assert decay_curves.age_at(ORO, 0.125) / DAY == pytest.approx(90.0)
