"""Reports: paired comparisons of runs."""

from __future__ import annotations

from golden_queries import QUERIES, shifted

from core.evaluate import report, runner


def test_two_runs_are_compared_query_by_query():
    worse, better = runner.run("a", QUERIES, shifted(3), ["mrr"]), runner.run("b", QUERIES, shifted(0), ["mrr"])
    found = report.compare_paired(better, worse, "mrr")
    assert (found.difference, found.p) == (0.75, 0.0)
    assert report.regressions(worse, better, "mrr") == []
    lost = report.regressions(better, worse, "mrr")
    assert len(lost) == 20
    assert lost[0].difference == -0.75
    assert lost[0].before.ranked != lost[0].after.ranked
