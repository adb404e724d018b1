"""What a person follows of a run agrees with the run, whatever the profile."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.clock import FixedClock
from core.pipeline import run_report
from core.pipeline.trace import Operator, leaf, term
from core.profiles import PROFILES
from core.services import exchange, lab, link_inference
from core.services.query import Question
from core.services.workspace import Workspace

SAMPLE = Path(__file__).parents[3] / "resources" / "sample" / "memories.jsonl"


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "sample.db"
    with Workspace.create(path, clock=FixedClock(datetime(2026, 11, 15, 18, tzinfo=UTC))) as workspace:
        exchange.import_file(workspace, SAMPLE, actor="test")
        link_inference.catch_up(workspace, actor="test")
        yield workspace


def asked(workspace, profile, **fields):
    return lab.ask(workspace, Question(text="why do postgres migrations hang", profile=profile, **fields))


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_the_shares_of_a_score_add_up_to_it(sample, profile):
    for result in asked(sample, profile.name).results:
        parts = result.breakdown
        assert math.isclose(math.fsum(share.value for share in parts.shares), result.score, abs_tol=1e-9)
        assert all(loss.value > 0 for loss in parts.losses)
        assert parts.before >= result.score - 1e-9


def test_a_formula_shows_the_numbers_it_was_computed_from():
    share = term("bm25", Operator.RECIPROCAL_RANK, leaf("weight", 1), leaf("k", 10), leaf("rank", 2))
    assert run_report.formula(share) == "1 / (10 + 2)"
    assert run_report.formula(term("x", Operator.POWER, leaf("one half", 0.5), leaf("halvings", 2))) == "0.5 ^ 2"
    assert run_report.formula(term("x", Operator.SUM, share, leaf("more", 0.25))) == "0.08333 + 0.25"
    assert run_report.formula(term("x", Operator.SUM, share, leaf("more", 0.25)), digits=6) == "0.0833333 + 0.25"
    assert run_report.formula(leaf("x", 1)) == ""


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_no_candidate_is_lost_in_the_funnel_without_a_reason(sample, profile):
    shown = asked(sample, profile.name, k=3)
    for step in shown.funnel:
        if not step.is_source:
            assert step.entered - step.remaining == sum(step.lost.values())
    assert len(shown.lost) == shown.lost_in_all
    assert all(each.reason.sentence for each in shown.lost)


def test_the_flow_ends_at_the_ranks_of_the_answer(sample):
    shown = asked(sample, "inspector", k=4)
    ends = [line.ranks[-1] for line in shown.flow.lines if line.is_result]
    assert ends == [1, 2, 3, 4]
    assert any(not line.is_result and line.ranks[-1] is None for line in shown.flow.lines)
    assert all(len(line.ranks) == len(shown.flow.stops) for line in shown.flow.lines)


def test_two_settings_are_compared_by_every_memory_s_rank_in_both(sample):
    one = Question(text="postgres migrations", profile="oro")
    other = Question(text="postgres migrations", profile="oro", k=2)
    rows = lab.compare(sample, one, other)
    assert [row.rank_a for row in rows] == list(range(1, len(rows) + 1))
    assert [row.rank_b for row in rows][:2] == [1, 2]
    assert all(row.move == 0 for row in rows[:2])
    assert all(row.rank_b is None and row.move is None for row in rows[2:])


def test_the_prompt_comes_with_its_tokens_and_its_budget(sample):
    assert asked(sample, "oro").budget == 500
    assert asked(sample, "inspector").budget == 2_000, "the usual one"
    shown = asked(sample, "inspector", token_budget=80)
    assert shown.budget == 80
    assert shown.prompt_tokens == len(shown.prompt) / 4
