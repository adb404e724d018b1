"""Columns of numbers that remember how they were computed: the arithmetic of the stages, and its one explainer.

The values of an expression are computed at once, for every row of the pool; its inputs are kept. `explain` makes the
tree of one row from them, and `breakdown` the shares that add up to its score. Nothing else explains a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.fast_tuples import new_tuple
from core.formulas import fusion
from core.pipeline.trace import Breakdown, Contribution, Operator, Term, leaf

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Values = Floats | float  # a number stands for a column of equal ones
Facts = Callable[[int], Mapping[str, Any]]  # of a row: for reading, not for computing

# Begins the name of a score that a stage has changed, followed by the stage's.
SCORE_AFTER = "score after "


class Expr:
    """A named column: its values, and the operation and inputs they came from.

    `present` says in which rows it is at all: a sum leaves out the parts that a row lacks. `choose` gives the
    expression that a row has its value from, where that depends on the row. `explain_row` explains numbers that no
    arithmetic of columns gives: what a source found, activation, PageRank.
    """

    __slots__ = ("choose", "explain_row", "facts", "inputs", "is_score", "name", "operation", "present", "values")

    def __init__(
        self,
        name: str,
        values: Values,
        operation: Operator = Operator.LEAF,
        inputs: tuple[Expr, ...] = (),
        *,
        facts: Facts | None = None,
        present: Mask | None = None,
        explain_row: Callable[[int], Term] | None = None,
        choose: Callable[[int], Expr] | None = None,
    ) -> None:
        self.name, self.values, self.operation, self.inputs = name, values, operation, inputs
        self.facts, self.present, self.explain_row, self.choose = facts, present, explain_row, choose
        self.is_score = False  # set by the run: whether it is the score after some stage

    def named(self, name: str) -> Expr:
        self.name = name
        return self

    def with_facts(self, facts: Facts) -> Expr:
        self.facts = facts
        return self

    def at(self, row: int) -> float:
        values = self.values
        return float(values[row] if isinstance(values, np.ndarray) else values) + 0.0  # −0.0 is 0.0

    def column(self, size: int) -> Floats:
        """Return a value for each row, also of a constant."""
        return self.values if isinstance(self.values, np.ndarray) else np.full(size, self.values)

    def __add__(self, other: Expr | float) -> Expr:
        return total("sum", [self, expression(other)])

    def __radd__(self, other: float) -> Expr:
        return expression(other) + self

    def __sub__(self, other: Expr | float) -> Expr:
        by = expression(other)
        return Expr("difference", self.values - by.values, Operator.SUBTRACT, (self, by), present=_both(self, by))

    def __rsub__(self, other: float) -> Expr:
        return expression(other) - self

    def __mul__(self, other: Expr | float) -> Expr:
        by = expression(other)
        return Expr("product", self.values * by.values, Operator.PRODUCT, (self, by), present=_both(self, by))

    def __rmul__(self, other: float) -> Expr:
        return expression(other) * self

    def __truediv__(self, other: Expr | float) -> Expr:
        by = expression(other)
        if by is other or by.values:
            values = self.values / by.values
        else:
            raise ZeroDivisionError("float division by zero")
        return Expr("quotient", values, Operator.DIVIDE, (self, by), present=_both(self, by))

    def __rtruediv__(self, other: float) -> Expr:
        return expression(other) / self

    def __rpow__(self, base: float) -> Expr:
        root = expression(base)
        return Expr("power", root.values**self.values, Operator.POWER, (root, self), present=self.present)

    def exp(self) -> Expr:
        return Expr("exp", np.exp(self.values), Operator.EXP, (self,), present=self.present)

    def maximum(self, least: Expr | float) -> Expr:
        other = expression(least)
        return Expr("largest", np.maximum(other.values, self.values), Operator.MAX, (other, self), present=self.present)

    def clamp(self, least: float, most: float) -> Expr:
        values = np.minimum(most, np.maximum(least, self.values))
        inputs = (self, expression(least), expression(most))
        return Expr("clamped", values, Operator.CLAMP, inputs, present=self.present)


_VARIADIC = (Operator.SUM, Operator.PRODUCT)


def constant(name: str, value: float) -> Expr:
    return Expr(name, value + 0.0)


def expression(value: Expr | float) -> Expr:
    """Return a number as an expression, under the name it may have (`core/formulas/numbers.py`)."""
    return value if isinstance(value, Expr) else Expr(getattr(value, "name", "") or f"{value:g}", float(value))


def total(name: str, parts: Sequence[Expr]) -> Expr:
    """Return the sum of the parts; a row that lacks one has 0 for it. A row that lacks all of them lacks the sum."""
    values: Values = 0.0
    for part in parts:
        values = values + (part.values if part.present is None else np.where(part.present, part.values, 0.0))
    present = None
    if parts and all(part.present is not None for part in parts):
        present = np.logical_or.reduce([part.present for part in parts if part.present is not None])
    return Expr(name, values, Operator.SUM, tuple(parts), present=present)


def product(name: str, first: Expr, factors: Sequence[Expr]) -> Expr:
    """Return the product; a factor that a row lacks is 1 there and left out of its explanation."""
    values = first.values
    for factor in factors:
        values = values * factor.values
    return Expr(name, values, Operator.PRODUCT, (first, *factors))


def largest(name: str, score: Expr, other: Expr, facts: Facts) -> Expr:
    """Return the larger of a score and something else."""
    return Expr(name, np.maximum(score.values, other.values), Operator.MAX, (score, other), facts=facts)


def reciprocal_rank(name: str, weight: float, k: float, ranks: Floats) -> Expr:
    """Return weight / (k + rank)."""
    inputs = constant("weight", weight), constant("k", k), Expr("rank", ranks)
    return Expr(name, fusion.reciprocal_rank(ranks, k, weight), Operator.RECIPROCAL_RANK, inputs)


def where(condition: Mask, then: Expr, other: Expr) -> Expr:
    """Return one expression where a condition holds and another elsewhere; a row is explained by the one it has."""
    values = np.where(condition, then.values, other.values)
    return Expr(then.name, values, choose=lambda row: then if condition[row] else other)


def explain(expr: Expr, row: int) -> Term:
    """Return the tree of one number. Every value in it is the one that was computed with."""
    if expr.choose is not None:
        return explain(expr.choose(row), row)
    if expr.explain_row is not None:
        return expr.explain_row(row)
    facts = {} if expr.facts is None else expr.facts(row)
    if expr.operation is Operator.LEAF:
        return new_tuple(Term, (expr.name, expr.at(row), Operator.LEAF, (), facts))
    inputs = _present_inputs(expr, row)
    if not inputs:
        return leaf(expr.name, expr.at(row))
    if expr.operation in _VARIADIC and len(inputs) == 1 and inputs[0].is_score:  # a stage that leaves this row alone
        return explain(inputs[0], row)
    parts = tuple([explain(each, row) for each in inputs])
    return new_tuple(Term, (expr.name, expr.at(row), expr.operation, parts, facts))


def breakdown(expr: Expr | None, row: int) -> Breakdown:
    """Return the shares that add up to a score, and the losses that factors below 1 took from them."""
    if expr is None:
        return Breakdown(())
    shares, losses = _taken_apart(expr, row)
    return Breakdown(tuple(shares), tuple(loss for loss in losses if loss.value > 0))


_Parts = tuple[list[Contribution], list[Contribution]]


def _taken_apart(expr: Expr, row: int) -> _Parts:
    if expr.choose is not None:
        return _taken_apart(expr.choose(row), row)
    rule = _RULES.get(expr.operation)
    if rule is None:
        return [Contribution(expr.name, expr.at(row))], []
    return rule(expr, row)


def _of_sum(expr: Expr, row: int) -> _Parts:
    """The parts of a sum; only the part that is an earlier score is taken apart further."""
    shares: list[Contribution] = []
    losses: list[Contribution] = []
    for part in _present_inputs(expr, row):
        if part.is_score:
            own, lost = _taken_apart(part, row)
            shares += own
            losses += lost
        else:
            shares.append(Contribution(part.name, part.at(row)))
    return shares or [Contribution(expr.name, expr.at(row))], losses


def _of_product(expr: Expr, row: int) -> _Parts:
    first, *factors = _present_inputs(expr, row)
    shares, losses = _taken_apart(first, row)
    for factor in factors:
        by = factor.at(row)
        if 0 <= by < 1:
            losses.append(Contribution(factor.name, sum(share.value for share in shares) * (1 - by)))
        shares = _scaled(shares, by)
    return shares, losses


def _of_quotient(expr: Expr, row: int) -> _Parts:
    by = expr.inputs[1].at(row)
    if not by:
        return [Contribution(expr.name, expr.at(row))], []
    shares, losses = _taken_apart(expr.inputs[0], row)
    return _scaled(shares, 1 / by), _scaled(losses, 1 / by)


def _of_clamp(expr: Expr, row: int) -> _Parts:
    if expr.at(row) != expr.inputs[0].at(row):
        return [Contribution(expr.name, expr.at(row))], []
    return _taken_apart(expr.inputs[0], row)


def _of_maximum(expr: Expr, row: int) -> _Parts:
    """A score that a stage has lifted: its own parts, and the lift under the stage's name."""
    first = expr.inputs[0]
    if not first.is_score:
        return [Contribution(expr.name, expr.at(row))], []
    shares, losses = _taken_apart(first, row)
    lift = expr.at(row) - first.at(row)
    return ([*shares, Contribution(expr.name.removeprefix(SCORE_AFTER), lift)] if lift else shares), losses


_RULES: Mapping[Operator, Callable[[Expr, int], _Parts]] = {
    Operator.SUM: _of_sum,
    Operator.PRODUCT: _of_product,
    Operator.DIVIDE: _of_quotient,
    Operator.CLAMP: _of_clamp,
    Operator.MAX: _of_maximum,
}


def _scaled(shares: list[Contribution], by: float) -> list[Contribution]:
    return [Contribution(share.name, share.value * by) for share in shares]


def _present_inputs(expr: Expr, row: int) -> list[Expr]:
    """Return the inputs that a row has; only a sum and a product may lack some."""
    if expr.operation not in _VARIADIC:
        return list(expr.inputs)
    return [each for each in expr.inputs if each.present is None or each.present[row]]


def _both(one: Expr, other: Expr) -> Mask | None:
    if one.present is None or other.present is None:
        return other.present if one.present is None else one.present
    return one.present & other.present
