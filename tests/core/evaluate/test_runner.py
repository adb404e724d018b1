"""Runs of any function from a query to a ranking."""

from __future__ import annotations

import pytest
from golden_queries import QUERIES, shifted

from core.errors import UserError
from core.evaluate import report, runner
from core.evaluate.judgement import GoldenQuery


def test_a_run_is_summed_up_by_category_and_counts_what_was_missed():
    run = runner.run("half", QUERIES, lambda q: [f"m{q.id[1:]}"] if q.category == "even" else [], ["recall@10", "mrr"])
    found = report.summary(run)
    assert (found.queries, found.means["recall@10"]) == (20, 0.5)
    assert {name: means["mrr"] for name, means in found.by_category.items()} == {"even": 1.0, "odd": 0.0}
    assert [each.missed for each in run.judged[:2]] == [(), ("m1",)]
    with pytest.raises(UserError, match="nothing to measure"):
        runner.run("none", [GoldenQuery("q", "x", {"m": 0})], shifted(0))
