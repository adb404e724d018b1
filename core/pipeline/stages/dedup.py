"""Drop near-copies of a higher-ranked result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core import text
from core.formulas import similarity
from core.model import MemoryId
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import StageResult
from core.pipeline.trace import Reason, ReasonKind


@dataclass(frozen=True, slots=True)
class Deduplicate:
    """A result leaves when the share of words it has in common with a higher-ranked one reaches `overlap`.

    Oro, query pipeline step 5, names no measure; the words of both divided by the words of either is ours.
    """

    name: str = "dedup"
    overlap: float = 0.7

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        kept: list[tuple[MemoryId, frozenset[str], int]] = []

        def verdict(candidate: Candidate) -> Reason | None:
            words = _words(candidate.memory.content)
            count, overlap = len(words), self.overlap
            for other, others, others_count in kept:
                if others_count < overlap * count or count < overlap * others_count:
                    continue  # too unlike in length to overlap that much
                shared = similarity.overlap(words, others)
                if shared >= self.overlap:
                    facts = {"of": other, "overlap": shared, "threshold": self.overlap}
                    return Reason(ReasonKind.DUPLICATE, f"It says what memory {other} says ({shared:.0%}).", facts)
            kept.append((candidate.id, words, count))
            return None

        drops = []
        for rank, at in enumerate(pool.places, 1):
            if len(kept) >= query.k:
                break  # no more than these are returned, so the rest need not be compared
            candidate = pool.member(at)
            reason = verdict(candidate)
            if reason is not None:
                drops.append(candidate.leaves(rank, reason))
        gone = {drop.memory_id for drop in drops}
        left = pool.with_candidates(each for each in pool.candidates if each.id not in gone) if gone else pool
        return StageResult(left, tuple(drops))


@lru_cache(maxsize=8192)
def _words(content: str) -> frozenset[str]:
    """Return the words of a text; cached, since the same memories recur."""
    return frozenset(text.query_words(content))
