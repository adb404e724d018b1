"""Why a memory was not returned, and the smallest single change that would have returned it.

Found by running the query again with the change, never by guessing, and only for what a person can change. Each change
is tried in growing steps, up and down, to its maximum; where it first works, the smallest value that still works is
found by bisection, rounded away from the start, and run once more as it is printed. The number of runs is limited, and
the result says if the limit was reached.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cache
from typing import Any

from core.curate.operations import REINFORCEMENT
from core.model import Importance, Memory, Status
from core.pipeline.parameters import Parameter, parameters_of
from core.pipeline.run import run
from core.pipeline.trace import Reason
from core.services import browse, query
from core.services.query import Answer, Explanation, Question
from core.services.trial_runs import BudgetExceeded, TrialRuns
from core.services.workspace import Workspace

# The tried values as shares of the way from the current value to the maximum, and the number of bisections. A larger
# change does not always do more, so the first steps are small.
STEPS = (
    0.003, 0.006, 0.012, 0.02, 0.03, 0.045, 0.065, 0.09, 0.12, 0.16, 0.2, 0.25, 0.32, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9,
    0.97, 1.0,
)  # fmt: skip
HALVINGS = 8
# Whole numbers are tried one by one up to this distance, then in steps of the distance divided by it.
ONE_BY_ONE = 20
# The start of a parameter that is 0 on the way up, as a share of the end.
FIRST_ABOVE_ZERO = 1e-6
# The numbers of digits a value is rounded to: the first that works.
DIGITS = (4, 6, 9)
# A parameter is changed by at most this factor, up and down.
MAX_FACTOR = 64.0

Rank = Callable[[Any], int | None]
Found = tuple[Any, int]


@dataclass(frozen=True, slots=True)
class SuggestedChange:
    """One change that would have returned the memory: what, from which value to which, and the resulting rank.

    `size` makes changes comparable: the share of its range that a field moves, or how many times a parameter is doubled
    or halved; a switch counts as 1.
    """

    kind: str
    what: str
    before: Any
    after: Any
    size: float
    rank: int

    @property
    def sentence(self) -> str:
        return f"{self.what} from {_shown(self.before)} to {_shown(self.after)} would return it at rank {self.rank}."


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a memory was not returned. `is_complete` is False if the limit of runs was reached before everything was
    tried."""

    explanation: Explanation
    lost_at: str
    reason: Reason | None
    changes: tuple[SuggestedChange, ...]
    runs: int
    is_complete: bool = True

    @property
    def smallest(self) -> SuggestedChange | None:
        return self.changes[0] if self.changes else None


def why_not(
    workspace: Workspace, question: Question, name: str, *, is_given_up: Callable[[], bool] = lambda: False
) -> WhyNot:
    """Return where a memory was dropped, and what would have returned it. Takes any time unless `is_given_up` says that
    the caller no longer waits: then it raises a UserError."""
    memory = browse.find(workspace, name)
    with query.prepared(workspace, question, frozenset((memory.id,))) as (profile, asked, reader):
        explained = query.explanation(memory, Answer(question, profile, asked, run(profile, asked, reader)))
        if explained.rank is not None:
            return WhyNot(explained, "", None, (), 1)
        is_gathered = not explained.absent
        plain = replace(asked, explained=frozenset())
        trials = TrialRuns(profile, plain, reader, memory, is_gathered=is_gathered, is_given_up=is_given_up)
        changes: list[SuggestedChange] = []
        is_complete = True
        try:
            for change in _changes(trials, memory, explained):
                changes.append(change)
        except BudgetExceeded:
            is_complete = False
    changes.sort(key=lambda change: (change.size, change.kind, change.what))
    lost_at = next((step.stage for step in explained.steps if step.reason is not None), None)
    if lost_at is None:
        lost_at = f"recall, the list {explained.reason.facts.get('list', 'of all')}" if explained.reason else "recall"
    return WhyNot(explained, lost_at, explained.reason, tuple(changes), trials.runs + 1, is_complete)


