"""Raw scores brought to 0…1."""

from __future__ import annotations

from core.formulas import normalise


def test_the_clamp_is_oros():
    assert normalise.divided_and_clamped(10, 25) == 10 / 25
    assert normalise.divided_and_clamped(30, 25) == 1
    assert normalise.divided_and_clamped(-3, 25) == 0
    assert normalise.by_maximum(2, 4) == 0.5
    assert normalise.by_maximum(2, 0) == 0
