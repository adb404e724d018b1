"""Expressions: columns that know how they were computed, explained row by row and taken apart into shares."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.formulas.numbers import Constant
from core.pipeline.expr import Expr, breakdown, constant, explain, largest, product, total, where
from core.pipeline.trace import Operator, leaf, term

FIRST, SECOND = 0, 1


def column(name: str, *values: float, present: tuple[bool, ...] | None = None) -> Expr:
    return Expr(name, np.array(values), present=None if present is None else np.array(present))


def score(name: str, *values: float) -> Expr:
    made = column(name, *values)
    made.is_score = True
    return made


A, B = column("a", 3.0, 8.0), column("b", 2.0, 0.5)


@pytest.mark.parametrize(
    ("expr", "operation", "expected"),
    [
        (A + B, Operator.SUM, 5.0),
        (A - B, Operator.SUBTRACT, 1.0),
        (Constant("one", 1.0) - A, Operator.SUBTRACT, -2.0),
        (A * B, Operator.PRODUCT, 6.0),
        (Constant("two", 2.0) * A, Operator.PRODUCT, 6.0),
        (A / B, Operator.DIVIDE, 1.5),
        (Constant("one half", 0.5) ** B, Operator.POWER, 0.25),
        (A.exp(), Operator.EXP, math.exp(3)),
        (A.maximum(5.0), Operator.MAX, 5.0),
        (A.clamp(0.0, 1.0), Operator.CLAMP, 1.0),
    ],
)
def test_each_operation_gives_a_number_that_its_tree_recomputes(expr, operation, expected):
    tree = explain(expr.named("made"), FIRST)
    assert (tree.name, tree.operation, tree.value) == ("made", operation, pytest.approx(expected))
    assert term("again", operation, *tree.parts).value == pytest.approx(tree.value)
    assert [part.parts for part in tree.parts] == [()] * len(tree.parts)


def test_a_number_stands_in_a_tree_under_its_own_name_or_as_it_is_written():
    assert [part.name for part in explain(Constant("trust", 2.0) * A, FIRST).parts] == ["trust", "a"]
    assert [part.name for part in explain(A * 2.5, FIRST).parts] == ["a", "2.5"]


def test_division_by_zero_is_refused_and_by_a_column_of_zeros_is_no_number():
    with pytest.raises(ZeroDivisionError):
        _ = A / 0.0
    with np.errstate(all="ignore"):
        assert math.isinf((A / column("zero", 0.0, 0.0)).at(FIRST))


def test_a_sum_leaves_out_what_a_row_lacks_and_a_row_that_lacks_all_lacks_the_sum():
    some, other = column("some", 1.0, 0.0, 0.0, present=(True, False, False)), column("x", 0, 4, 9, present=(0, 1, 0))
    both = total("both", [some, other])
    assert both.values.tolist() == [1.0, 4.0, 0.0]
    assert both.present.tolist() == [True, True, False]
    assert [part.name for part in explain(both, SECOND).parts] == ["x"]
    assert explain(total("more", [both]), 2) == leaf("more", 0.0)


def test_a_factor_that_a_row_lacks_is_left_out_and_a_score_that_nothing_changes_stays_itself():
    own = score("own", 2.0, 3.0)
    lost = column("lost", 0.5, 1.0, present=(True, False))
    after = product("after", own, [lost])
    assert after.values.tolist() == [1.0, 3.0]
    assert [part.name for part in explain(after, FIRST).parts] == ["own", "lost"]
    assert explain(after, SECOND) == explain(own, SECOND)


def test_a_choice_is_explained_by_the_expression_that_the_row_has():
    chosen = where(np.array([True, False]), constant("pinned", 1.0), (A * B).named("faded"))
    assert chosen.values.tolist() == [1.0, 4.0]
    assert explain(chosen, FIRST) == leaf("pinned", 1.0)
    assert (explain(chosen, SECOND).name, explain(chosen, SECOND).value) == ("faded", 4.0)


def test_what_is_no_arithmetic_explains_itself():
    given = Expr("given", np.array([1.0, 2.0]), explain_row=lambda row: leaf("row", row))
    assert explain(given, SECOND) == leaf("row", 1)
    assert [(each.name, each.value) for each in breakdown(given, SECOND).shares] == [("given", 2.0)]


def test_facts_are_of_the_row():
    assert explain(column("a", 1.0, 2.0).with_facts(lambda row: {"row": row}), SECOND).facts == {"row": 1}


# how a score is taken apart


def shares(expr: Expr, row: int = FIRST) -> list[tuple[str, float]]:
    return [(each.name, round(each.value, 6)) for each in breakdown(expr, row).shares]


def test_what_confidence_and_decay_took_away_is_named():
    fused = total("fused", [column("bm25", 0.06, 0.0), column("vector", 0.04, 0.0)])
    decayed = (fused * column("confidence", 0.5, 1.0)) * column("decay", 0.8, 1.0)
    parts = breakdown(decayed, FIRST)
    assert shares(decayed) == [("bm25", 0.024), ("vector", 0.016)]
    assert [(loss.name, round(loss.value, 6)) for loss in parts.losses] == [("confidence", 0.05), ("decay", 0.01)]
    assert round(parts.before, 6) == 0.1


def test_an_earlier_score_within_a_sum_is_taken_apart_and_other_sums_are_not():
    before = total("evidence", [column("words", 0.5, 0.0), column("beside", 0.25, 0.0)])
    with_before = total("blend", [before, column("meaning", 0.125, 0.0)])
    assert shares(with_before) == [("evidence", 0.75), ("meaning", 0.125)]
    before.is_score = True
    assert shares(with_before) == [("words", 0.5), ("beside", 0.25), ("meaning", 0.125)]


def test_a_division_scales_the_shares_and_a_clamp_that_cuts_hides_them():
    both = total("both", [column("a", 1.0, 30.0), column("b", 3.0, 0.0)])
    clamped = (both / 8.0).clamp(0.0, 1.0).named("normalised")
    assert shares(clamped) == [("a", 0.125), ("b", 0.375)]
    assert shares(clamped, SECOND) == [("normalised", 1.0)]


def test_what_lifts_a_score_is_a_share_under_the_name_of_the_stage():
    own = score("own", 2.0, 3.0)
    lifted = largest("score after newer", own, column("above", 2.5, 1.0), lambda _: {})
    assert shares(lifted) == [("own", 2.0), ("newer", 0.5)]
    assert shares(lifted, SECOND) == [("own", 3.0)]


def test_without_a_score_there_is_nothing_to_take_apart():
    assert breakdown(None, FIRST).shares == ()
