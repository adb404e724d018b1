"""A question with all that can be seen of its answer; and two settings of a question side by side. Only reads."""

from __future__ import annotations

from dataclasses import dataclass

from core import text
from core.pipeline import course
from core.pipeline.course import Compared, Flow, Gate, Lost, Result
from core.pipeline.stages.cut import TokenBudget
from core.services import query
from core.services.query import Answer, Question
from core.services.workspace import Workspace

MOST_LOST = 500


@dataclass(frozen=True, slots=True)
class Shown:
    """`budget` is None where the answer may be as long as it likes."""

    answer: Answer
    results: tuple[Result, ...]
    funnel: tuple[Gate, ...]
    flow: Flow
    lost: tuple[Lost, ...]
    lost_in_all: int
    prompt: str
    prompt_tokens: float
    budget: int | None


def ask(workspace: Workspace, question: Question) -> Shown:
    answer = query.ask(workspace, question)
    ranking = answer.ranking
    dropped = [drop.memory_id for stage in reversed(ranking.trace.stages) for drop in stage.drops]
    with workspace.store.read() as reader:
        memories = reader.memories(dropped[:MOST_LOST])
    return Shown(
        answer=answer,
        results=course.results(ranking),
        funnel=course.funnel(ranking.trace),
        flow=course.flow(ranking),
        lost=course.lost(ranking.trace, memories),
        lost_in_all=len(dropped),
        prompt=answer.prompt,
        prompt_tokens=text.estimate_tokens(answer.prompt),
        budget=_budget(answer),
    )


def compare(workspace: Workspace, one: Question, other: Question) -> tuple[Compared, ...]:
    """Every memory of two answers with its rank in both, the best first."""
    found = query.compare(workspace, [one, other])
    return tuple(Compared(found.memories[id], *ranks) for id, ranks in found.ranks.items())


def _budget(answer: Answer) -> int | None:
    if answer.query.token_budget is not None:
        return answer.query.token_budget
    own = (stage.tokens for stage in answer.profile.stages if isinstance(stage, TokenBudget))
    return next((tokens for tokens in own if tokens), None)
