"""The judgements of one query, and the metrics of an answer by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.evaluate import runner
from core.evaluate.judgement import GoldenQuery
from core.model import Memory, Uid
from core.services.evaluate import Judgement as Judgement
from core.services.workspace import Workspace
from core.write import secrets

GOLDEN_SET = "golden"  # the default set
SHOWN = ("ndcg@10", "mrr", "recall@10")


@dataclass(frozen=True, slots=True)
class RatingProgress:
    """The metrics of an answer by its judgements. A relevant memory that was not returned counts as missed."""

    scores: Mapping[str, float]
    judged: int
    relevant: int
    missed: int


def judgements_of_query(workspace: Workspace, golden_set: str, asked: str) -> dict[Uid, Judgement]:
    """Return the judgements of a query, by memory."""
    with workspace.store.read() as reader:
        return {each.memory: each for each in reader.judgements(golden_set, secrets.clean(asked.strip()))}


def progress(judged: Mapping[Uid, Judgement], ranked: Sequence[Memory]) -> RatingProgress | None:
    """Return the metrics of one answer; none while nothing is judged relevant."""
    asked = GoldenQuery("", "", {uid: each.grade for uid, each in judged.items()})
    if not asked.is_answerable:
        return None
    (scored,) = runner.run("", [asked], lambda _: [memory.uid for memory in ranked], SHOWN).judged
    relevant = sum(grade > 0 for grade in asked.grades.values())
    return RatingProgress(scored.scores, len(judged), relevant, len(scored.missed))
