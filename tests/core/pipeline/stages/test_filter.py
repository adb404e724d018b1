"""Filters: thresholds, the session, the context, and the distance in space, each with a typed reason."""

from __future__ import annotations

import math

import pytest
from ranking import BM25, ranked, reasons, scores
from store_steps import add, link

from core.pipeline.query import Spatial
from core.pipeline.stages.filter import (
    AboveZero,
    ContextFilter,
    MinimumConfidence,
    MinimumScore,
    SessionFilter,
    SpatialOrder,
)
from core.pipeline.stages.recall import FullText, LinkedMemories
from core.pipeline.trace import ReasonKind

CONTEXT = {"task": {"success": True}, "params": {"force": {"value": 12.5}}, "robot": {"type": "UR5e"}}


def test_scores_below_the_threshold_are_dropped(store):
    dense, thin = add(store, "pool"), add(store, "a pool among very many other words that matter as much")
    every = scores(ranked(store, BM25))
    between = (every[dense.id] + every[thin.id]) / 2
    ranking = ranked(store, BM25, MinimumScore(min=between))
    assert list(scores(ranking)) == [dense.id]
    reason = reasons(ranking)[thin.id]
    assert reason.kind is ReasonKind.BELOW_THRESHOLD
    assert reason.facts == {"score": every[thin.id], "threshold": between, "set_by": "threshold.min"}


def test_what_nothing_matched_is_dropped(store):
    matched, linked = add(store, "pool"), add(store, "linked")
    link(store, matched, linked)
    ranking = ranked(store, BM25, AboveZero(), recall=(FullText(), LinkedMemories()))
    assert list(scores(ranking)) == [matched.id]
    assert reasons(ranking)[linked.id].kind is ReasonKind.NOT_MATCHED


@pytest.mark.parametrize(("asked", "kept", "set_by"), [(None, 1, "min-confidence.min"), (0.9, 0, "the query")])
def test_a_minimum_confidence_is_the_profiles_or_the_querys(store, asked, kept, set_by):
    add(store, "pool", confidence=0.5)
    low = add(store, "the pool", confidence=0.29)
    ranking = ranked(store, BM25, MinimumConfidence(), min_confidence=asked)
    assert len(scores(ranking)) == kept
    reason = reasons(ranking)[low.id]
    assert (reason.kind, reason.facts["confidence"], reason.facts["set_by"]) == (
        ReasonKind.BELOW_THRESHOLD,
        0.29,
        set_by,
    )


def test_only_the_named_session_stays(store):
    mine, other = add(store, "pool", session="abc"), add(store, "the pool", session="other")
    assert len(scores(ranked(store, BM25, SessionFilter()))) == 2
    ranking = ranked(store, BM25, SessionFilter(), session="abc")
    assert list(scores(ranking)) == [mine.id]
    reason = reasons(ranking)[other.id]
    assert (reason.kind, reason.facts["found"]) == (ReasonKind.FILTERED, "other")


@pytest.mark.parametrize(
    ("wanted", "is_kept"),
    [
        ({"task.success": True}, True),
        ({"task.success": 1}, False),
        ({"params.force.value": {"$lt": 15.0}}, True),
        ({"params.force.value": {"$gte": 10.0, "$lte": 20.0}}, True),
        ({"params.force.value": {"$gt": 12.5}}, False),
        ({"params.force.value": {"$ne": 3}}, True),
        ({"task.success": True, "robot.type": "UR5e"}, True),
        ({"task.success": True, "robot.type": "Panda"}, False),
        ({"robot.type": {"$lt": 5}}, False),
        ({"robot": {"$gt": 1}}, False),
        ({"nowhere.at.all": None}, False),
    ],
)
def test_context_is_matched_by_dot_paths_and_a_wrong_type_is_no_match(store, wanted, is_kept):
    memory = add(store, "pool", context=CONTEXT)
    ranking = ranked(store, BM25, ContextFilter(), context=wanted)
    assert (memory.id in scores(ranking)) is is_kept
    if not is_kept:
        reason = reasons(ranking)[memory.id]
        assert (reason.kind, reason.facts["filter"]) == (ReasonKind.FILTERED, "context")


def test_nearest_comes_first_and_too_far_is_dropped(store):
    places = ([1.0, 1.0, 0.4], [1.3, 0.7, 0.42], [9.0, 9.0, 9.0], "nowhere", [1.0, 1.0])
    ids = [add(store, f"pool {n}", context={"at": place}).id for n, place in enumerate(places)]
    target = (1.3, 0.7, 0.42)
    ranking = ranked(store, BM25, SpatialOrder(), spatial=Spatial("at", target))
    assert list(scores(ranking))[:3] == [ids[1], ids[0], ids[2]]
    assert len(scores(ranking)) == 5
    bounded = ranked(store, BM25, SpatialOrder(), spatial=Spatial("at", target, 0.5))
    assert list(scores(bounded)) == [ids[1], ids[0]]
    assert reasons(bounded)[ids[2]].facts["distance"] == pytest.approx(math.dist(places[2], target))
    assert reasons(bounded)[ids[3]].facts["distance"] is None


def test_without_a_place_the_order_stays(store):
    add(store, "pool")
    add(store, "the pool")
    assert scores(ranked(store, BM25, SpatialOrder())) == scores(ranked(store, BM25))
