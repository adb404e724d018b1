"""Judged queries from files, runs, reports and tuning, of any function from a query to a ranking."""

from __future__ import annotations

import pytest

from core.errors import UserError
from core.evaluate import judgement, report, runner, tune
from core.evaluate.judgement import GoldenQuery

QUERIES = [
    GoldenQuery(f"q{n}", f"query {n}", {f"m{n}": 1}, category="even" if n % 2 == 0 else "odd") for n in range(20)
]


def shifted(by):
    """Ranks the right memory at place 1 + by."""
    return lambda query: [*(f"x{n}" for n in range(by)), f"m{query.id[1:]}"]


def test_judged_queries_are_read_from_json_lines_qrels_and_csv():
    lines = [
        '{"id": "a", "text": "why?", "relevant": ["m1", "m2"], "grades": {"m2": 3}, "category": "c", "scope": "s"}',
        "",
    ]
    assert judgement.read_jsonl(lines) == [GoldenQuery("a", "why?", {"m1": 1, "m2": 3}, "s", "c")]
    assert judgement.read_qrels(["a 0 m1 2", "a 0 m2 0", "b 0 m1 1"], {"a": "why?"}) == [
        GoldenQuery("a", "why?", {"m1": 2, "m2": 0}),
        GoldenQuery("b", "b", {"m1": 1}),
    ]
    assert judgement.read_csv(["query,memory,grade,category", '"why, then?",m1,2,c']) == [
        GoldenQuery("why, then?", "why, then?", {"m1": 2}, category="c")
    ]


@pytest.mark.parametrize(
    ("read", "lines", "sentence"),
    [
        (judgement.read_jsonl, ["{"], "Line 1: this is not JSON."),
        (judgement.read_jsonl, ['{"relevant": []}'], "Line 1: a query needs a text."),
        (judgement.read_jsonl, ['{"text": "x", "grades": {"a": 1.5}}'], "Line 1: a grade is a whole number"),
        (judgement.read_jsonl, ['{"text": "x", "relevant": 7}'], "relevant must be a list"),
        (judgement.read_qrels, ["a 0 m1"], "qrels have four columns"),
        (judgement.read_qrels, ["a 0 m1 -1"], "a grade is a whole number from 0 to 100, not '-1'"),
        (judgement.read_csv, ["a,b"], "has the columns query, memory and grade"),
        (judgement.read_csv, ["query,memory,grade", ",m1,1"], "Line 2: the query or the memory is missing"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(read, lines, sentence):
    with pytest.raises(UserError, match=sentence):
        read(lines)


def test_a_run_is_summed_up_by_category_and_counts_what_was_missed():
    run = runner.run("half", QUERIES, lambda q: [f"m{q.id[1:]}"] if q.category == "even" else [], ["recall@10", "mrr"])
    found = report.summary(run)
    assert (found.queries, found.means["recall@10"]) == (20, 0.5)
    assert {name: means["mrr"] for name, means in found.by_category.items()} == {"even": 1.0, "odd": 0.0}
    assert [each.missed for each in run.judged[:2]] == [(), ("m1",)]
    with pytest.raises(UserError, match="nothing to measure"):
        runner.run("none", [GoldenQuery("q", "x", {"m": 0})], shifted(0))


def test_two_runs_are_compared_query_by_query():
    worse, better = runner.run("a", QUERIES, shifted(3), ["mrr"]), runner.run("b", QUERIES, shifted(0), ["mrr"])
    found = report.compare_paired(better, worse, "mrr")
    assert (found.difference, found.p) == (0.75, 0.0)
    assert report.regressions(worse, better, "mrr") == []
    lost = report.regressions(better, worse, "mrr")
    assert len(lost) == 20
    assert lost[0].difference == -0.75
    assert lost[0].before.ranked != lost[0].after.ranked


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
