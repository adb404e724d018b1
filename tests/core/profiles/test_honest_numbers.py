"""Explanations, parameters and reasons say what happened."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core import profiles
from core.errors import UserError
from core.pipeline.parameters import with_parameters
from core.pipeline.trace import ReasonKind
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
        ("robotmem", "bm25.limit", 7, "bm25.limit_per_k=0"),
        ("robotmem", "vector.min_limit_per_k", 7, "vector.limit_per_k=0"),
    ],
)
def test_a_parameter_without_effect_is_refused_with_what_it_needs(profile, path, value, needs):
    with pytest.raises(UserError, match=f"{path} has no effect here; it needs {needs}"):
        with_parameters(profiles.profile(profile), {path: value})
    step, setting = needs.split(".")[0], needs.split(".")[1].split("=")
    together = {path: value, f"{step}.{setting[0]}": setting[1]}
    assert with_parameters(profiles.profile(profile), together) != profiles.profile(profile)


@pytest.mark.parametrize(
    ("profile", "together", "refused"),
    [
        ("openmem", {"spread.max_hops": 0, "spread.decay_per_hop": 0.9}, "spread.max_hops above 0"),
        ("recursive-light-graph", {"pagerank.iterations": 0, "pagerank.damping": 0.5}, "pagerank.iterations above 0"),
        ("inspector", {"session.steps": 0, "session.share": 0.5}, "session.steps above 0"),
        ("inspector", {"session.steps": 1, "session.per_step": 0.9}, "session.steps above 1"),
    ],
)
def test_what_another_parameter_makes_ineffective_is_refused_beside_it(profile, together, refused):
    with pytest.raises(UserError, match=f"has no effect here; it needs {refused}"):
        with_parameters(profiles.profile(profile), together)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"profile": "oro", "token_budget": 90, "parameters": {"budget.tokens": 80}}, "own token budget counts"),
        ({"parameters": {"budget.stop_at_first": True}}, "neither budget.tokens nor the query sets a budget"),
        (
            {"profile": "robotmem", "min_confidence": 0.1, "parameters": {"min-confidence.least": 0.2}},
            "own minimum confidence applies",
        ),
        ({"profile": "robotmem", "parameters": {"bm25.limit_per_k_filtered": 9}}, "no structured filter"),
        (
            {"profile": "robotmem", "context": {"a": 1}, "parameters": {"bm25.limit_per_k": 9}},
            "limit_per_k_filtered counts",
        ),
    ],
)
def test_a_parameter_that_the_question_overrides_is_refused(workspace, asked, why):
    with pytest.raises(UserError, match=f"has no effect here: .*{why}"):
        ask(workspace, "ferry", **asked)


def test_a_field_cannot_weigh_less_than_nothing():
    with pytest.raises(UserError, match="must be from 0 to 1000"):
        with_parameters(profiles.profile("oro"), {"bm25.summary": -3})


def test_minus_zero_and_zero_give_one_trace():
    either = [with_parameters(profiles.profile("oro"), {"normalise.least": zero}) for zero in (0.0, -0.0, "-0.0")]
    assert {profile.parameters_hash for profile in either} == {profiles.profile("oro").parameters_hash}


@pytest.fixture
def long_first(workspace):
    add(workspace.store, "ferry " * 100)
    for n in range(3):
        add(workspace.store, f"A ferry was seen on day {n} near the harbour {'abc'[n] * 4}")
    return workspace


def test_a_long_memory_at_the_top_does_not_empty_an_answer_with_a_budget(long_first):
    answer = ask(long_first, "ferry", profile="openmem", token_budget=40)
    assert len(answer.memories) == 3
    budget = answer.ranking.trace.stages[-1]
    (drop,) = budget.drops
    assert drop.reason.kind is ReasonKind.OVER_BUDGET
    assert drop.reason.facts["tokens"] > drop.reason.facts["left"]
    assert "are left" in budget.notes[0]


def test_a_budget_that_ends_at_the_first_that_does_not_fit_says_so_of_those_after_it(long_first):
    stop = {"budget.stop_at_first": True}
    answer = ask(long_first, "ferry", profile="openmem", token_budget=40, parameters=stop)
    drops = answer.ranking.trace.stages[-1].drops
    first, *others = sorted(drops, key=lambda drop: drop.rank)
    assert first.reason.facts["tokens"] > first.reason.facts["left"]
    assert [drop.reason.facts["ended_at"] for drop in others] == [first.memory_id] * len(others)
    assert all("had ended before it" in drop.reason.sentence for drop in others)


def test_new_comes_before_old_also_where_a_common_word_counts_against_both(workspace, clock):
    old = add(workspace.store, "The harbour is deep", created_at=clock.now() - timedelta(days=4))
    new = add(workspace.store, "The harbour is wide", created_at=clock.now() - timedelta(hours=1))
    answer = ask(workspace, "harbour", profile="recursive-light")
    assert [memory.id for memory in answer.memories] == [new.id, old.id]
    assert all(result.value < 0 for result in answer.ranking.results)
    for result in answer.ranking.results:
        assert recompute(wire.term(result.score)) == pytest.approx(result.value, abs=1e-9)
    assert any("hold harbour" in warning for warning in answer.ranking.trace.warnings)


def test_a_score_that_a_stage_changed_is_named_for_the_stage(workspace, clock):
    add(workspace.store, "The ferry leaves at noon", confidence=0.5, created_at=clock.now() - timedelta(days=9))
    (result,) = ask(workspace, "ferry", profile="oro", parameters={"threshold.least": 0.0}).ranking.results
    names = [result.score.name, result.score.parts[0].name]
    assert names == ["score after confidence", "score after decay"]


def test_what_an_update_lifts_still_shows_its_parts(workspace, clock):
    for n in range(20):
        add(workspace.store, f"Nothing of interest number {n}")
    ago = [clock.now() - timedelta(days=days) for days in (30, 1)]
    add(workspace.store, "Production database is Postgres 14.", created_at=ago[0])
    add(workspace.store, "Production database was upgraded to Postgres 16.", created_at=ago[1])
    answer = ask(workspace, "Which Postgres version is the production database?")
    top = answer.ranking.results[0]
    assert top.score.name == "score after newer"
    shares = {share.name: share.value for share in top.breakdown.shares}
    assert {"words", "newer"} <= shares.keys()
    assert sum(shares.values()) == pytest.approx(top.value)


def _nodes(term):
    yield term
    for part in term.parts:
        yield from _nodes(part)


@pytest.mark.parametrize("profile", [each.name for each in profiles.PROFILES])
def test_the_name_of_a_list_stands_for_one_number_in_a_tree(workspace, profile):
    for text in ("The ferry leaves at noon", "The ferry was late", "No ferry today, said the harbour"):
        add(workspace.store, text, session="crossing")
    for n in range(20):
        add(workspace.store, f"Nothing of interest {n}")
    first = ask(workspace, "ferry harbour", profile=profile, parameters=THRESHOLDS.get(profile, {}))
    ids = frozenset(result.id for result in first.ranking.results)
    answer = query.ask(workspace, first.question, explained=ids)
    for result in answer.ranking.results:
        nodes = [*_nodes(result.score), *(node for hit in result.hits.values() for node in _nodes(hit.term))]
        for name in result.hits:
            assert len({node.value for node in nodes if node.name == name}) == 1, name


THRESHOLDS = {"oro": {"threshold.least": 0.0}, "oro-hybrid": {"threshold.least": 0.0}}


def test_a_memory_that_no_list_found_gets_a_reason_from_each_list_by_name(workspace):
    other = add(workspace.store, "The ferry leaves at noon")
    add(workspace.store, "Nothing of interest")
    absent = query.explain(workspace, Question(text="nothing of interest"), str(other.id)).absent
    rescored = {reason.facts["list"]: reason.sentence for reason in absent if "none brought it" in reason.sentence}
    assert rescored == {
        name: f"The list {name} scores what other lists brought, and none brought it." for name in ("stems", "plain")
    }
