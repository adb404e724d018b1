"""Decay curves, computed by the same stage that ranks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.clock import EPOCH
from core.model import Memory, Uid
from core.pipeline.stages.weigh import DecayWeight

THRESHOLDS = (0.5, 0.25, 0.1)
FURTHEST = timedelta(days=36_500)
HALVINGS = 50
POINTS = 160

Point = tuple[datetime, float]


@dataclass(frozen=True, slots=True)
class DecayModel:
    """A profile's decay; `words` is its formula with its numbers."""

    profile: str
    stage: DecayWeight
    words: str


@dataclass(frozen=True, slots=True)
class CurveEvent:
    """An operation on a memory, and the decay factor at that time."""

    at: datetime
    value: float
    what: str


@dataclass(frozen=True, slots=True)
class Curve:
    """What decay leaves of a memory's score over time. `crossings` are when it falls below each threshold, if ever."""

    memory: Memory
    points: tuple[Point, ...]
    now: float
    happenings: tuple[CurveEvent, ...]
    crossings: tuple[tuple[float, datetime | None], ...]


def described(stage: DecayWeight) -> str:
    since = {"created": "it was written", "accessed": "it was last used", "newest": "it was the newest"}[stage.basis]
    if stage.half_life_days is not None:
        return f"0.5 ^ (days since {since} / {stage.half_life_days:g})"
    if stage.rate_per_day is not None:
        return f"exp(−{stage.rate_per_day:g} · days since {since})"
    return f"exp(−{stage.rate_per_hour:g} · hours since {since})"


def with_half_life(stage: DecayWeight, days: float) -> DecayWeight:
    return replace(stage, half_life_days=days, rate_per_day=None, rate_per_hour=None)


def points(
    stage: DecayWeight, memory: Memory, begin: datetime, end: datetime, newest: datetime | None
) -> tuple[Point, ...]:
    """Evenly spaced, from when the memory was written on."""
    first = max(begin, memory.created_at)
    if first >= end:
        return ()
    step = (end - first) / (POINTS - 1)
    moments = [first + step * number for number in range(POINTS)]
    return tuple((at, stage.remaining(memory, at, newest)) for at in moments)


def crossing(stage: DecayWeight, memory: Memory, threshold: float, newest: datetime | None) -> datetime | None:
    """Return when the decay factor falls below a threshold; None if it never does."""
    low, high = memory.created_at, memory.created_at + FURTHEST
    if stage.remaining(memory, high, newest) >= threshold:
        return None
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        low, high = (middle, high) if stage.remaining(memory, middle, newest) >= threshold else (low, middle)
    return high


def curve(
    stage: DecayWeight,
    memory: Memory,
    now: datetime,
    span: tuple[datetime, datetime],
    newest: datetime | None,
    done: Iterable[tuple[datetime, str]] = (),
) -> Curve:
    return Curve(
        memory=memory,
        points=points(stage, memory, *span, newest),
        now=stage.remaining(memory, now, newest),
        happenings=tuple(CurveEvent(at, stage.remaining(memory, at, newest), what) for at, what in done),
        crossings=tuple((threshold, crossing(stage, memory, threshold, newest)) for threshold in THRESHOLDS),
    )


def age_at(stage: DecayWeight, value: float) -> timedelta:
    """How old a memory is when so much is left, if it is not pinned; the furthest age where it is never so little."""
    memory = Memory(content="-", created_at=EPOCH, updated_at=EPOCH, uid=Uid("-"))
    reached = crossing(replace(stage, basis="created"), memory, value, None)
    return FURTHEST if reached is None else reached - EPOCH
