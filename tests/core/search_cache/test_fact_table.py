"""The facts of every memory as columns, and the order within each session."""

from __future__ import annotations

import pytest
from dict_engine import DictEngine

from core.model import Filter
from core.search_cache.cache_protocol import CacheMiss
from core.search_cache.fact_table import FactTable
from core.search_cache.filter_masks import FilterMasks

SIZE = 20
EVERY = Filter()


@pytest.fixture
def engine():
    made = DictEngine()
    for id in (1, 2, 3, 5, 8):  # of the session "fact", a minute times the id after 1970
        made.put(id, "Who?" if id == 2 else "text")
    made.put(4, "text", "decision")
    return made


@pytest.fixture
def table(engine):
    return FactTable.read(engine, engine.last_change())


def neighbours(table, engine, id, steps=2, wanted=EVERY):
    return table.session_neighbours([id], FilterMasks().of(engine, wanted, SIZE), steps)[id]


def test_the_facts_of_those_that_exist_are_in_the_order_of_the_ids(table):
    found = table.of([8, 2, 7, 1, 99])
    assert found.ids.tolist() == [1, 2, 8]
    assert found.asks.tolist() == [False, True, False]
    assert found.created.tolist() == [60_000_000, 120_000_000, 480_000_000]


def test_neighbours_are_the_nearest_of_the_session_before_and_after(table, engine):
    assert neighbours(table, engine, 3) == [(2, -1), (1, -2), (5, 1), (8, 2)]
    assert neighbours(table, engine, 1, steps=1) == [(2, 1)]
    assert neighbours(table, engine, 4) == []


def test_the_next_that_passes_the_filter_takes_the_step(table, engine):
    engine.put(4, "text")
    table.apply_changes(engine, [4], engine.last_change())
    engine.memories[4] = ("text", "decision", (1.0,) * 8)  # of another type, still of the session
    assert neighbours(table, engine, 3, wanted=Filter(types=("fact",))) == [(2, -1), (1, -2), (5, 1), (8, 2)]


def test_changes_move_a_memory_to_its_new_session_and_remove_another(table, engine):
    engine.put(4, "text?")
    engine.remove(2)
    table.apply_changes(engine, [2, 4], engine.last_change())
    assert neighbours(table, engine, 3) == [(1, -1), (4, 1), (5, 2)]
    assert table.of([2, 4]).ids.tolist() == [4]
    assert table.of([4]).asks.tolist() == [True]


def test_the_facts_of_an_empty_store_are_the_engines(engine):
    empty = FactTable.read(DictEngine(), 0)
    with pytest.raises(CacheMiss):
        empty.of([1])
    assert empty.nbytes == 0
