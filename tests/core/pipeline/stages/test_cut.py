"""How much is returned: the first k, and what fits a budget of tokens."""

from __future__ import annotations

import pytest
from ranking import BM25, funnel, ranked, reasons, scores
from store_steps import add

from core.pipeline.stages.cut import TokenBudget, TopK
from core.pipeline.trace import ReasonKind


@pytest.fixture
def three(store):
    """Ranked by how densely they hold the word: of 1, 10 and 3 tokens."""
    contents = ("pool", "pool pool pool pool pool pool pool of it", "the pool 123")
    made = [add(store, content) for content in contents]
    order = list(scores(ranked(store, BM25)))
    return sorted(made, key=lambda memory: order.index(memory.id))


def tokens(memory):
    return len(memory.content) / 4


def test_the_first_k_are_kept_and_the_others_miss_by_a_gap(store, three):
    every = scores(ranked(store, BM25))
    ranking = ranked(store, BM25, TopK(), k=2)
    assert list(scores(ranking)) == [memory.id for memory in three[:2]]
    reason = reasons(ranking)[three[2].id]
    assert (reason.kind, reason.facts["rank"], reason.facts["k"]) == (ReasonKind.OUTRANKED, 3, 2)
    assert reason.facts["gap"] == pytest.approx(every[three[1].id] - every[three[2].id])
    assert funnel(ranking)[-1] == ("top", 3, 2)


def test_fewer_than_k_are_all_kept(store, three):
    assert reasons(ranked(store, BM25, TopK(), k=10)) == {}


def test_what_does_not_fit_is_skipped_and_the_next_that_fits_is_kept(store, three):
    longest = max(three, key=tokens)
    ranking = ranked(store, BM25, TokenBudget(tokens=5))
    assert set(scores(ranking)) == {memory.id for memory in three} - {longest.id}
    reason = reasons(ranking)[longest.id]
    assert (reason.kind, reason.facts["tokens"], reason.facts["budget"]) == (ReasonKind.OVER_BUDGET, tokens(longest), 5)


def test_a_budget_may_end_at_the_first_that_does_not_fit(store, three):
    ranking = ranked(store, BM25, TokenBudget(tokens=1, stop_at_first=True))
    dropped = list(reasons(ranking).values())
    assert {reason.kind for reason in dropped} == {ReasonKind.OVER_BUDGET}
    assert "ended_at" not in dropped[0].facts
    assert all("ended_at" in reason.facts for reason in dropped[1:])


def test_the_budget_of_the_query_replaces_that_of_the_profile_and_0_is_none(store, three):
    assert len(scores(ranked(store, BM25, TokenBudget(tokens=1), token_budget=100))) == 3
    assert len(scores(ranked(store, BM25, TokenBudget(tokens=0)))) == 3


def test_the_trace_reports_how_much_of_the_budget_is_used(store, three):
    stage = ranked(store, BM25, TokenBudget(tokens=100)).trace.stages[-1]
    used = sum(map(tokens, three))
    assert stage.notes == (f"{used:g} of 100 tokens are used, {100 - used:g} are left.",)
    assert stage.facts[three[-1].id]["used"] == used
