"""Filters: thresholds, the session, structured context, distance in space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.formulas import similarity
from core.pipeline.expr import Mask
from core.pipeline.pool import Candidates, Step
from core.pipeline.query import Query
from core.pipeline.stage import Stage
from core.pipeline.trace import Reason, ReasonKind

MISSING = object()


@dataclass(frozen=True, slots=True)
class MinimumScore(Stage):
    """Drop scores below a minimum. Oro, minimum relevance threshold."""

    name: str = "threshold"
    min: float = 0.05

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        threshold = {"threshold": self.min, "set_by": f"{self.name}.min"}

        def reason(row: int) -> Reason:
            score = candidates.score.at(row)
            sentence = f"Its score {score:.4g} is below the threshold {self.min:g}."
            return Reason(ReasonKind.BELOW_THRESHOLD, sentence, {"score": score, **threshold})

        return Step(keep=candidates.values >= self.min, reason=reason, facts=lambda _: threshold)


@dataclass(frozen=True, slots=True)
class AboveZero(Stage):
    """Drop candidates that nothing matched."""

    name: str = "matched"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        reason = Reason(ReasonKind.NOT_MATCHED, "Nothing in the query or its links leads to it.")
        return Step(keep=candidates.values > 0, reason=lambda _: reason)


@dataclass(frozen=True, slots=True)
class MinimumConfidence(Stage):
    """Drop memories below a minimum confidence. robotmem, confidence filter; the query may set its own."""

    name: str = "min-confidence"
    min: float = 0.3

    def overridden(self, query: Query) -> dict[str, str]:
        return {} if query.min_confidence is None else {"min": "the query's own minimum confidence applies"}

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        lowest = self.min if query.min_confidence is None else query.min_confidence
        set_by = f"{self.name}.min" if query.min_confidence is None else "the query"
        threshold, confidences = {"threshold": lowest, "set_by": set_by}, candidates.pool.facts.confidence

        def reason(row: int) -> Reason:
            confidence = float(confidences[row])
            sentence = f"Its confidence {confidence:g} is below {lowest:g}."
            return Reason(ReasonKind.BELOW_THRESHOLD, sentence, {"confidence": confidence, **threshold})

        return Step(keep=confidences >= lowest, reason=reason, facts=lambda _: threshold)


@dataclass(frozen=True, slots=True)
class SessionFilter(Stage):
    """Only the session that the query names, if it names one. robotmem, session filter."""

    name: str = "session"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        if not query.session:
            return Step()
        sessions = candidates.pool.facts.session

        def reason(row: int) -> Reason:
            facts = {"filter": "session", "wanted": query.session, "found": sessions[row]}
            return Reason(ReasonKind.FILTERED, f"It is of the session {sessions[row] or '(none)'}.", facts)

        return Step(keep=sessions == query.session, reason=reason)


@dataclass(frozen=True, slots=True)
class ContextFilter(Stage):
    """Only memories whose context fits: dot paths, equality and $lt $lte $gt $gte $ne. robotmem, context filter."""

    name: str = "context"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        if not query.context:
            return Step()
        reasons = {}
        rows = candidates.rows.tolist()
        for row, memory in zip(rows, candidates.pool.read(rows), strict=True):
            for path, wanted in query.context.items():
                found = resolve(memory.context, path)
                if not matches(found, wanted):
                    shown = "nothing" if found is MISSING else repr(found)
                    facts = {"filter": "context", "path": path, "wanted": wanted, "found": shown}
                    reasons[row] = Reason(ReasonKind.FILTERED, f"Its context has {shown[:60]} at {path}.", facts)
                    break
        return Step(keep=without(candidates, reasons), reason=reasons.__getitem__)


@dataclass(frozen=True, slots=True)
class SpatialOrder(Stage):
    """Nearest first, by the place a context field holds, within a distance if one is given. robotmem, spatial sort.

    Memories that hold no such place come last, or are dropped when there is a largest distance.
    """

    name: str = "spatial"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        spatial = query.spatial
        if spatial is None:
            return Step()
        pool, order = candidates.pool, candidates.order.tolist()
        distances = {
            row: _distance(memory.context, spatial.field, spatial.target)
            for row, memory in zip(order, pool.read(order), strict=True)
        }

        def reason(row: int) -> Reason:
            distance = distances[row]
            facts = {"filter": "spatial", "field": spatial.field, "distance": distance, "most": spatial.max_distance}
            shown = f"It is {distance:.4g} away" if distance is not None else f"It holds no place at {spatial.field}"
            return Reason(ReasonKind.FILTERED, f"{shown}; at most {spatial.max_distance:g} was asked for.", facts)

        def is_too_far(distance: float | None) -> bool:
            return spatial.max_distance is not None and (distance is None or distance > spatial.max_distance)

        nearest_first = sorted(order, key=lambda row: (distances[row] is None, distances[row] or 0.0))
        return Step(
            keep=without(candidates, [row for row, distance in distances.items() if is_too_far(distance)]),
            reason=reason,
            order=np.array(nearest_first, dtype=np.intp),
            facts=lambda row: {"distance": distances[row], "field": spatial.field},
        )


def without(candidates: Candidates, rows: Iterable[int]) -> Mask:
    """Return a mask of all rows but some."""
    keep = np.ones(len(candidates.pool), dtype=bool)
    keep[list(rows)] = False
    return keep


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


def _distance(context: Mapping[str, Any], field: str, target: tuple[float, ...]) -> float | None:
    place = resolve(context, field)
    if not isinstance(place, (list, tuple)) or len(place) != len(target):
        return None
    if not all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in place):
        return None
    return similarity.euclidean(place, target)
