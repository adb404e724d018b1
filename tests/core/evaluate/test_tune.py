"""Tuning on queries that are seen, measured on those held out."""

from __future__ import annotations

import pytest
from golden_queries import QUERIES, shifted

from core.errors import UserError
from core.evaluate import tune


def test_tuning_finds_the_best_values_and_says_how_they_do_on_what_it_never_saw():
    found = tune.tune(
        QUERIES,
        lambda values: shifted(abs(values.get("by", 4) - 1) + (0 if values.get("kind", "a") == "b" else 2)),
        {"by": [0, 1, 2], "kind": ["a", "b"]},
        metric="mrr",
    )
    assert found.best.values == {"by": 1, "kind": "b"}
    assert (found.best.seen, found.best.held_out) == (1.0, 1.0)
    assert found.before.seen == pytest.approx(1 / 6)
    assert len(found.tries) == 6
    few = tune.tune(QUERIES, lambda values: shifted(0), {"by": list(range(100))}, metric="mrr", tries=7)
    assert len(few.tries) <= 7
    for wrong in ({"held_out": 1.0}, {"held_out": 0.0}):
        with pytest.raises(UserError, match="between 0 and 1"):
            tune.tune(QUERIES, lambda values: shifted(0), {"by": [1]}, metric="mrr", **wrong)
    with pytest.raises(UserError, match="at least one parameter"):
        tune.combinations({}, None, 1)
    with pytest.raises(UserError, match="too many"):
        tune.combinations({"a": range(1000), "b": range(1000)}, None, 1)


def test_the_held_out_part_is_the_same_each_time_and_shares_nothing_with_the_other():
    seen, kept = tune.split(QUERIES, 0.3)
    assert (seen, kept) == tune.split(QUERIES, 0.3)
    assert {each.id for each in seen} | {each.id for each in kept} == {each.id for each in QUERIES}
    assert not {each.id for each in seen} & {each.id for each in kept}
