"""Filters: thresholds, the session, structured context, distance in space."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.formulas import similarity
from core.pipeline.candidate import Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import StageResult
from core.pipeline.trace import Reason, ReasonKind

MISSING = object()


def keep(
    pool: Pool,
    verdict: Callable[[Candidate], Reason | None],
    facts: Callable[[Candidate], Mapping[str, Any]] | None = None,
) -> StageResult:
    """Drop the candidates that have a reason; the others stay in order, with the `facts` of each."""
    kept, drops, kept_facts = [], [], {}
    for rank, candidate in enumerate(pool.candidates, 1):
        reason = verdict(candidate)
        if reason is None:
            kept.append(candidate)
            if facts is not None:
                kept_facts[candidate.id] = facts(candidate)
        else:
            drops.append(candidate.leaves(rank, reason))
    return StageResult(pool.with_candidates(kept) if drops else pool, tuple(drops), kept_facts)


@dataclass(frozen=True, slots=True)
class MinimumScore:
    """Drop scores below a minimum. Oro, minimum relevance threshold."""

    name: str = "threshold"
    least: float = 0.05

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        def verdict(candidate: Candidate) -> Reason | None:
            if candidate.value >= self.least:
                return None
            facts = {"score": candidate.value, "threshold": self.least, "set_by": f"{self.name}.least"}
            sentence = f"Its score {candidate.value:.4g} is below the threshold {self.least:g}."
            return Reason(ReasonKind.BELOW_THRESHOLD, sentence, facts)

        threshold = {"threshold": self.least, "set_by": f"{self.name}.least"}
        return keep(pool, verdict, lambda _: threshold)


@dataclass(frozen=True, slots=True)
class AboveZero:
    """Drop candidates that nothing matched."""

    name: str = "matched"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        reason = Reason(ReasonKind.NOT_MATCHED, "Nothing in the query or its links leads to it.")
        return keep(pool, lambda each: None if each.value > 0 else reason)


@dataclass(frozen=True, slots=True)
class MinimumConfidence:
    """Drop memories below a minimum confidence. robotmem, confidence filter; the query may set its own."""

    name: str = "min-confidence"
    least: float = 0.3

    def overridden(self, query: Query) -> dict[str, str]:
        return {} if query.min_confidence is None else {"least": "the query's own least confidence counts"}

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        least = self.least if query.min_confidence is None else query.min_confidence
        set_by = f"{self.name}.least" if query.min_confidence is None else "the query"

        def verdict(candidate: Candidate) -> Reason | None:
            confidence = candidate.memory.confidence
            if confidence >= least:
                return None
            facts = {"confidence": confidence, "threshold": least, "set_by": set_by}
            sentence = f"Its confidence {confidence:g} is below {least:g}."
            return Reason(ReasonKind.BELOW_THRESHOLD, sentence, facts)

        return keep(pool, verdict, lambda _: {"threshold": least, "set_by": set_by})


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Only the session that the query names, if it names one. robotmem, session filter."""

    name: str = "session"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        def verdict(candidate: Candidate) -> Reason | None:
            if not query.session or candidate.memory.session == query.session:
                return None
            facts = {"filter": "session", "wanted": query.session, "found": candidate.memory.session}
            return Reason(ReasonKind.FILTERED, f"It is of the session {candidate.memory.session or '(none)'}.", facts)

        return keep(pool, verdict)


@dataclass(frozen=True, slots=True)
class ContextFilter:
    """Only memories whose context fits: dot paths, equality and $lt $lte $gt $gte $ne. robotmem, context filter."""

    name: str = "context"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        def verdict(candidate: Candidate) -> Reason | None:
            for path, wanted in query.context.items():
                found = resolve(candidate.memory.context, path)
                if not matches(found, wanted):
                    shown = "nothing" if found is MISSING else repr(found)
                    facts = {"filter": "context", "path": path, "wanted": wanted, "found": shown}
                    return Reason(ReasonKind.FILTERED, f"Its context has {shown[:60]} at {path}.", facts)
            return None

        return keep(pool, verdict)


@dataclass(frozen=True, slots=True)
class SpatialOrder:
    """Nearest first, by the place a context field holds, within a distance if one is given. robotmem, spatial sort.

    Memories that hold no such place come last, or leave when there is a largest distance.
    """

    name: str = "spatial"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        spatial = query.spatial
        if spatial is None:
            return StageResult(pool)
        distances = {each.id: _distance(each, spatial.field, spatial.target) for each in pool.candidates}

        def verdict(candidate: Candidate) -> Reason | None:
            distance = distances[candidate.id]
            if spatial.max_distance is None or (distance is not None and distance <= spatial.max_distance):
                return None
            facts = {"filter": "spatial", "field": spatial.field, "distance": distance, "most": spatial.max_distance}
            shown = f"It is {distance:.4g} away" if distance is not None else f"It holds no place at {spatial.field}"
            return Reason(ReasonKind.FILTERED, f"{shown}; at most {spatial.max_distance:g} was asked for.", facts)

        outcome = keep(pool, verdict, lambda each: {"distance": distances[each.id], "field": spatial.field})

        def nearness(candidate: Candidate) -> tuple[bool, float]:
            distance = distances[candidate.id]
            return distance is None, distance or 0.0

        nearest_first = outcome.pool.with_candidates(sorted(outcome.pool.candidates, key=nearness))
        return replace(outcome, pool=nearest_first)


def resolve(context: Mapping[str, Any], path: str) -> Any:
    """The value at a dot path, or MISSING."""
    found: Any = context
    for key in path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            return MISSING
        found = found[key]
    return found


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "$lt": lambda found, wanted: found < wanted,
    "$lte": lambda found, wanted: found <= wanted,
    "$gt": lambda found, wanted: found > wanted,
    "$gte": lambda found, wanted: found >= wanted,
    "$ne": lambda found, wanted: not _equal(found, wanted),
}


def matches(found: Any, wanted: Any) -> bool:
    """Whether a value fits; values of different types never do, and never raise."""
    if found is MISSING:
        return False
    if not isinstance(wanted, Mapping):
        return _equal(found, wanted)
    return all(
        (operator == "$ne" or _comparable(found, value)) and _COMPARE[operator](found, value)
        for operator, value in wanted.items()
    )


def _equal(a: Any, b: Any) -> bool:
    """JSON's equality: true is not 1."""
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _comparable(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return False
    return (isinstance(a, (int, float)) and isinstance(b, (int, float))) or (isinstance(a, str) and isinstance(b, str))


def _distance(candidate: Candidate, field: str, target: tuple[float, ...]) -> float | None:
    place = resolve(candidate.memory.context, field)
    if not isinstance(place, (list, tuple)) or len(place) != len(target):
        return None
    if not all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in place):
        return None
    return similarity.euclidean(place, target)
