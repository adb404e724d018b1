"""Whether anything that was found is relevant: "yes" and "thanks" are no questions, and a store may not know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import prompt_phrases
from core.errors import Unavailable
from core.formulas import bm25, evidence, relevance
from core.formulas.numbers import Constant
from core.pipeline.expr import Expr, Floats, Values, constant, total
from core.pipeline.pool import Candidates, Pool, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage, between, list_named, weighted
from core.pipeline.trace import Reason, ReasonKind


@dataclass(frozen=True, slots=True)
class RelevanceFloor(Stage):
    """Drop everything if the best is relevant with a probability below `min`; mark results below `low`.

    All or nothing, since the memory that answers is often not the one with the highest probability: dropping one by one
    loses three times as many answers. A query that refers to earlier talk (`last time`, `as we discussed`) asks for
    memories and has a lower floor, `min_recalling`. Source of the idea: the Recursive Light document's trigger
    detection; of the numbers, core/formulas/relevance.py.
    """

    name: str = "relevance"
    lists: tuple[str, ...] = list_named(("stems", "plain"))
    weights: tuple[float, ...] = (0.7, 0.3)
    vectors: str = list_named("vector")
    min: float = between(0.01, 0, 1)
    min_recalling: float = between(0.003, 0, 1)
    low: float = between(0.05, 0, 1)

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        if not len(candidates):
            return Step()
        try:
            probability = self._probability(query, candidates.pool)
        except Unavailable:  # the source that searched the index has said so
            return Step(notes=("Not judged: the full-text index is unavailable.",))
        of_rows = probability.column(len(candidates.pool))
        best = float(of_rows[candidates.rows].max())
        floor = self.min
        notes: tuple[str, ...] = ()
        if query.recall_phrase:
            floor = min(floor, self.min_recalling)
            notes = (f"The query refers to earlier talk ({query.recall_phrase!r}): the floor is {floor:g}.",)

        def facts(row: int) -> Mapping[str, Any]:
            return {"probability": probability.at(row), "low": bool(of_rows[row] < self.low)}

        if best >= floor:
            warnings = (LOW.format(best),) if best < self.low else ()
            return Step(measured=probability, facts=facts, notes=notes, warnings=warnings)

        def reason(row: int) -> Reason:
            sentence = f"Nothing relevant was found: the best is so with a probability of {best:.2g}, below {floor:g}."
            return Reason(ReasonKind.BELOW_THRESHOLD, sentence, {**facts(row), "best": best, "threshold": floor})

        keep = np.zeros(len(candidates.pool), dtype=bool)
        return Step(keep=keep, reason=reason, measured=probability, notes=notes)

    def _probability(self, query: Query, pool: Pool) -> Expr:
        """Return the probability that each row is relevant."""
        weighed = [
            (Constant("weight", weight) * Expr(name, values)).named(f"{name}, weighted")
            for (name, weight), values in zip(relevance.WEIGHTS.items(), self._features(query, pool), strict=True)
        ]
        odds = total("log-odds", [constant("intercept", relevance.INTERCEPT), *weighed])
        found: Expr = relevance.probability(odds)
        return found.named(self.name)

    def _features(self, query: Query, pool: Pool) -> tuple[Values, ...]:
        """Return what the probability follows from, in the order of its weights."""
        scores = [pool.column(name).values for name, _ in weighted(self.name, self.lists, self.weights)]
        words = sum(weight * each for weight, each in zip(self.weights, scores, strict=True))
        coverage = np.clip(scores[0] / max(_total_idf(query, pool), 1e-3), 0.0, 1.0) if scores else 0.0
        cosines = pool.column(self.vectors)
        has_vectors = len(cosines.found) > 0
        lowest = float(cosines.found.min()) if has_vectors else 0.0
        unrelated = lowest if query.unrelated_cosine is None else query.unrelated_cosine
        found: Floats = np.where(cosines.present, cosines.scores, lowest)
        return (
            coverage,
            np.minimum(words / evidence.unit(pool.store_size), relevance.MAX_WORDS),
            found - lowest,
            found - unrelated if has_vectors else 0.0,
            float(not has_vectors),
            float(prompt_phrases.is_small_talk(query.text)),
        )


LOW = "Low relevance: the best result is what was asked for with a probability of {:.2f}; the store may not know."


def _total_idf(query: Query, pool: Pool) -> float:
    """Return the idf of all words of a query together."""
    known = pool.vocabulary(query.words)
    return float(sum(bm25.fts5_idf(known.documents, known.with_word[word]) for word in query.words))
