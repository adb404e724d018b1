"""A pool: columns of scores, the order they make, and what is read or built on demand."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from pools import Given, judged, pool_of

from core import draft
from core.model import MemoryId
from core.pipeline.expr import Expr
from core.pipeline.pool import Candidates, Memories, ScoreColumn, Step, fact_columns
from core.pipeline.query import Query
from core.pipeline.stages.cut import TopK

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def candidates(*ids: int) -> Candidates:
    memory = draft.memory({"content": "a memory"}, NOW)
    pool = pool_of(Given(memory._replace(id=MemoryId(id))) for id in ids)
    return Candidates(pool, np.arange(len(pool)))


def scored(found: Candidates, *values: float) -> Candidates:
    return found.after(Step(Expr("own", np.array(values))))


def ids(found: Candidates) -> list[int]:
    return [id for id, _ in found.ranked()]


def test_a_column_orders_candidates_by_score_and_equals_by_id():
    found = scored(candidates(3, 1, 2), 0.5, 0.9, 0.5)  # of 1, 2 and 3: rows are in the order of the ids
    assert found.ranked() == [(2, 0.9), (1, 0.5), (3, 0.5)]
    assert [found.pool.ids[row] for row in found.first(2)] == [2, 1]


def test_each_score_is_explained_from_the_one_before():
    first = scored(candidates(1, 2), 4.0, 8.0)
    half = first.after(Step((first.score * 0.5).named("half")))
    best, other = (half.candidate(row) for row in half.first(2))
    assert (best.id, best.value, best.score.value) == (2, 4.0, 4.0)
    assert [part.value for part in other.score.parts] == [4.0, 0.5]


def test_what_has_no_score_yet_is_in_the_order_of_the_ids():
    found = candidates(2, 1)
    assert not found.is_scored
    assert found.ranked() == [(1, None), (2, None)]
    assert found.candidate(0).score is None


def test_rows_never_move_and_a_dropped_one_keeps_the_score_it_had():
    found = scored(candidates(1, 2, 3), 3.0, 2.0, 1.0)
    kept = found.after(Step(keep=np.array([True, False, True])))
    later = scored(kept, 1.0, 9.0, 2.0)
    assert (ids(kept), ids(later)) == ([1, 3], [3, 1])
    assert (found.candidate(1).value, found.candidate(1).id) == (2.0, 2)


def test_an_order_that_is_not_the_scores_stays_until_a_stage_scores_anew():
    found = scored(candidates(1, 2, 3), 3.0, 2.0, 1.0)
    placed = found.after(Step(order=np.array([2, 0, 1])))
    assert ids(placed) == [3, 1, 2]
    assert ids(placed.after(Step(keep=np.array([True, False, True])))) == [3, 1]
    assert ids(placed.after(Step(Expr("share", np.array([0.3, 0.2, 0.1])), keeps_order=True))) == [3, 1, 2]
    assert ids(scored(placed, 1.0, 3.0, 2.0)) == [2, 3, 1]


def test_why_a_candidate_was_cut_is_computed_on_demand():
    memory = draft.memory({"content": "a memory"}, NOW)
    pool = pool_of(Given(memory._replace(id=MemoryId(id)), {"bm25": 4.0 - id}) for id in (1, 2, 3))
    from core.pipeline.stages.normalise import RawScore

    *_, cut = judged([RawScore(list="bm25"), TopK()], Query(text="q", now=NOW, k=2), pool)
    assert ids(cut.after) == [1, 2]
    (drop,) = cut.drops
    assert (drop.memory_id, drop.rank, drop.score, drop.reason.facts["gap"]) == (3, 3, 1.0, 1.0)


def test_a_list_has_a_rank_for_each_row_that_it_found_and_nothing_of_the_others():
    found = ScoreColumn("bm25", np.array([2.0, np.nan, 7.0, 2.0]))
    assert found.found.tolist() == [2.0, 7.0, 2.0]
    assert [None if np.isnan(rank) else rank for rank in found.ranks] == [2, None, 1, 3]
    assert found.term(1).facts == {"absent": True}


def test_a_memory_is_read_once_and_several_at_once():
    asked: list[list[int]] = []
    memory = draft.memory({"content": "a memory"}, NOW)

    def read(ids):
        asked.append(list(ids))
        return {id: memory._replace(id=id) for id in asked[-1]}

    known = Memories(read)
    known.read([MemoryId(1), MemoryId(2)])
    assert (known[MemoryId(1)].id, known[MemoryId(3)].id) == (1, 3)
    known.read([MemoryId(2), MemoryId(3)])
    assert asked == [[1, 2], [3]]


def test_facts_are_in_the_order_of_the_ids_and_times_are_whole_microseconds():
    first = draft.memory({"content": "Who?", "session": "s", "entities": ["Ana"], "created_at": NOW}, NOW)
    found = fact_columns([first._replace(id=MemoryId(2)), first._replace(id=MemoryId(1), content="Ana.")])
    assert found.ids.tolist() == [1, 2]
    assert found.asks.tolist() == [False, True]
    assert found.created.tolist() == [1_794_700_800_000_000] * 2
    assert found.entities.tolist() == [("Ana",), ("Ana",)]
