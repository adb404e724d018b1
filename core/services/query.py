"""Recall, explanation and comparison. Read-only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.model import Memory, MemoryId
from core.pipeline.run import run
from core.services import browse
from core.services.answer import Answer as Answer
from core.services.explanation import Explanation as Explanation
from core.services.explanation import explanation as explanation
from core.services.question import Question as Question
from core.services.question import plain_question as plain_question
from core.services.question import question_of as question_of
from core.services.question_profile import profile_for as profile_for
from core.services.question_profile import uses_vectors as uses_vectors
from core.services.question_profile import wants_vectors as wants_vectors
from core.services.recall_plan import prepared as prepared
from core.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several answers to one question, and the rank of every memory in each."""

    answers: tuple[Answer, ...]
    ranks: dict[MemoryId, tuple[int | None, ...]]
    memories: dict[MemoryId, Memory]


def ask(workspace: Workspace, question: Question, *, explained: frozenset[MemoryId] = frozenset()) -> Answer:
    """Answer a question as of now, or of the moment it names; `explained` memories get every detail."""
    with prepared(workspace, question, explained) as (profile, query, reader):
        return Answer(question, profile, query, run(profile, query, reader))


def explain(workspace: Workspace, question: Question, name: str) -> Explanation:
    """Return how a memory was ranked: returned, dropped by a stage, or found by no source."""
    memory = browse.find(workspace, name)
    with prepared(workspace, question, frozenset((memory.id,))) as (profile, query, reader):
        ranking = run(profile, query, reader)
    return explanation(memory, Answer(question, profile, query, ranking))


def compare(workspace: Workspace, questions: Sequence[Question]) -> Comparison:
    """Return the answers of several profiles, or of one with other parameters."""
    answers = tuple(ask(workspace, question) for question in questions)
    orders = [{result.id: rank for rank, result in enumerate(answer.ranking.results, 1)} for answer in answers]
    memories = {memory.id: memory for answer in answers for memory in answer.memories}
    worst = max((len(order) for order in orders), default=0) + 1
    best_first = sorted(memories, key=lambda id: (min(order.get(id, worst) for order in orders), id))
    return Comparison(answers, {id: tuple(order.get(id) for order in orders) for id in best_first}, memories)
