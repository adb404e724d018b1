"""The plan of a recall: made once, and made anew when the settings have changed."""

from __future__ import annotations

import pytest
from store_steps import add

from core.changes import PERSON
from core.embed.hashing import HashingEmbedder
from core.errors import UserError
from core.services import profiles, query
from core.services.query import Question
from core.services.workspace import Workspace

ASKED = Question(text="pool")


def test_the_same_kind_of_question_has_the_same_plan_and_another_kind_another(workspace):
    add(workspace.store, "pool")
    for question in (ASKED, Question(text="other words"), Question(text="pool", token_budget=50)):
        query.ask(workspace, question)
    assert len(workspace.plans) == 2
    with query.prepared(workspace, ASKED) as (first, _, _), query.prepared(workspace, ASKED) as (second, _, _):
        assert first is second


def test_a_profile_that_another_program_saves_anew_answers_at_once(workspace):
    add(workspace.store, "pool")
    profiles.save(workspace, "mine", "inspector", {"decay.half_life_days": 10.0}, actor=PERSON)
    mine = Question(text="pool", profile="mine")
    before = query.ask(workspace, mine).profile
    with Workspace.open(workspace.store.path) as other:
        profiles.save(other, "mine", "inspector", {"decay.half_life_days": 20.0}, actor=PERSON)
    after = query.ask(workspace, mine).profile
    assert [each.parameters["decay"]["half_life_days"] for each in (before, after)] == [10.0, 20.0]


def test_the_question_is_embedded_before_the_snapshot_is_opened(workspace):
    add(workspace.store, "pool")

    class Watching(HashingEmbedder):
        def embed_query(self, text):
            opened.append(workspace.store._reading_connection().in_transaction)
            return super().embed_query(text)

    opened: list[bool] = []
    workspace.embeddings._embedder = Watching(16, workspace.model().name)
    query.ask(workspace, ASKED)
    query.ask(workspace, ASKED)
    assert opened[-1] is False


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (Question(text="pool", profile="none"), "There is no profile 'none'"),
        (Question(text="pool", parameters={"decay.half_life_days": "x"}), "decay.half_life_days must be"),
        (Question(text="pool", k=0), "k must be at least 1"),
    ],
)
def test_what_is_wrong_with_a_question_is_said_and_nothing_is_kept(workspace, question, sentence):
    for _ in range(2):
        with pytest.raises(UserError, match=sentence):
            query.ask(workspace, question)
