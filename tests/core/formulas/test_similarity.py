"""How alike two things are."""

from __future__ import annotations

import pytest

from core.formulas import similarity


def test_overlap_and_distance():
    assert similarity.overlap({"a", "b"}, {"b", "c"}) == 1 / 3
    assert similarity.overlap(set(), set()) == 0
    assert similarity.euclidean((1.3, 0.7), (1.0, 0.3)) == pytest.approx(0.5)
    assert similarity.from_distance(0.25) == 0.75
