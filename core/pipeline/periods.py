"""The periods that a question names: `7 May 2023`, `May 7th`, `May 2023`, `in May`, `2023-05-07`, `2023-05`."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
# English words before they are months: only a day, a year or one of these before them makes them one.
_ALSO_WORDS = ("may", "march")
_BEFORE = "in|of|during|since|until|by|late|early|mid|last|this|next"

_WRITTEN = re.compile(
    rf"(?:\b(?P<before>{_BEFORE})\s+)?(?:\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+)?"
    rf"\b(?P<month>{'|'.join(_MONTHS)})\b"
    r"(?:\s+(?P<day_after>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+(?P<year>\d{4})\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b")


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From its first to its last day, as it was written."""

    first: date
    last: date
    written: str


def time_spans(question: str, years: Callable[[], Iterable[int]]) -> list[TimeSpan]:
    """Return every period a question names; one without a year is meant in each of the years there are, which are
    asked for only then."""
    found = [*_iso_dates(question), *_written_dates(question, years)]
    return [period for each in found if (period := _period(*each)) is not None]


def _iso_dates(question: str) -> Iterator[tuple[int, int, int, str]]:
    for match in _ISO.finditer(question):
        yield int(match["year"]), int(match["month"]), int(match["day"] or 0), match[0]


def _written_dates(question: str, years: Callable[[], Iterable[int]]) -> Iterator[tuple[int, int, int, str]]:
    for match in _WRITTEN.finditer(question):
        month, day = match["month"].lower(), match["day"] or match["day_after"]
        if month in _ALSO_WORDS and not (day or match["year"] or match["before"]):
            continue
        for year in [int(match["year"])] if match["year"] else sorted(set(years())):
            yield year, _MONTHS[month], int(day or 0), match[0].strip()


def _period(year: int, month: int, day: int, written: str) -> TimeSpan | None:
    """A day, or the whole month where none is named; None where the calendar has no such day."""
    try:
        last = day or calendar.monthrange(year, month)[1]
        return TimeSpan(date(year, month, day or 1), date(year, month, last), written)
    except ValueError:  # calendar.IllegalMonthError is one
        return None
