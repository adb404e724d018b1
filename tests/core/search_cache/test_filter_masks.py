"""Which memories pass a filter: read once, kept for a few filters, and brought up to date."""

from __future__ import annotations

import pytest
from dict_engine import DictEngine

from core.model import Filter
from core.search_cache.filter_masks import MAX_FILTERS, FilterMasks

FACTS = Filter(types=("fact",))
SIZE = 10


@pytest.fixture
def engine():
    made = DictEngine()
    for id, type in ((1, "fact"), (2, "decision"), (3, "fact")):
        made.put(id, "text", type)
    return made


def passing(masks, engine, wanted=FACTS, size=SIZE):
    return masks.of(engine, wanted, size).ids.tolist()


def test_a_mask_has_the_memories_that_pass_and_their_number(engine):
    masks = FilterMasks()
    assert passing(masks, engine) == [1, 3]
    assert masks.of(engine, FACTS, SIZE).count == 2
    assert passing(masks, engine, Filter()) == [1, 2, 3]


def test_a_mask_is_kept_until_changes_are_applied(engine):
    masks = FilterMasks()
    passing(masks, engine)
    engine.put(2, "text", "fact")
    engine.remove(3)
    assert passing(masks, engine) == [1, 3]
    masks.apply_changes(engine, [2, 3], SIZE)
    assert passing(masks, engine) == [1, 2]
    assert masks.of(engine, FACTS, SIZE).count == 2


def test_a_mask_grows_with_the_highest_id(engine):
    masks = FilterMasks()
    passing(masks, engine)
    engine.put(50, "text", "fact")
    masks.apply_changes(engine, [50], 51)
    assert passing(masks, engine, size=51) == [1, 3, 50]


def test_only_the_filters_used_last_are_kept(engine):
    masks = FilterMasks()
    first = masks.of(engine, FACTS, SIZE)
    for number in range(MAX_FILTERS):
        masks.of(engine, Filter(types=(f"type {number}",)), SIZE)
    assert masks.of(engine, FACTS, SIZE) is not first
    assert passing(masks, engine) == [1, 3]
