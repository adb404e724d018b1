"""A checked query: the number of results, a context filter and a place, refused where they mean nothing."""

from __future__ import annotations

import pytest
from ranking import query_of

from core.errors import UserError
from core.pipeline.query import Spatial, checked_context, checked_k, checked_spatial


def test_more_results_than_the_most_are_cut_with_a_note():
    assert checked_k(5, 10) == (5, ())
    k, notes = checked_k(11, 10)
    assert k == 10
    assert "10" in notes[0]


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "5", None])
def test_a_number_of_results_is_a_whole_number_above_0(wrong):
    with pytest.raises(UserError, match="k must be"):
        checked_k(wrong, 10)


def test_a_context_filter_is_an_object_of_paths_and_known_operators():
    wanted = {"task.success": True, "force": {"$lt": 3, "$gte": 1}}
    assert checked_context(wanted) == wanted
    for wrong in ([], "text", {"": 1}, {3: 1}, {"force": {"$near": 1}}):
        with pytest.raises(UserError, match="context filter"):
            checked_context(wrong)


def test_a_place_needs_a_field_and_numbers():
    assert checked_spatial({"field": "at", "target": [1, 2.5]}) == Spatial("at", (1.0, 2.5))
    assert checked_spatial({"field": "at", "target": (1,), "max_distance": 0}) == Spatial("at", (1.0,), 0.0)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"target": [1]},
        {"field": "", "target": [1]},
        {"field": "at"},
        {"field": "at", "target": []},
        {"field": "at", "target": [True]},
        {"field": "at", "target": [float("nan")]},
        {"field": "at", "target": [1], "max_distance": -1},
        {"field": "at", "target": [1], "max_distance": float("inf")},
    ],
)
def test_a_place_that_means_nothing_is_refused(wrong):
    with pytest.raises(UserError):
        checked_spatial(wrong)


def test_a_context_or_a_place_is_a_structured_filter(store):
    assert not query_of(store).has_structured_filter
    assert query_of(store, context={"a": 1}).has_structured_filter
    assert query_of(store, spatial=Spatial("at", (1.0,))).has_structured_filter
