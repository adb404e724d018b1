"""The only place that asks what time it is, and how a moment is written in the file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol

from core.errors import UserError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


MAX_PAUSE = timedelta(days=30)  # between two things that were done; what is longer is a clock that was set


DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


class Clock(Protocol):
    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until it is moved; for tests and for questions as of another time."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def advance(self, by: timedelta) -> None:
        self.at += by


def elapsed(later: datetime, earlier: datetime) -> timedelta:
    """Return how much time passed between two things of which one is known to have come first, by a clock that may have
    been set in between: nothing, where it says that none or too much did."""
    gap = later - earlier
    return gap if timedelta() <= gap <= MAX_PAUSE else timedelta()


def to_micros(moment: datetime) -> int:
    """Whole microseconds since 1970: what the file holds, so that no time is ever rounded."""
    return (moment - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return EPOCH + timedelta(0, 0, micros)  # by name it takes half as long again


def to_iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_iso(text: str, field: str = "time") -> datetime:
    """Return an ISO 8601 moment; one without a zone is taken as UTC, since the file knows no other."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        example = "2026-11-15T18:00:00Z"
        raise UserError(f"{field} is not an ISO 8601 time such as {example}: {text[:40]!r}.") from error
    return moment


def age(moment: datetime, now: datetime, unit: timedelta) -> float:
    """Return how long ago a moment was, in a unit of time; a moment in the future counts as now."""
    return max(0.0, (now - moment) / unit)
