"""The time machine: a question asked of the store as it stood."""

from __future__ import annotations

from datetime import timedelta

from core.changes import PERSON
from core.model import MemoryId
from core.services import curate, query, remember, time_travel
from core.services.query import Question

QUESTION = Question(text="how many connections does the pool have?", profile="oro-hybrid")


def ids(answer) -> list[MemoryId]:
    return [result.id for result in answer.ranking.results]


def test_a_question_is_answered_from_the_texts_vectors_and_statuses_of_then(workspace, models, arctic):
    workspace.embeddings.load()
    clock = workspace.store.clock
    pool = remember.remember(workspace, {"content": "The pool has 10 connections"}, actor=PERSON).memory
    gone = remember.remember(workspace, {"content": "The pool of connections is per worker"}, actor=PERSON).memory
    for n in range(5):
        remember.remember(workspace, {"content": f"Unrelated statement {n} about lunch"}, actor=PERSON)
    then = clock.now()
    answered_then = query.ask(workspace, QUESTION)
    clock.advance(timedelta(days=40))
    curate.edit(workspace, [pool.id], {"content": "Lunch is at noon"}, actor="codex")
    curate.forget(workspace, [gone.id], actor="codex")
    remember.remember(workspace, {"content": "The pool has 25 connections since March"}, actor=PERSON)
    workspace.embeddings.catch_up()
    now = query.ask(workspace, QUESTION)
    assert ids(now) != ids(answered_then)
    before = workspace.store.path.read_bytes()
    with time_travel.workspace_at(workspace, then) as stood:
        again = query.ask(stood, QUESTION)
        assert stood.store.path != workspace.store.path
    assert ids(again) == ids(answered_then)
    assert [each.value for each in again.ranking.results] == [each.value for each in answered_then.ranking.results]
    assert again.ranking.trace.mode == "hybrid"
    assert [memory.content for memory in again.memories][:1] == ["The pool has 10 connections"]
    assert not stood.store.path.exists(), "the copy goes away"
    assert workspace.store.path.read_bytes() == before, "looking back changes nothing"
    assert ids(query.ask(workspace, QUESTION)) == ids(now)
    assert workspace.embeddings.embedder() is not None, "the lent model stays with its owner"
