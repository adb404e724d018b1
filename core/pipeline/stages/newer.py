"""Of two statements of which one updates the other, the newer comes first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core import text
from core.formulas import similarity
from core.model import Memory, MemoryId
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import Outcome
from core.pipeline.trace import Operation, leaf, term


@dataclass(frozen=True, slots=True)
class NewerFirst:
    """Among the best, a later memory that says much the same and scores nearly as well is lifted just above.

    Much the same: shared stems / all stems ≥ `overlap`, without stop words and names. Nearly as well: at least
    `ratio` of the older one's score. This finds a statement made anew in like words; an update in other words is what
    superseding is for.
    """

    name: str = "newer"
    overlap: float = 0.4
    ratio: float = 0.7
    among: int = 20
    lift: float = 1.001

    def __call__(self, query: Query, pool: Pool) -> Outcome:
        head, rest = pool.candidates[: self.among], pool.candidates[self.among :]
        placed: list[Candidate] = []
        facts: dict[MemoryId, dict[str, float]] = {}
        # From the oldest on: the third version is then lifted above where the second has come to stand.
        for newer in sorted(head, key=lambda each: (each.memory.created_at, each.id)):
            older = max(filter(lambda each: self._is_older(each, newer), placed), key=_by_value, default=None)
            if older is None:
                placed.append(newer)
                continue
            facts[newer.id] = {"newer_than": older.id, "overlap": _overlap(newer.memory, older.memory)}
            above = term(
                "just above the older",
                Operation.PRODUCT,
                leaf("score of the older", older.value, memory=older.id),
                leaf("lift", self.lift),
            )
            own = newer.score or leaf("score", 0.0)
            placed.append(newer.scored(term("score", Operation.MAX, own, above, **facts[newer.id])))
        return Outcome(pool.ranked((*placed, *rest)), facts=facts)

    def _is_older(self, older: Candidate, newer: Candidate) -> bool:
        return (
            older.memory.created_at < newer.memory.created_at
            and older.value > 0
            and self.ratio * older.value <= newer.value <= older.value
            and _overlap(older.memory, newer.memory) >= self.overlap
        )


def _by_value(candidate: Candidate) -> tuple[float, MemoryId]:
    return candidate.value, candidate.id


def _overlap(one: Memory, other: Memory) -> float:
    return similarity.overlap(_stems(one.content, one.entities), _stems(other.content, other.entities))


@lru_cache(maxsize=8192)
def _stems(content: str, entities: tuple[str, ...]) -> frozenset[str]:
    """What a memory says, without whom it is about; the same memories come up again and again."""
    names = {word for entity in entities for word in text.query_words(entity)}
    return frozenset(text.rough_stem(word) for word in text.query_words(content) if word not in names)
