"""The tokens of every memory, field by field."""

from __future__ import annotations

import numpy as np
import pytest

from core.search_cache.field_lengths import FieldLengths
from core.search_types import FIELDS


def int64s(*numbers):
    return np.array(numbers, dtype=np.int64)


def row(**fields):
    return [fields.get(name, 0) for name in FIELDS]


@pytest.fixture
def lengths():
    return FieldLengths(2, int64s(1, 2), int64s(*row(content=3, tags=1), *row(content=5)))


def test_the_total_is_over_all_fields_and_minus_one_where_there_is_no_memory(lengths):
    assert lengths.total[:3].tolist() == [-1, 4, 5]
    assert lengths.of(range(len(FIELDS))) is lengths.total


def test_the_length_over_some_fields(lengths):
    content, tags = FIELDS.index("content"), FIELDS.index("tags")
    assert lengths.of([content])[1:3].tolist() == [3, 5]
    assert lengths.of([tags])[1:3].tolist() == [1, 0]


def test_a_changed_memory_has_new_lengths_and_one_that_is_gone_none(lengths):
    content = FIELDS.index("content")
    assert lengths.of([content])[1] == 3
    lengths.replace(int64s(1, 2), int64s(1), int64s(*row(content=7)))
    assert lengths.total[1:3].tolist() == [7, -1]
    assert lengths.of([content])[1] == 7


def test_a_field_of_more_than_255_tokens_is_kept_exactly(lengths):
    lengths.replace(int64s(1), int64s(1), int64s(*row(content=70_000)))
    assert lengths.of([FIELDS.index("content")])[1] == lengths.total[1] == 70_000


def test_there_is_room_for_higher_ids(lengths):
    lengths.grow(5_000)
    assert len(lengths.total) >= 5_000
    assert len(lengths.of([0])) == len(lengths.total)
    assert lengths.nbytes > 5_000
