"""Why a memory was not returned, and the smallest single change that would have brought it in.

Found by running the query again with the change, never by guessing. Each kind of change is tried a little, then more,
up to its strongest; where it first works, the least of it that still works is found by halving. All of it within a
budget of runs and time, and what the budget cut off is said.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.errors import UserError
from core.model import Importance, Memory, Status
from core.pipeline.candidate import DAY, age
from core.pipeline.parameters import RANGES, Parameter, parameters_of, with_parameters
from core.pipeline.query import Query
from core.pipeline.run import Profile, rank_of, run
from core.pipeline.stage import Reader
from core.pipeline.trace import Reason
from core.services import browse, query
from core.services.query import Answer, Explanation, Question
from core.services.trial_readers import Imagined, Remembering
from core.services.workspace import Workspace

# How far on the way from its present value to its strongest a change is tried, and how finely it is then narrowed.
LADDER = (0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0)
HALVINGS = 8
# How far a parameter is turned at the most: by this factor, up and down.
FURTHEST = 64.0
MOST_RUNS = 1_500
MOST_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that would have brought it in: what, from which value to which, and the rank it then has.

    `size` makes changes comparable: the share of its range that a field moves, or how many times a parameter is
    doubled or halved; a switch counts as 1.
    """

    kind: str
    what: str
    before: Any
    after: Any
    size: float
    rank: int

    @property
    def sentence(self) -> str:
        return f"{self.what} from {_shown(self.before)} to {_shown(self.after)} would make it number {self.rank}."


@dataclass(frozen=True, slots=True)
class WhyNot:
    """`is_complete` tells whether everything was tried, or the budget of runs and time ran out before."""

    explanation: Explanation
    lost_at: str
    reason: Reason | None
    changes: tuple[Change, ...]
    runs: int
    is_complete: bool = True

    @property
    def smallest(self) -> Change | None:
        return self.changes[0] if self.changes else None


class _BudgetUsedUp(Exception):
    """Enough was tried."""


class _Trials:
    """Runs the query again with something changed, within one snapshot and a budget."""

    def __init__(self, profile: Profile, asked: Query, reader: Reader, memory: Memory, *, is_gathered: bool) -> None:
        self.profile, self.query, self.memory = profile, asked, memory
        self.reader: Any = Remembering(reader)
        self._is_gathered = is_gathered
        self.runs = 0
        self._until = time.perf_counter() + MOST_SECONDS

    def rank(
        self, profile: Profile | None = None, asked: Query | None = None, reader: Reader | None = None
    ) -> int | None:
        if self.runs >= MOST_RUNS or time.perf_counter() > self._until:
            raise _BudgetUsedUp
        self.runs += 1
        try:
            return rank_of(profile or self.profile, asked or self.query, reader or self.reader, self.memory.id)
        except UserError:  # it cannot be computed so
            return None

    def with_fields(self, **fields: Any) -> int | None:
        imagined: Any = Imagined(self.reader, self.memory._replace(**fields))
        return self.rank(reader=imagined)

    def with_parameters(self, changed: Mapping[str, Any]) -> int | None:
        try:
            profile = with_parameters(self.profile, changed)
        except UserError:  # out of its range
            return None
        if not self._is_gathered and profile.recall == self.profile.recall:
            return None  # whom no source brings no stage can
        return self.rank(profile=profile)


def why_not(workspace: Workspace, question: Question, name: str) -> WhyNot:
    """Where a memory was lost, and what would have brought it into the answer."""
    memory = browse.find(workspace, name)
    with query.prepared(workspace, question, frozenset((memory.id,))) as (profile, asked, reader):
        explained = query.explanation(memory, Answer(question, profile, asked, run(profile, asked, reader)))
        if explained.rank is not None:
            return WhyNot(explained, "", None, (), 1)
        is_gathered = not explained.absent
        trials = _Trials(profile, replace(asked, explained=frozenset()), reader, memory, is_gathered=is_gathered)
        changes: list[Change] = []
        is_complete = True
        try:
            for change in _changes(trials, memory, explained):
                changes.append(change)
        except _BudgetUsedUp:
            is_complete = False
    changes.sort(key=lambda change: (change.size, change.kind, change.what))
    lost_at = next((step.stage for step in explained.steps if step.reason is not None), None)
    if lost_at is None:
        lost_at = f"recall, the list {explained.reason.facts.get('list', 'of all')}" if explained.reason else "recall"
    return WhyNot(explained, lost_at, explained.reason, tuple(changes), trials.runs + 1, is_complete)


def _changes(trials: _Trials, memory: Memory, explained: Explanation) -> Iterator[Change]:
    yield from _changes_of_the_memory(trials, memory)
    yield from _changes_of_the_question(trials)
    for parameter in parameters_of(trials.profile):
        yield from _changes_of_a_parameter(trials, parameter, explained)