def _changes(trials: TrialRuns, memory: Memory, explained: Explanation) -> Iterator[SuggestedChange]:
    yield from _changes_of_the_memory(trials, memory)
    yield from _changes_of_the_question(trials)
    for parameter in parameters_of(trials.profile):
        yield from _changes_of_a_parameter(trials, parameter, explained)


def _changes_of_the_memory(trials: TrialRuns, memory: Memory) -> Iterator[SuggestedChange]:
    switches: tuple[tuple[str, str, Any, Any], ...] = (
        ("pin", "pinned", memory.pinned, True),
        ("importance", "importance", memory.importance, Importance.HIGH),
        ("status", "status", memory.status, Status.ACTIVE),
    )
    for kind, field, before, after in switches:
        if before != after and (rank := trials.with_fields(**{field: after})):
            yield SuggestedChange(kind, field, before, after, 1.0, rank)
    sure = memory.confidence
    for value, rank in _both_ways(sure, 0.0, 1.0, lambda value: trials.with_fields(confidence=value)):
        yield SuggestedChange("confidence", "confidence", sure, value, abs(value - sure), rank)
    times = math.ceil((1.0 - memory.strength) / REINFORCEMENT)

    def reinforced(count: int) -> int | None:
        return trials.with_fields(strength=_strength(memory, count))

    for count, rank in _both_ways_whole(0, 0, times, reinforced):
        after = _strength(memory, count)
        what = f"strength (reinforced {count} time{'s' * (count > 1)})"
        yield SuggestedChange("strength", what, memory.strength, after, after - memory.strength, rank)


def _strength(memory: Memory, reinforced: int) -> float:
    """Return the strength after so many reinforcements."""
    strength = memory.strength
    for _ in range(reinforced):
        strength = min(1.0, strength + REINFORCEMENT)
    return strength


def _changes_of_the_question(trials: TrialRuns) -> Iterator[SuggestedChange]:
    asked = trials.query
    most = trials.profile.max_k
    for k, rank in _both_ways_whole(asked.k, 1, most, lambda k: trials.rank(asked=replace(asked, k=k))):
        yield SuggestedChange("k", "k", asked.k, k, abs(math.log2(k / asked.k)), rank)
    if budget := asked.token_budget:
        for tokens, rank in _both_ways_whole(
            budget, 1, round(budget * MAX_FACTOR), lambda tokens: trials.rank(asked=replace(asked, token_budget=tokens))
        ):
            yield SuggestedChange("budget", "the token budget", budget, tokens, abs(math.log2(tokens / budget)), rank)
    if (least := asked.min_confidence) is not None:
        for value, rank in _both_ways(
            least, 0.0, 1.0, lambda value: trials.rank(asked=replace(asked, min_confidence=value))
        ):
            yield SuggestedChange("min_confidence", "the minimum confidence", least, value, abs(value - least), rank)


def _changes_of_a_parameter(
    trials: TrialRuns, parameter: Parameter, explained: Explanation
) -> Iterator[SuggestedChange]:
    value = parameter.value
    if parameter.field == "limit":
        yield from _a_longer_list(trials, parameter, explained)
    elif isinstance(value, tuple) and value and all(isinstance(each, float) for each in value):
        for at in range(len(value)):
            yield from _changed_parameter(
                trials,
                parameter,
                value[at],
                lambda new, at=at: (*value[:at], new, *value[at + 1 :]),  # type: ignore[misc]
            )
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _changed_parameter(trials, parameter, value, lambda new: new)


def _a_longer_list(trials: TrialRuns, parameter: Parameter, explained: Explanation) -> Iterator[SuggestedChange]:
    """Try raising a source's limit to the memory's rank in that source. Ranks beyond the largest parameter change are
    skipped, since they would rank half the store."""
    for reason in explained.absent or trials.missing_from(parameter.step, explained):
        needed = reason.facts.get("rank") if reason.facts.get("list") == parameter.step else None
        if (
            needed is not None
            and needed <= parameter.value * MAX_FACTOR
            and (rank := trials.with_parameters({parameter.path: needed}))
        ):
            size = math.log2(needed / parameter.value)
            yield SuggestedChange("parameter", parameter.path, parameter.value, needed, size, rank)


