"""The current time, and how moments are stored. No other module asks what time it is."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Protocol

from core.errors import UserError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

MAX_PAUSE = timedelta(days=30)  # between two events; a longer one means that the clock was set
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
_AGE = re.compile(r"(\d{1,6}) ?([hdwHDW])")
_AGE_UNITS = {"h": HOUR, "d": DAY, "w": timedelta(weeks=1)}


class Clock(Protocol):
    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until it is advanced; for tests and for queries as of another time."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def advance(self, by: timedelta) -> None:
        self.at += by


def elapsed(later: datetime, earlier: datetime) -> timedelta:
    """Return the time between two events of known order, by a clock that may have been set in between: zero if it is
    negative or more than MAX_PAUSE."""
    gap = later - earlier
    return gap if timedelta() <= gap <= MAX_PAUSE else timedelta()


def to_micros(moment: datetime) -> int:
    """Return whole microseconds since 1970, as files hold them, so that no time is rounded."""
    return (moment - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return EPOCH + timedelta(0, 0, micros)  # as keywords the arguments take 1.5 times as long


def to_iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_iso(text: str, field: str = "time", nor: str = "") -> datetime:
    """Return the moment of an ISO 8601 text; without a time zone it is UTC. `nor` says what else would have done."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        example = "2026-11-15T18:00:00Z"
        raise UserError(f"{field} is not an ISO 8601 time such as {example}{nor}: {text[:40]!r}.") from error
    return moment


def parse_moment(text: str, field: str, now: datetime | None) -> datetime:
    """Return the moment of an ISO 8601 text, or of an age such as 7d that counts from `now`: in whole minutes, so that
    the same age asked for again soon is the same moment."""
    age = _AGE.fullmatch(text.strip()) if now is not None else None
    if age is None or now is None:
        return parse_iso(text, field, "" if now is None else ", nor an age such as 7d")
    try:
        return now.replace(second=0, microsecond=0) - int(age[1]) * _AGE_UNITS[age[2].lower()]
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def age(moment: datetime, now: datetime, unit: timedelta) -> float:
    """Return how long ago a moment was, in a unit of time; a moment in the future counts as now."""
    return max(0.0, (now - moment) / unit)
