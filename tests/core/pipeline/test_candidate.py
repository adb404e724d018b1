"""A pool: columns of scores, the order they make, and what is built on demand."""

from __future__ import annotations

from datetime import UTC, datetime

from core import draft
from core.model import MemoryId
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stages.cut import TopK
from core.pipeline.trace import Operator, leaf, term

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def pool_of(*ids: int) -> Pool:
    memory = draft.memory({"content": "a memory"}, NOW)
    return Pool(tuple(Candidate(memory._replace(id=MemoryId(id))) for id in ids))


def half(candidate: Candidate):
    return term("half", Operator.PRODUCT, candidate.score, leaf("one half", 0.5))


def test_a_column_orders_candidates_by_score_and_equals_by_id():
    pool = pool_of(3, 1, 2).scored([0.5, 0.5, 0.9], lambda each: leaf("score", 0.0))
    assert [each.id for each in pool.candidates] == [2, 1, 3]
    assert [each.id for each in pool.first(2)] == [2, 1]
    assert list(pool.order) == [(2, 0.9), (1, 0.5), (3, 0.5)]


def test_each_score_is_explained_from_the_candidate_as_it_was_before():
    scores = {1: 4.0, 2: 8.0}
    first = pool_of(1, 2).scored([4.0, 8.0], lambda each: leaf("own", scores[each.id]))
    best, other = first.scored([2.0, 4.0], half).candidates
    assert (best.id, best.value, best.score.value) == (2, 4.0, 4.0)
    assert [part.value for part in other.score.parts] == [4.0, 0.5]


def test_what_has_no_score_yet_keeps_its_place():
    pool = pool_of(2, 1)
    assert not pool.is_scored
    assert [each.id for each in pool.candidates] == [2, 1]
    assert list(pool.order) == [(2, None), (1, None)]


def test_why_a_candidate_was_cut_is_computed_on_demand():
    pool = pool_of(1, 2, 3).scored([3.0, 2.0, 1.5], lambda each: leaf("score", 0.0))
    outcome = TopK()(Query(text="q", now=NOW, k=2), pool)
    assert [each.id for each in outcome.pool.candidates] == [1, 2]
    (drop,) = outcome.drops
    assert (drop.memory_id, drop.rank, drop.score, drop.reason.facts["gap"]) == (3, 3, 1.5, 0.5)
