"""Curves of decay are the ranker's own: what is drawn is what an answer is weighed with."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core import draft
from core.changes import Op
from core.errors import UserError
from core.services import curate, curves, query
from core.services.query import Question

LAWS = [law.profile for law in curves.decay_models()]


@pytest.fixture
def aged(workspace, clock):
    """Five memories, one every 20 days, the third of them pinned."""
    for number in range(5):
        with workspace.store.transact(Op.REMEMBER, "test") as transaction:
            fields = {"content": f"the lighthouse keeper's note {number}", "pinned": number == 2}
            transaction.add_memory(draft.memory(fields, transaction.now))
        clock.advance(timedelta(days=20))
    return workspace


def test_the_profiles_that_fade_are_offered_with_their_formula():
    assert {"inspector", "oro", "bcr", "recursive-light"} <= set(LAWS)
    assert curves.decay_model("oro").words == "0.5 ^ (days since it was written / 30)"
    with pytest.raises(UserError, match="has no decay by age"):
        curves.decay_model("cc-v3")


@pytest.mark.parametrize("profile", ["inspector", "oro-hybrid", "recursive-light"])
def test_a_curve_passes_through_what_the_ranker_uses(aged, profile):
    question = Question(text="lighthouse keeper", profile=profile, k=5)
    ranked = {result.id: result for result in query.ask(aged, question).ranking.results}
    assert ranked
    for curve in curves.chart(aged, list(ranked), profile).curves:
        decay = ranked[curve.memory.id].score.part("decay")
        assert decay is not None
        assert curve.now == pytest.approx(decay.value, abs=1e-12)


@pytest.mark.parametrize("profile", LAWS)
def test_a_curve_falls_and_a_pinned_memory_s_does_not(aged, profile):
    for curve in curves.chart(aged, [1, 2, 3, 4, 5], profile).curves:
        values = [value for _, value in curve.points]
        assert values == sorted(values, reverse=True)
        assert all(0 <= value <= 1 for value in values)
        if curve.memory.pinned:
            assert set(values) == {1.0}
            assert all(at is None for _, at in curve.crossings)


def test_crossings_are_the_days_of_the_formula(aged):
    curve = curves.chart(aged, [1], "oro").curves[0]
    days = {value: (at - curve.memory.created_at) / timedelta(days=1) for value, at in curve.crossings}
    assert days[0.5] == pytest.approx(30.0, abs=1e-6)
    assert days[0.25] == pytest.approx(60.0, abs=1e-6)
    assert days[0.1] == pytest.approx(99.657842847, abs=1e-6)


def test_overlays_show_other_half_lives_and_a_pin(aged):
    chart = curves.chart(aged, [1], "oro", half_lives=(90.0,), as_if_pinned=True)
    (name, slower), (pin, pinned) = chart.overlays
    assert (name, pin) == ("half-life 90 d", "pinned")
    assert slower.now == pytest.approx(0.5 ** (100 / 90))
    assert pinned.now == 1.0


def test_what_was_done_to_a_memory_is_marked_on_its_curve(aged, clock):
    curate.edit(aged, [1], {"summary": "edited"}, actor="test")
    clock.advance(timedelta(days=3))
    curate.reinforce(aged, [4], actor="test")
    by_id = {curve.memory.id: curve for curve in curves.chart(aged, [1, 4], "oro").curves}
    assert [each.what for each in by_id[1].happenings] == ["written", "edited"]
    assert [each.what for each in by_id[4].happenings] == ["written"]  # its strength was full already


def test_the_order_at_another_moment_is_the_order_of_what_is_left(aged, clock):
    now = [standing.memory.id for standing in curves.ranked_at(aged, [1, 2, 3, 4, 5], "oro", clock.now())]
    assert now == [3, 5, 4, 2, 1]
    later = curves.ranked_at(aged, [1, 2], "oro", clock.now() + timedelta(days=365))
    assert later[0].value < 0.001


@pytest.mark.parametrize("profile", LAWS)
def test_every_memory_is_counted_somewhere_on_the_curve(aged, profile):
    found = curves.spread(aged, profile)
    assert sum(found.counts) + found.pinned == 5
    assert found.pinned == 1


def test_the_spread_puts_each_memory_where_the_curve_has_it(aged):
    found = curves.spread(aged, "oro")
    values = [curve.now for curve in curves.chart(aged, [1, 2, 4, 5], "oro").curves]
    expected = [0] * curves.BINS
    for value in values:
        expected[int(value * curves.BINS)] += 1
    assert list(found.counts) == expected


def test_examples_are_of_all_ages(aged):
    assert curves.examples(aged, 3) == [5, 3, 1]