def _changes_of_the_memory(trials: _Trials, memory: Memory) -> Iterator[Change]:
    switches: tuple[tuple[str, str, Any, Any], ...] = (
        ("pin", "pinned", memory.pinned, True),
        ("importance", "importance", memory.importance, Importance.HIGH),
        ("status", "status", memory.status, Status.ACTIVE),
    )
    for kind, field, before, after in switches:
        if before != after and (rank := trials.with_fields(**{field: after})):
            yield Change(kind, field, before, after, 1.0, rank)
    for field in ("confidence", "strength"):
        start: float = getattr(memory, field)
        found = _least(start, 1.0, lambda value, field=field: trials.with_fields(**{field: value}))  # type: ignore[misc]
        if found:
            yield Change(field, field, start, found[0], found[0] - start, found[1])
    now = trials.query.now
    days = age(memory.created_at, now, DAY)

    def younger(value: float) -> int | None:
        moment = now - value * DAY
        accessed = None if memory.last_accessed_at is None else max(memory.last_accessed_at, moment)
        return trials.with_fields(created_at=moment, last_accessed_at=accessed)

    if found := _least(days, 0.0, younger):
        yield Change("age", "age in days", days, found[0], (days - found[0]) / max(days, 1.0), found[1])


def _changes_of_the_question(trials: _Trials) -> Iterator[Change]:
    asked = trials.query
    most = trials.profile.most_k
    if found := _least_whole(asked.k, most, lambda k: trials.rank(asked=replace(asked, k=k))):
        yield Change("k", "k", asked.k, found[0], math.log2(found[0] / asked.k), found[1])
    budget = asked.token_budget
    if budget and (
        found := _least_whole(
            budget, budget * 64, lambda tokens: trials.rank(asked=replace(asked, token_budget=tokens))
        )
    ):
        yield Change("budget", "the token budget", budget, found[0], math.log2(found[0] / budget), found[1])
    least = asked.min_confidence
    if least and (lower := _least(least, 0.0, lambda value: trials.rank(asked=replace(asked, min_confidence=value)))):
        yield Change("min_confidence", "the least confidence", least, lower[0], least - lower[0], lower[1])


def _changes_of_a_parameter(trials: _Trials, parameter: Parameter, explained: Explanation) -> Iterator[Change]:
    value = parameter.value
    if parameter.field == "limit":
        yield from _a_longer_list(trials, parameter, explained)
    elif isinstance(value, tuple) and value and all(isinstance(each, float) for each in value):
        for at in range(len(value)):
            yield from _turned(
                trials,
                parameter,
                value[at],
                lambda new, at=at: (*value[:at], new, *value[at + 1 :]),  # type: ignore[misc]
                f"[{at}]",
            )
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        is_whole = isinstance(value, int)
        yield from _turned(trials, parameter, value, lambda new: round(new) if is_whole else new)


def _a_longer_list(trials: _Trials, parameter: Parameter, explained: Explanation) -> Iterator[Change]:
    """The list's own rank of the memory is the limit that is needed; no other is worth a try, nor is one further away
    than any parameter is turned: half the store would be ranked."""
    for reason in explained.absent:
        needed = reason.facts.get("rank") if reason.facts.get("list") == parameter.step else None
        if (
            needed is not None
            and needed <= parameter.value * FURTHEST
            and (rank := trials.with_parameters({parameter.path: needed}))
        ):
            size = math.log2(needed / parameter.value)
            yield Change("parameter", parameter.path, parameter.value, needed, size, rank)


def _turned(
    trials: _Trials, parameter: Parameter, before: float, setting: Callable[[float], Any], place: str = ""
) -> Iterator[Change]:
    """The least turn of a parameter, upwards or downwards, that brings the memory in."""
    lowest, highest = RANGES.get(parameter.field, (-math.inf, math.inf))
    start = before or 1.0
    best: Change | None = None
    for furthest in (min(start * FURTHEST, highest), max(0.0, lowest)):
        found = _least(before, furthest, lambda value: trials.with_parameters({parameter.path: setting(value)}))
        if not found:
            continue
        after = setting(found[0])
        after = found[0] if isinstance(after, tuple) else after
        size = abs(math.log2(after / before)) if before > 0 and after > 0 else 8.0
        if best is None or size < best.size:
            best = Change("parameter", parameter.path + place, before, after, size, found[1])
    if best is not None:
        yield best


def _least(start: float, end: float, rank: Callable[[float], int | None]) -> tuple[float, int] | None:
    """The value nearest to the start, on the way to the end, that brings the memory in, and its rank then."""
    if start == end:
        return None
    low = start
    for share in LADDER:
        high = start + (end - start) * share
        reached = rank(high)
        if reached is not None:
            break
        low = high
    else:
        return None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = rank(middle)
        if found is None:
            low = middle
        else:
            high, reached = middle, found
    return high, reached


def _least_whole(start: int, end: int, rank: Callable[[int], int | None]) -> tuple[int, int] | None:
    """The same for whole numbers of which more is never worse."""
    if start >= end or rank(end) is None:
        return None
    low, high = start, end
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rank(middle) else (middle, high)
    reached = rank(high)
    return None if reached is None else (high, reached)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