def _changed_parameter(
    trials: TrialRuns, parameter: Parameter, before: float, setting: Callable[[float], Any]
) -> Iterator[SuggestedChange]:
    """The least turn of a parameter, or of one number of it, upwards or downwards, that brings the memory in."""
    lowest, highest = parameter.range
    least, most = max(0.0, lowest), min((before or 1.0) * MAX_FACTOR, highest)

    def rank(value: float) -> int | None:
        return trials.with_parameters({parameter.path: setting(value)})

    ways = _both_ways_whole(before, round(least), round(most), rank) if isinstance(before, int) else None
    for value, reached in _both_ways(before, least, most, rank) if ways is None else ways:
        size = abs(math.log2(value / before)) if before > 0 and value > 0 else 8.0
        yield SuggestedChange("parameter", parameter.path, setting(before), setting(value), size, reached)


def _both_ways(start: float, least: float, most: float, rank: Rank) -> Iterator[Found]:
    """Return the value nearest to the start, below or above, that returns the memory, with its rank."""
    rank = cache(rank)
    yield from _nearer(start, (_least(start, end, rank) for end in (most, least)))


def _both_ways_whole(start: int, least: int, most: int, rank: Rank) -> Iterator[Found]:
    """Return the same for whole numbers."""
    rank = cache(rank)
    yield from _nearer(start, (_least_whole(start, end, rank) for end in (most, least)))


def _nearer(start: float, found: Iterable[Found | None]) -> Iterator[Found]:
    those = [each for each in found if each is not None]
    if those:
        yield min(those, key=lambda each: abs(each[0] - start))


def _least(start: float, end: float, rank: Rank) -> Found | None:
    """Return the value nearest to the start, towards the end, that returns the memory, and its rank."""
    if start == end:
        return None
    low = start
    for share in STEPS:
        high = _on_the_way(start, end, share)
        if rank(high) is not None:
            break
        low = high
    else:
        return None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rank(middle) is None else (low, middle)
    return next((value, reached) for value in _roundings(high, end) if (reached := rank(value)) is not None)


def _on_the_way(start: float, end: float, share: float) -> float:
    """Return a value between start and end: upwards by equal factors, so that small changes of a large range are tried
    too; downwards, possibly to 0, evenly."""
    if end < start:
        return start + (end - start) * share
    first = start or end * FIRST_ABOVE_ZERO
    return float(first * (end / first) ** share)


def _roundings(value: float, end: float) -> Iterator[float]:
    """Yield the value with few digits, rounded towards the end, and last unrounded."""
    exact = Decimal(value)
    for digits in DIGITS if value else ():
        unit = Decimal((0, (1,), exact.adjusted() - digits + 1))
        rounded = float(exact.quantize(unit, ROUND_CEILING if end >= value else ROUND_FLOOR))
        yield min(rounded, end) if end >= value else max(rounded, end)
    yield value


def _least_whole(start: int, end: int, rank: Rank) -> Found | None:
    """Return the same for whole numbers, tried in steps that grow with the distance."""
    way = 1 if end > start else -1
    low = start
    while low != end:
        step = max(1, abs(low - start) // ONE_BY_ONE)
        high = low + way * min(step, abs(end - low))
        if rank(high) is not None:
            break
        low = high
    else:
        return None
    while abs(high - low) > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rank(middle) is None else (low, middle)
    reached = rank(high)
    return None if reached is None else (high, reached)


def _shown(value: Any) -> str:
    """Return a value as it can be typed: in four digits if that is exact."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return f"{value:.4g}" if isinstance(value, float) and float(f"{value:.4g}") == value else str(value)
