"""How memories fade: the curves of a selection or of examples, by any decay model, and the order at a moment."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inspector.gui.viewmodels.decay import DecayViewModel


@pytest.fixture
def viewmodel(after, opened):
    made = DecayViewModel(opened)
    after(made.charted, lambda: made.look_at([]))
    return made


def test_nothing_is_computed_until_it_is_looked_at(qtbot, opened):
    made = DecayViewModel(opened)
    with qtbot.assertNotEmitted(made.charted):
        opened.changed.emit(None)
    assert made.chart is None


def test_without_a_selection_memories_of_all_ages_are_drawn(viewmodel):
    ages = [curve.memory.created_at for curve in viewmodel.chart.curves]
    assert len(ages) == 5
    assert ages == sorted(ages, reverse=True)
    assert viewmodel.moment == viewmodel.chart.now


def test_a_selection_of_two_or_more_is_drawn(after, viewmodel):
    chart = after(viewmodel.charted, lambda: viewmodel.look_at([3, 4, 5]))
    assert {curve.memory.id for curve in chart.curves} == {3, 4, 5}
    assert len(after(viewmodel.charted, lambda: viewmodel.look_at([3])).curves) == 5


def test_another_decay_model_and_overlays_are_drawn(after, viewmodel):
    assert {"oro", "cc-v3"} & set(dict(viewmodel.laws())) == {"oro"}
    assert after(viewmodel.charted, lambda: viewmodel.set_profile("oro")).decay_model.profile == "oro"
    assert len(after(viewmodel.charted, lambda: viewmodel.set_half_lives([7.0, 30.0])).overlays) == 2
    assert len(after(viewmodel.charted, lambda: viewmodel.set_as_if_pinned(True)).overlays) == 3
    chart = after(viewmodel.charted, lambda: viewmodel.set_ahead(30.0))
    assert chart.end - chart.now == timedelta(days=30)


def test_the_order_at_a_moment_is_by_what_remains_then(after, viewmodel):
    moment = viewmodel.chart.now + timedelta(days=100)
    ranked = after(viewmodel.ranked, lambda: viewmodel.set_moment(moment))
    values = [each.value for each in ranked]
    assert values == sorted(values, reverse=True)
    assert {each.memory.id for each in ranked} == {curve.memory.id for curve in viewmodel.chart.curves}
    assert viewmodel.moment == moment


def test_every_active_memory_is_counted(after, viewmodel):
    spread = after(viewmodel.spread_changed, lambda: viewmodel.set_profile("oro"))
    assert sum(spread.counts) + spread.pinned > 100


def test_a_closed_store_has_no_chart(after, viewmodel, opened):
    after(viewmodel.cleared, opened.close)
    assert viewmodel.chart is None


def test_what_cannot_be_drawn_is_said_and_not_passed_over(after, viewmodel, opened):
    said = after(opened.failed, lambda: viewmodel.set_profile("cc-v3"))
    assert said == "The profile 'cc-v3' has no decay by age."
