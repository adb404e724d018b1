"""Reciprocal rank fusion: several lists to one score, by rank alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from ranking import explanation, ranked, scores
from store_steps import SPACE, add, vector

from core.errors import UserError
from core.pipeline.stages.fuse import ReciprocalRankFusion
from core.pipeline.stages.recall import FullText, VectorSearch

RECALL = (FullText(), VectorSearch(limit=2))
NEAR = {"vector": vector(1, 0, 0, 0).vector, "space": SPACE}


@pytest.fixture
def three(store, clock):
    """By BM25: 1, 2; by cosine: 3, 2; by creation: 3, 2, 1."""
    made = []
    for content, numbers, count in (
        ("pool", (0, 0, 0, 1), 2), ("the pool of it all", (0.6, 0.8, 0, 0), 2), ("another", (1, 0, 0, 0), 0),
    ):  # fmt: skip
        made.append(add(store, content, {SPACE: vector(*numbers)}, access_count=count))
        clock.advance(timedelta(days=1))
    return [memory.id for memory in made]


def test_a_score_is_the_sum_of_weight_over_k_plus_rank(store, three):
    first, second, third = three
    fused = ranked(store, ReciprocalRankFusion(weights=(2.0, 1.0), k=10), recall=RECALL, **NEAR)
    assert scores(fused) == {
        second: pytest.approx(2 / 12 + 1 / 12),
        first: pytest.approx(2 / 11),
        third: pytest.approx(1 / 11),
    }


def test_recency_and_access_rank_every_candidate(store, three):
    first, second, third = three
    stage = ReciprocalRankFusion(lists=("recency", "access"), weights=(1.0, 1.0), ranks="dense")
    assert scores(ranked(store, stage, recall=RECALL, **NEAR)) == {
        second: pytest.approx(1 / 62 + 1 / 61),
        first: pytest.approx(1 / 63 + 1 / 61),
        third: pytest.approx(1 / 61 + 1 / 62),
    }


def test_equal_scores_share_a_dense_rank_and_are_reported_as_tied(store, three):
    first, second, _ = three
    stage = ReciprocalRankFusion(lists=("access",), weights=(1.0,), ranks="dense")
    ranking = ranked(store, stage, recall=RECALL, **NEAR)
    assert scores(ranking)[first] == scores(ranking)[second]
    assert {each.id: each.score.part("access by rank").facts["tied_with"] for each in ranking.results} == {
        first: 1,
        second: 1,
        three[2]: 0,
    }


def test_a_list_that_lacks_a_memory_adds_nothing_and_the_shares_add_up_to_1(store, three):
    ranking = ranked(store, ReciprocalRankFusion(), recall=RECALL, **NEAR)
    result = next(each for each in ranking.results if each.id == three[0])
    tree = explanation(ranking, result)
    assert tree.part("vector by rank").facts["absent"]
    assert sum(part.facts["share"] for part in tree.parts) == pytest.approx(1.0)
    assert tree.part("bm25 by rank").part("rank").value == 1


@pytest.mark.parametrize("wrong", [{"ranks": "olympic"}, {"weights": (1.0,)}])
def test_a_way_of_ranking_or_weights_that_do_not_fit_are_refused(store, three, wrong):
    with pytest.raises(UserError):
        ranked(store, ReciprocalRankFusion(**wrong), recall=RECALL, **NEAR)
