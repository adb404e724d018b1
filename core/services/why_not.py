"""Why a memory was not returned, and the smallest single change that would have brought it in.

Found by running the query again with the change, never by guessing: each kind of change is tried at its strongest
first, and if that works, the least of it that still works is found by halving.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.errors import UserError
from core.model import Importance, Memory, MemoryId, Status
from core.pipeline.candidate import DAY, age
from core.pipeline.parameters import parameters_of, with_parameters
from core.pipeline.query import Query
from core.pipeline.run import Profile, run
from core.pipeline.stage import Reader
from core.pipeline.trace import Reason
from core.services import browse, query
from core.services.query import Answer, Explanation, Question
from core.services.workspace import Workspace

HALVINGS = 12
# How far a parameter is turned at the most: by this factor, up and down.
FURTHEST = 64.0


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
    explanation: Explanation
    lost_at: str
    reason: Reason | None
    changes: tuple[Change, ...]
    runs: int

    @property
    def smallest(self) -> Change | None:
        return self.changes[0] if self.changes else None


class _Trials:
    """Runs the query again with something changed, within one snapshot, and counts."""

    def __init__(self, profile: Profile, asked: Query, reader: Reader, id: MemoryId) -> None:
        self.profile, self.query, self.reader, self.id = profile, asked, reader, id
        self.runs = 0

    def rank(
        self, *, profile: Profile | None = None, asked: Query | None = None, fields: Mapping[str, Any] | None = None
    ) -> int | None:
        self.runs += 1
        overrides = {self.id: fields} if fields else None
        try:
            ranking = run(profile or self.profile, asked or self.query, self.reader, overrides)
        except UserError:  # the parameter cannot be set so
            return None
        return next((rank for rank, result in enumerate(ranking.results, 1) if result.id == self.id), None)


def why_not(workspace: Workspace, question: Question, name: str) -> WhyNot:
    """Where a memory was lost, and what would have brought it into the answer."""
    memory = browse.find(workspace, name)
    with query.prepared(workspace, question, frozenset((memory.id,))) as (profile, asked, reader):
        explained = query.explanation(memory, Answer(question, profile, asked, run(profile, asked, reader)))
        if explained.rank is not None:
            return WhyNot(explained, "", None, (), 1)
        trials = _Trials(profile, replace(asked, explained=frozenset()), reader, memory.id)
        changes = sorted(_changes(trials, memory), key=lambda change: (change.size, change.kind, change.what))
    lost_at = next((step.stage for step in explained.steps if step.reason is not None), "recall")
    return WhyNot(explained, lost_at, explained.reason, tuple(changes), trials.runs + 1)


def _changes(trials: _Trials, memory: Memory) -> Iterator[Change]:
    yield from _changes_of_the_memory(trials, memory)
    yield from _changes_of_k(trials)
    yield from _changes_of_parameters(trials)


def _changes_of_the_memory(trials: _Trials, memory: Memory) -> Iterator[Change]:
    switches: tuple[tuple[str, str, Any, Any], ...] = (
        ("pin", "pinned", memory.pinned, True),
        ("importance", "importance", memory.importance, Importance.HIGH),
        ("status", "status", memory.status, Status.ACTIVE),
    )
    for kind, field, before, after in switches:
        if before != after and (rank := trials.rank(fields={field: after})):
            yield Change(kind, field, before, after, 1.0, rank)
    for field in ("confidence", "strength"):
        before = getattr(memory, field)
        found = _least(before, 1.0, lambda value, field=field: trials.rank(fields={field: value}))  # type: ignore[misc]
        if found:
            yield Change(field, field, before, found[0], found[0] - before, found[1])
    now = trials.query.now
    days = age(memory.created_at, now, DAY)

    def younger(value: float) -> int | None:
        moment = now - value * DAY
        accessed = None if memory.last_accessed_at is None else max(memory.last_accessed_at, moment)
        return trials.rank(fields={"created_at": moment, "last_accessed_at": accessed})

    if found := _least(days, 0.0, younger):
        yield Change("age", "age in days", days, found[0], (days - found[0]) / max(days, 1.0), found[1])


def _changes_of_k(trials: _Trials) -> Iterator[Change]:
    """More results: the rank it has when everything is returned is the k that is needed."""
    most, k = trials.profile.most_k, trials.query.k
    if k < most and (trials.rank(asked=replace(trials.query, k=most)) is not None):
        low, high = k, most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if trials.rank(asked=replace(trials.query, k=middle)) else (middle, high)
        rank = trials.rank(asked=replace(trials.query, k=high))
        if rank is not None:
            yield Change("k", "k", k, high, math.log2(high / k), rank)


def _changes_of_parameters(trials: _Trials) -> Iterator[Change]:
    for parameter in parameters_of(trials.profile):
        value = parameter.value
        if isinstance(value, tuple) and value and all(isinstance(each, float) for each in value):
            for at in range(len(value)):
                yield from _turned(
                    trials,
                    f"{parameter.path}[{at}]",
                    value[at],
                    lambda new, path=parameter.path, value=value, at=at: {  # type: ignore[misc]
                        path: (*value[:at], new, *value[at + 1 :])
                    },
                )
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            whole = isinstance(value, int)
            yield from _turned(
                trials,
                parameter.path,
                value,
                lambda new, path=parameter.path, whole=whole: {path: round(new) if whole else new},  # type: ignore[misc]
            )


def _turned(
    trials: _Trials, path: str, before: float, changed: Callable[[float], Mapping[str, Any]]
) -> Iterator[Change]:
    """The least turn of a parameter, upwards or downwards, that brings the memory in."""

    def rank(value: float) -> int | None:
        return trials.rank(profile=with_parameters(trials.profile, changed(value)))

    best: Change | None = None
    start = before or 1.0
    for furthest in (start * FURTHEST, start / FURTHEST, 0.0):
        found = _least(before, furthest, rank)
        if not found:
            continue
        after = next(iter(changed(found[0]).values()))
        after = found[0] if isinstance(after, tuple) else after
        size = abs(math.log2(after / before)) if before and after else 8.0
        if best is None or size < best.size:
            best = Change("parameter", path, before, after, size, found[1])
    if best is not None:
        yield best


def _least(start: float, end: float, rank: Callable[[float], int | None]) -> tuple[float, int] | None:
    """The value nearest to the start, on the way to the end, that brings the memory in, and its rank then."""
    if start == end:
        return None
    reached = rank(end)
    if reached is None:
        return None
    low, high = start, end
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = rank(middle)
        if found is None:
            low = middle
        else:
            high, reached = middle, found
    return high, reached


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
