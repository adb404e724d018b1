"""A run: one ranking for each query, scored by several metrics. It does not know what ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.errors import UserError
from core.evaluate.judgement import GoldenQuery
from core.formulas import metrics
from core.progress import Progress, silent

Rank = Callable[[GoldenQuery], Sequence[str]]


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query with its ranking, its scores, and the relevant memories that were not returned."""

    query: GoldenQuery
    ranked: tuple[str, ...]
    scores: dict[str, float]
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    name: str
    judged: tuple[JudgedQuery, ...]

    def scores(self, metric: str) -> list[float]:
        return [each.scores[metric] for each in self.judged]


def run(
    name: str,
    queries: Sequence[GoldenQuery],
    rank: Rank,
    wanted: Sequence[str] = metrics.DEFAULT_METRICS,
    progress: Progress = silent,
) -> Run:
    """Rank and score every query that has a relevant memory; its progress may cancel it."""
    answerable = [query for query in queries if query.is_answerable]
    if not answerable:
        raise UserError("No query has a relevant memory, so there is nothing to measure.")
    named = {name: metrics.metric(name) for name in wanted}
    judged = []
    for done, query in enumerate(answerable, 1):
        ranked = tuple(rank(query))
        missed = tuple(uid for uid, grade in query.grades.items() if grade > 0 and uid not in ranked)
        scores = {metric: score(ranked, query.grades) for metric, score in named.items()}
        judged.append(JudgedQuery(query, ranked, scores, missed))
        progress(f"asking {name}", done, len(answerable))
    return Run(name, tuple(judged))
