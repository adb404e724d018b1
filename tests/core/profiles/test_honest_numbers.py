"""Explanations, parameters and reasons say what happened."""

from __future__ import annotations

import pytest

from core import profiles
from core.errors import UserError
from core.pipeline.parameters import with_parameters
from core.pipeline.run import parameters_hash
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


@pytest.mark.parametrize(
    ("profile", "path", "value", "needs"),
    [
        ("oro", "bm25.k1", 50.0, "bm25.okapi=true"),
        ("inspector", "stems.b", 0.1, "stems.okapi=true"),
        ("robotmem", "bm25.limit", 7, "bm25.times_k=0"),
        ("robotmem", "vector.least_times_k", 7, "vector.times_k=0"),
    ],
)
def test_a_parameter_without_effect_is_refused_with_what_it_needs(profile, path, value, needs):
    with pytest.raises(UserError, match=f"{path} has no effect here; it needs {needs}"):
        with_parameters(profiles.profile(profile), {path: value})
    step, setting = needs.split(".")[0], needs.split(".")[1].split("=")
    together = {path: value, f"{step}.{setting[0]}": setting[1]}
    assert with_parameters(profiles.profile(profile), together) != profiles.profile(profile)


def test_minus_zero_and_zero_give_one_trace():
    either = [with_parameters(profiles.profile("oro"), {"normalise.least": zero}) for zero in (0.0, -0.0, "-0.0")]
    assert {parameters_hash(profile) for profile in either} == {parameters_hash(profiles.profile("oro"))}
