"""Explanations as data: a term's value follows from its parts."""

from __future__ import annotations

import math

import pytest

from core.pipeline.trace import Operator, leaf, term


@pytest.mark.parametrize(
    ("operation", "numbers", "expected"),
    [
        (Operator.SUM, (1.0, 2.0, 3.5), 6.5),
        (Operator.PRODUCT, (2.0, 3.0, 0.5), 3.0),
        (Operator.SUBTRACT, (1.0, 3.0), -2.0),
        (Operator.DIVIDE, (1.0, 4.0), 0.25),
        (Operator.POWER, (0.5, 3.0), 0.125),
        (Operator.EXP, (-1.0,), math.exp(-1)),
        (Operator.LOG, (math.e,), 1.0),
        (Operator.MAX, (1.0, 3.0, 2.0), 3.0),
        (Operator.CLAMP, (1.4, 0.0, 1.0), 1.0),
        (Operator.CLAMP, (-0.4, 0.0, 1.0), 0.0),
        (Operator.RECIPROCAL_RANK, (1.0, 60.0, 2.0), 1 / 62),
    ],
)
def test_a_value_follows_from_the_parts_by_the_operation(operation, numbers, expected):
    made = term("made", operation, *(leaf("part", number) for number in numbers))
    assert made.value == pytest.approx(expected)
    assert (made.operation, len(made.parts)) == (operation, len(numbers))


def test_every_operation_but_a_leaf_can_be_computed():
    for operation in set(Operator) - {Operator.LEAF}:
        assert math.isfinite(term("x", operation, leaf("a", 1), leaf("b", 1), leaf("c", 1)).value)


def test_a_leaf_is_a_float_with_facts_and_minus_zero_is_zero():
    made = leaf("days", 3, since="monday")
    assert (type(made.value), made.facts["since"], made.operation) == (float, "monday", Operator.LEAF)
    assert math.copysign(1, leaf("x", -0.0).value) == 1


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="ratio is no number"):
        term("ratio", Operator.PRODUCT, leaf("a", 1e308), leaf("b", 1e308))


def test_a_part_is_found_by_its_name_anywhere_in_the_tree():
    inner = term("inner", Operator.SUM, leaf("deep", 2.0))
    tree = term("outer", Operator.SUM, leaf("first", 1.0), inner)
    assert tree.part("deep") == leaf("deep", 2.0)
    assert tree.part("none") is None
