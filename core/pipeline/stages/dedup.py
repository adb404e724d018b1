"""Drop near-copies of a higher-ranked result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core import text
from core.formulas import similarity
from core.model import MemoryId
from core.pipeline.pool import Candidates, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage, between
from core.pipeline.stages.filter import without
from core.pipeline.trace import Reason, ReasonKind


@dataclass(frozen=True, slots=True)
class Deduplicate(Stage):
    """A result is dropped when the share of words it has in common with a higher-ranked one reaches `overlap`.

    Oro, query pipeline step 5, names no measure; the words of both divided by the words of either is ours.
    """

    name: str = "dedup"
    overlap: float = between(0.7, 0, 1)

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        pool, order = candidates.pool, candidates.order.tolist()
        kept: list[tuple[MemoryId, frozenset[str]]] = []
        reasons: dict[int, Reason] = {}
        pool.read(order[: query.k])
        for row in order:
            if len(kept) >= query.k:
                break  # no more than these are returned, so the rest need not be compared
            memory = pool.memory(row)
            words = _words(memory.content)
            reason = self._copied(words, kept)
            if reason is None:
                kept.append((memory.id, words))
            else:
                reasons[row] = reason
        return Step(keep=without(candidates, reasons), reason=reasons.__getitem__) if reasons else Step()

    def _copied(self, words: frozenset[str], kept: list[tuple[MemoryId, frozenset[str]]]) -> Reason | None:
        count, overlap = len(words), self.overlap
        for other, others in kept:
            if len(others) < overlap * count or count < overlap * len(others):
                continue  # too unlike in length to overlap that much
            shared = similarity.overlap(words, others)
            if shared >= overlap:
                facts = {"of": other, "overlap": shared, "threshold": overlap}
                return Reason(ReasonKind.DUPLICATE, f"It duplicates memory {other} ({shared:.0%} overlap).", facts)
        return None


@lru_cache(maxsize=8192)
def _words(content: str) -> frozenset[str]:
    """Return the words of a text; cached, since the same memories recur."""
    return frozenset(text.query_words(content))
