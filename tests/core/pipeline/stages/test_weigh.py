"""Weights besides the match: each changes a score by its formula, and explains it."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from ranking import BM25, FULL_TEXT, explanation, ranked, scores
from store_steps import add

from core.errors import UserError
from core.pipeline.stages.recall import FullText
from core.pipeline.stages.weigh import (
    BlendRecency,
    Competition,
    ConfidenceWeight,
    DecayWeight,
    ImportanceBoost,
    SourceWeight,
    StatusPenalty,
)


def one(store, stage, *, recall=FULL_TEXT, **fields):
    """The score of one memory before and after a stage, 60 days after it was written, and the memory's explanation."""
    memory = add(store, "pool", **fields)
    for n in range(3):
        add(store, f"filler {n}")
    store.clock.advance(timedelta(days=60))
    before = scores(ranked(store, BM25, recall=recall))[memory.id]
    ranking = ranked(store, BM25, stage, recall=recall)
    return before, scores(ranking)[memory.id], explanation(ranking, memory)


def test_confidence_multiplies(store):
    before, after, tree = one(store, ConfidenceWeight(), confidence=0.4)
    assert after == pytest.approx(0.4 * before)
    assert tree.part("confidence").value == 0.4


@pytest.mark.parametrize(
    ("stage", "left"),
    [
        (DecayWeight(half_life_days=30), 0.25),
        (DecayWeight(half_life_days=None, rate_per_day=0.05), math.exp(-0.05 * 60)),
        (DecayWeight(half_life_days=None, rate_per_hour=0.01), math.exp(-0.01 * 60 * 24)),
        (DecayWeight(half_life_days=30, basis="newest"), 1.0),
    ],
    ids=["half-life", "per day", "per hour", "since the newest"],
)
def test_age_lowers_a_score_by_one_law(store, stage, left):
    before, after, tree = one(store, stage)
    assert after == pytest.approx(left * before)
    assert tree.part("decay").value == pytest.approx(left)


def test_age_may_count_from_the_last_access(store, clock):
    accessed = (clock.now() + timedelta(days=30)).isoformat()
    before, after, _ = one(store, DecayWeight(half_life_days=30, basis="accessed"), last_accessed_at=accessed)
    assert after == pytest.approx(0.5 * before)


def test_a_pinned_memory_never_decays(store):
    before, after, tree = one(store, DecayWeight(half_life_days=30), pinned=True)
    assert after == before
    assert tree.part("decay").facts["pinned"]


def test_what_lowers_a_positive_score_lowers_a_negative_one_too(store):
    add(store, "the pool again")
    add(store, "pool once more")
    add(store, "and a pool")
    add(store, "pool, too")
    recall = (FullText(okapi=True),)
    before, after, _ = one(store, ConfidenceWeight(), recall=recall, confidence=0.4)
    assert before < 0
    assert after == pytest.approx((2 - 0.4) * before)


@pytest.mark.parametrize(
    "wrong", [{"basis": "never"}, {"rate_per_day": 0.1}, {"half_life_days": None}, {"half_life_days": 0.0}]
)
def test_a_decay_without_exactly_one_law_is_refused(store, wrong):
    with pytest.raises(UserError):
        one(store, DecayWeight(**wrong))


def test_recency_is_blended_in_within_its_window(store):
    before, after, _ = one(store, BlendRecency(weight=0.3, window_days=120))
    assert after == pytest.approx(0.7 * before + 0.3 * 0.5)


def test_beyond_its_window_recency_adds_nothing(store):
    before, after, _ = one(store, BlendRecency(weight=0.3, window_days=30))
    assert after == pytest.approx(0.7 * before)


def test_competition_is_the_weighted_sum(store):
    before, after, tree = one(store, Competition(), confidence=0.6, strength=0.7)
    assert after == pytest.approx(0.5 * before + 0.2 * math.exp(-0.05 * 60) + 0.2 * 0.7 + 0.1 * 0.6)
    assert [part.name.removesuffix(" share") for part in tree.parts] == [
        "activation",
        "recency",
        "strength",
        "confidence",
    ]


@pytest.mark.parametrize(
    ("status", "left"), [("active", 1.0), ("superseded", 0.5), ("contradicted", 0.3), ("archived", 0.0)]
)
def test_a_status_leaves_its_share(store, status, left):
    before, after, _ = one(store, StatusPenalty(), status=status)
    assert after == pytest.approx(left * before)


@pytest.mark.parametrize(
    ("context", "factor", "found"),
    [
        ({"env": {"sim_or_real": "real"}}, 1.5, "real"),
        ({"env": {"sim_or_real": "sim"}}, 1.0, "sim"),
        ({}, 1.0, "nothing"),
    ],
)
def test_what_was_real_counts_more(store, context, factor, found):
    before, after, tree = one(store, SourceWeight(), context=context)
    assert after == pytest.approx(factor * before)
    assert tree.part("source").facts["found"] == found


@pytest.mark.parametrize(("importance", "boost"), [("high", 1 / 61 - 1 / 71), ("normal", 0.0)])
def test_high_importance_is_worth_ten_ranks(store, importance, boost):
    before, after, _ = one(store, ImportanceBoost(), importance=importance)
    assert after == pytest.approx(before + boost)
