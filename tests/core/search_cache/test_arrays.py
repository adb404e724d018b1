"""Arrays that grow, and lookup in sorted ids."""

from __future__ import annotations

import numpy as np

from core.search_cache.arrays import grown, positions


def ids(*numbers):
    return np.array(numbers, dtype=np.int32)


def test_an_array_with_room_is_the_same_and_another_is_copied_with_spare_room():
    array = ids(1, 2, 3)
    assert grown(array, 3, 0) is array
    larger = grown(array, 100, -1)
    assert (len(larger) > 100, larger.dtype) == (True, array.dtype)
    assert larger[:3].tolist() == [1, 2, 3]
    assert set(larger[3:].tolist()) == {-1}


def test_each_wanted_id_has_its_position_and_whether_it_is_there():
    at, is_there = positions(ids(5, 9, 1, 7), ids(1, 5, 7))
    assert is_there.tolist() == [True, False, True, True]
    assert at[is_there].tolist() == [1, 0, 2]


def test_among_no_ids_none_is_there():
    _, is_there = positions(ids(1, 2), ids())
    assert is_there.tolist() == [False, False]
