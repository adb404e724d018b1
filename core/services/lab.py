"""Data of the Query Lab: an answer with its complete trace, and two settings side by side. Read-only."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core import text
from core.model import MemoryId
from core.pipeline import run_report
from core.pipeline.run import run
from core.pipeline.run_report import FunnelStep, LostCandidate, RankComparison, RankedResult, RankPaths
from core.services import browse, query
from core.services.query import Answer, Explanation, Question
from core.services.workspace import Workspace

MAX_LOST = 500


@dataclass(frozen=True, slots=True)
class LabAnswer:
    """An answer with everything that the Query Lab shows."""

    answer: Answer
    results: tuple[RankedResult, ...]
    funnel: tuple[FunnelStep, ...]
    flow: RankPaths
    lost: tuple[LostCandidate, ...]
    lost_in_all: int
    prompt: str
    prompt_tokens: float
    budget: int


def ask(workspace: Workspace, question: Question) -> LabAnswer:
    """Answer a question with everything that the Query Lab shows, all of it as of one snapshot."""
    with query.prepared(workspace, question) as (profile, asked, reader):
        asked = replace(asked, explains_results=True)
        ranking = run(profile, asked, reader)
        answer, pool = Answer(question, profile, asked, ranking), ranking.candidates.pool
        dropped = [drop.memory_id for stage in reversed(ranking.trace.stages) for drop in stage.drops]
        pool.memories.read(dropped[:MAX_LOST])
        return LabAnswer(
            answer=answer,
            results=run_report.results(ranking),
            funnel=run_report.funnel(ranking.trace),
            flow=run_report.flow(ranking),
            lost=run_report.lost(ranking.trace, {id: pool.memories[id] for id in dropped[:MAX_LOST]}),
            lost_in_all=len(dropped),
            prompt=answer.prompt,
            prompt_tokens=text.estimate_tokens(answer.prompt),
            budget=answer.token_budget,
        )


def explain(workspace: Workspace, shown: LabAnswer, id: MemoryId) -> Explanation:
    """Return the explanation of a memory in an answer, from the trace of that answer, since the store may have changed.
    A memory that the trace does not have is explained by a new run."""
    ranking = shown.answer.ranking
    known = next((result.memory for result in ranking.results if result.id == id), None)
    if known is None and id not in ranking.trace.gathered:
        return query.explain(workspace, shown.answer.question, str(id))
    return query.explanation(known or browse.find(workspace, str(id)), shown.answer)


def compare(workspace: Workspace, one: Question, other: Question) -> tuple[RankComparison, ...]:
    """Return every memory of two answers with its rank in both, the best first."""
    found = query.compare(workspace, [one, other])
    return tuple(RankComparison(found.memories[id], *ranks) for id, ranks in found.ranks.items())
