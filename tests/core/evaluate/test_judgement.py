"""Judged queries from files."""

from __future__ import annotations

import pytest

from core.errors import UserError
from core.evaluate import judgement
from core.evaluate.judgement import GoldenQuery


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
