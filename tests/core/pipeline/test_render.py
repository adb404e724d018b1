"""The section for a prompt: within a budget, and of a long memory the part that the question is about."""

from __future__ import annotations

from core.pipeline import render
from core.services import query, remember
from core.services.query import Question

LONG = 199_000


def long_text(n: int) -> str:
    """A memory of 199,000 characters with the answer far inside."""
    filler = f"filler{n} " * (LONG // 15)
    return f"{filler}the harbour of port {n} opens at six {filler}"[:LONG]


def asked(workspace, k=3, **more):
    return query.ask(workspace, Question(text="when does the harbour open?", profile="cc-v3-fts", k=k, **more))


def test_three_long_memories_make_a_short_section_of_excerpts_around_what_matches(workspace):
    for n in range(3):
        remember.remember(workspace, {"content": long_text(n)}, actor="person")
    answer = asked(workspace)
    assert len(answer.memories) == 3
    assert len(answer.prompt) <= 4 * render.PROMPT_TOKENS + 1_000
    for n in range(3):
        assert f"the harbour of port {n} opens at six" in answer.prompt
    assert answer.prompt.count("excerpt of 199,000 characters") == 3


def test_what_fits_is_given_whole(workspace):
    for n in range(3):
        remember.remember(workspace, {"content": f"harbour {n} " + f"word{n} " * 200}, actor="person")
    answer = asked(workspace)
    assert "excerpt" not in answer.prompt
    assert all(" ".join(memory.content.split()) in answer.prompt for memory in answer.memories)


def test_what_does_not_fit_is_said_to_be_left_out(workspace):
    for n in range(12):
        remember.remember(workspace, {"content": long_text(n)}, actor="person")
    answer = asked(workspace, k=12)
    shown = answer.prompt.count("\n- [")
    assert 0 < shown < 12
    assert answer.prompt.endswith(f"({12 - shown} more did not fit into 2,000 tokens.)")


def test_a_budget_of_the_question_is_the_sections_too(workspace):
    for n in range(3):
        remember.remember(workspace, {"content": long_text(n)}, actor="person")
    whole = asked(workspace, token_budget=200_000).prompt
    assert "excerpt" not in whole
    assert len(whole) > 3 * (LONG - 1_000)


def test_an_excerpt_of_a_text_without_spaces_is_around_the_match_too(workspace):
    content = "山" * 50_000 + "港口六点开门" + "水" * 50_000
    remember.remember(workspace, {"content": content}, actor="person")
    answer = query.ask(workspace, Question(text="港口", profile="cc-v3-fts"))
    assert "港口六点开门" in answer.prompt
    assert len(answer.prompt) < 4_000
