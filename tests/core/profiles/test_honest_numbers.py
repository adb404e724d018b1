"""Explanations, parameters and reasons say what happened."""

from __future__ import annotations

from core.services import query
from core.services.query import Question
from inspector import wire
from tests.support.recompute import recompute
from tests.support.store_steps import add


def ask(workspace, text, **asked):
    return query.ask(workspace, Question(text=text, **asked))


def test_pagerank_without_an_iteration_is_explained_by_its_first_rank(workspace):
    add(workspace.store, "The ferry leaves at noon")
    for n in range(5):
        add(workspace.store, f"Nothing of interest {n}")
    answer = ask(workspace, "ferry", profile="recursive-light-graph", parameters={"pagerank.iterations": 0})
    (result,) = answer.ranking.results
    assert result.value == 1.0
    assert recompute(wire.term(result.score)) == 1.0
