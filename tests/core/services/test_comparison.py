"""Profiles compared over a golden set: the table with its p values, every query by its difference, two answers."""

from __future__ import annotations

import json

import pytest

from core.changes import PERSON
from core.errors import UserError
from core.evaluate import report
from core.evaluate.judgement import GoldenQuery
from core.evaluate.runner import run
from core.services import comparison, evaluate, remember

POOL, DEPLOY = "how large is the pool?", "when do we deploy?"


@pytest.fixture
def judged(workspace):
    texts = ["The pool has 10 connections", "Deploys happen on Tuesdays", "Redis evicts any key", "A pool of lockers"]
    for number, content in enumerate(texts, 1):
        remember.remember(workspace, {"content": content, "uid": f"m{number}"}, actor=PERSON)
    evaluate.judge(workspace, "mine", POOL, "m1", 2, judge=PERSON, category="db")
    evaluate.judge(workspace, "mine", POOL, "m3", 1, judge=PERSON)
    evaluate.judge(workspace, "mine", DEPLOY, "m2", 1, judge="agent", category="ops")
    return workspace


def test_a_line_a_profile_and_one_for_each_in_each_category(judged):
    before = judged.store.path.read_bytes()
    reported = []
    measured = comparison.measure(judged, "mine", ["inspector", "oro"], lambda *words: reported.append(words))
    first, second = comparison.table(measured, "ndcg@10")
    assert (first.profile, first.category, first.queries, first.difference, first.p) == (
        "inspector",
        None,
        2,
        None,
        None,
    )
    assert second.difference == pytest.approx(second.means["ndcg@10"] - first.means["ndcg@10"])
    lines = [(line.category, line.profile, line.queries) for line in comparison.by_category(measured)]
    assert lines == [("db", "inspector", 1), ("db", "oro", 1), ("ops", "inspector", 1), ("ops", "oro", 1)]
    assert reported[-1] == ("asking oro", 2, 2)
    assert "snowflake-arctic-embed-s" in measured.note, "without a model that is said"
    assert judged.store.path.read_bytes() == before
    with pytest.raises(UserError, match="no golden set"):
        comparison.measure(judged, "yours", ["oro"])


def test_queries_are_listed_with_the_worst_difference_first(judged):
    measured = comparison.measure(judged, "mine", ["inspector", "oro"])
    found = comparison.differences(measured, "inspector", "oro", "recall@10")
    assert len(found) == 2
    assert found[0].difference <= found[1].difference
    assert [each.difference for each in evaluate.regressions(*measured.runs, "recall@10")] == [
        each.difference for each in found if each.difference < 0
    ]


def test_a_side_shows_grades_and_what_it_missed(judged):
    (asked, _) = evaluate.golden(judged, "mine")
    side = comparison.side(judged, "cc-v3-fts", asked)
    shown = {place.memory.uid: (place.rank, place.grade) for place in side.places}
    assert shown["m1"][0] in (1, 2)
    assert shown["m1"][1] == 2
    assert shown["m4"][1] is None
    assert shown["m3"] == (None, 1)
    assert side.places[-1].result is None
    assert side.question.profile == "cc-v3-fts"


def test_p_is_of_the_direction_that_is_seen():
    queries = [GoldenQuery(str(number), "x", {"a": 1}) for number in range(20)]
    good, bad = (run(name, queries, lambda _, ranked=ranked: ranked, ["mrr"]) for name, ranked in
                 (("good", ["a"]), ("bad", ["b", "a"])))  # fmt: skip
    worse, better = report.compare_with_first(bad, good, "mrr"), report.compare_with_first(good, bad, "mrr")
    assert (worse.difference, worse.p) == (-0.5, 0.0)
    assert (better.difference, better.p) == (0.5, 0.0)
    assert report.compare_with_first(good, good, "mrr").p == 1.0


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl"])
def test_a_golden_set_is_written_and_comes_back_the_same(judged, tmp_path, name):
    path = tmp_path / name
    assert evaluate.export_judgements(judged, "mine", path) == 3
    assert evaluate.import_judgements(judged, path, "again", judge=PERSON) == 3
    there, back = evaluate.golden(judged, "mine"), evaluate.golden(judged, "again")
    assert [(each.text, each.grades, each.category) for each in back] == [
        (each.text, each.grades, each.category) for each in there
    ]
    if path.suffix == ".csv":
        assert "agent,2026-11-15T12:00:00" in path.read_text()
    else:
        assert json.loads(path.read_text().splitlines()[0])["relevant"] == ["m1", "m3"]
    with pytest.raises(UserError, match="already exists"):
        evaluate.export_judgements(judged, "mine", path)
    with pytest.raises(UserError, match="ends in .csv or .jsonl"):
        evaluate.export_judgements(judged, "mine", tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()
