"""Questions within one session: its replay, and matches that many others would otherwise push out."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.errors import UserError
from core.pipeline.trace import Mode
from core.services import query
from core.services.query import Question
from core.services.why_not import why_not
from inspector import wire
from tests.support.recompute import recompute
from tests.support.store_steps import add

WORDS = ("gripper", "cup", "table", "floor", "lamp", "door")


@pytest.fixture
def episodes(workspace, clock):
    """Eighteen turns of one session, added in another order than they were made, among 300 of others."""
    start = clock.now() - timedelta(days=30)
    for n in reversed(range(18)):
        add(
            workspace.store,
            f"Turn {n} with the {WORDS[n % 6]}",
            session="episode-7",
            created_at=start + timedelta(minutes=n),
            context={"env": {"sim_or_real": "real" if n % 2 else "sim"}},
        )
    for n in range(300):
        add(workspace.store, f"gripper cup {n}", session=f"other-{n % 10}", created_at=start - timedelta(hours=n))
    return workspace


def ask(workspace, text, **asked):
    return query.ask(workspace, Question(text=text, **asked))


@pytest.mark.parametrize("profile", ["robotmem", "inspector", "oro"])
def test_a_star_lists_the_session_in_order(episodes, profile):
    answer = ask(episodes, "*", profile=profile, session="episode-7")
    assert [memory.content.split()[1] for memory in answer.memories] == [str(n) for n in range(18)]
    assert answer.ranking.trace.mode is Mode.REPLAY
    explained = query.explain(episodes, answer.question, str(answer.memories[3].id))
    assert (explained.rank, explained.score.value) == (4, 0.25)
    assert recompute(wire.term(explained.score)) == 0.25


def test_a_replay_takes_as_many_as_are_asked_for_and_says_why_the_next_is_missing(episodes):
    question = Question(text=" * ", profile="robotmem", session="episode-7", k=5)
    answer = query.ask(episodes, question)
    assert len(answer.memories) == 5
    missing = why_not(episodes, question, str(ask(episodes, "*", session="episode-7").memories[5].id))
    assert "It ranks 6, and k is 5" in missing.reason.sentence
    assert (missing.smallest.kind, missing.smallest.after) == ("k", 6)


def test_a_replay_keeps_to_the_other_filters(episodes):
    answer = ask(episodes, "*", session="episode-7", context={"env.sim_or_real": "real"}, profile="robotmem")
    assert [memory.content.split()[1] for memory in answer.memories] == [str(n) for n in range(1, 18, 2)]


def test_a_star_without_a_session_says_what_it_needs(episodes):
    warnings = ask(episodes, "*", profile="robotmem").ranking.trace.warnings
    assert "The query * lists a session in order, and this one names no session." in warnings


@pytest.mark.parametrize("profile", ["robotmem", "oro", "inspector"])
def test_a_session_with_few_matches_among_many_is_found(episodes, profile):
    answer = ask(
        episodes,
        "gripper cup",
        profile=profile,
        session="episode-7",
        k=5,
        parameters={"threshold.least": 0.0} if profile == "oro" else {},
    )
    assert len(answer.memories) == 5
    assert {memory.session for memory in answer.memories} == {"episode-7"}


def test_operators_of_full_text_are_words_except_in_robotmem(workspace):
    for content in ("The cup stands on the table", "Parked near a wall", "Not today", "The floor is wet"):
        add(workspace.store, content)
    asked = "cup NEAR table NOT floor"
    found = {memory.content for memory in ask(workspace, asked, profile="robotmem").memories}
    assert found == {"The cup stands on the table", "The floor is wet"}
    assert "Parked near a wall" in {memory.content for memory in ask(workspace, asked, profile="cc-v3").memories}
    kept = ask(workspace, asked, profile="robotmem", parameters={"bm25.drop_operators": False}).memories
    assert "Not today" in {memory.content for memory in kept}


def test_a_replay_is_filtered_before_it_is_cut_and_says_that_it_was_cut(workspace, clock):
    start = clock.now() - timedelta(days=1)
    for n in range(130):
        sure = 0.1 if n < 110 else 0.9
        made = start + timedelta(seconds=n)
        add(workspace.store, f"Turn {n}", session="long", created_at=made, confidence=sure, context={"n": n})
    found = ask(workspace, "*", profile="robotmem", session="long")
    assert [memory.content for memory in found.memories] == [f"Turn {n}" for n in range(110, 130)]
    late = ask(workspace, "*", profile="robotmem", session="long", context={"n": {"$gt": 125}}, min_confidence=0.0)
    assert len(late.memories) == 4
    whole = ask(workspace, "*", profile="robotmem", session="long", min_confidence=0.0)
    assert len(whole.memories) == 100
    assert "The session has 130 memories; at most 100 are listed." in whole.ranking.trace.warnings


def test_a_parameter_that_a_replay_does_not_use_is_refused(episodes):
    with pytest.raises(UserError, match="has no parameter 'fuse.k'"):
        ask(episodes, "*", profile="robotmem", session="episode-7", parameters={"fuse.k": 1})
