"""Ratings of one query: kept with who and when, and what they say of an answer."""

from __future__ import annotations

from math import log2

import pytest

from core.changes import PERSON, Op
from core.services import evaluate, query, ratings, remember
from core.services.query import Question

ASKED = "how large is the pool?"


@pytest.fixture
def pool(workspace):
    for number, content in enumerate(["The pool has 10 connections", "A pool is cleaned on Mondays", "Redis"], 1):
        remember.remember(workspace, {"content": content, "uid": f"m{number}"}, actor=PERSON)
    return workspace


def test_a_rating_is_kept_with_who_and_when_and_touches_no_memory(pool):
    made, changes = evaluate.judge(pool, "mine", f" {ASKED} ", "m1", 2, judge=PERSON)
    assert ratings.judgements_of_query(pool, "mine", ASKED) == {"m1": made}
    assert (made.judge, made.judged_at) == (PERSON, pool.store.clock.now())
    assert changes.op is Op.JUDGE
    assert not changes
    assert (
        ratings.judgements_of_query(pool, "mine", "another") == ratings.judgements_of_query(pool, "other", ASKED) == {}
    )
    assert evaluate.judge(pool, "mine", ASKED, "m1", None, judge=PERSON)[0] is None
    assert ratings.judgements_of_query(pool, "mine", ASKED) == {}


def test_rating_again_leaves_a_query_in_its_category(pool):
    evaluate.judge(pool, "mine", ASKED, "m1", 2, judge=PERSON, category="database")
    evaluate.judge(pool, "mine", ASKED, "m1", 1, judge=PERSON)
    evaluate.judge(pool, "mine", ASKED, "m2", 0, judge=PERSON)
    assert {each.category for each in ratings.judgements_of_query(pool, "mine", ASKED).values()} == {"database"}


def test_what_is_relevant_and_not_returned_counts_as_missed(pool):
    answer = query.ask(pool, Question(text=ASKED, k=2))
    returned = [memory.uid for memory in answer.memories]
    assert sorted(returned) == ["m1", "m2"]
    evaluate.judge(pool, "mine", ASKED, returned[0], 0, judge=PERSON)
    assert ratings.progress(ratings.judgements_of_query(pool, "mine", ASKED), answer.memories) is None
    evaluate.judge(pool, "mine", ASKED, returned[1], 1, judge=PERSON)
    evaluate.judge(pool, "mine", ASKED, "m3", 2, judge=PERSON)
    found = ratings.progress(ratings.judgements_of_query(pool, "mine", ASKED), answer.memories)
    assert (found.judged, found.relevant, found.missed) == (3, 2, 1)
    assert found.scores["ndcg@10"] == pytest.approx((1 / log2(3)) / (2 / log2(2) + 1 / log2(3)))
    assert found.scores["mrr"] == 1 / 2
