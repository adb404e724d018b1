"""How numbers are told to people: so many memories, so many bytes, so long ago."""

from __future__ import annotations

from datetime import datetime, timedelta


def counted(count: int, one: str, many: str = "") -> str:
    """`1 link`, `2,000 links`; `many` where an s will not do."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def memories(count: int) -> str:
    return counted(count, "memory", "memories")


def golden_set(queries: int, judgements: int) -> str:
    return f"{counted(queries, 'query', 'queries')}, {counted(judgements, 'judgement')}"


def size(count: int) -> str:
    """A number of bytes in the unit one would say it in."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def ago(moment: datetime, now: datetime) -> str:
    """How long ago a moment was, in one short phrase; a moment still to come is "in …"."""
    seconds = (now - moment) / timedelta(seconds=1)
    for unit, size in (("y", 365.25 * 86_400), ("mo", 30.44 * 86_400), ("d", 86_400), ("h", 3_600), ("min", 60)):
        if abs(seconds) >= size:
            count = int(abs(seconds) / size)
            return f"{count} {unit} ago" if seconds > 0 else f"in {count} {unit}"
    return "just now"
