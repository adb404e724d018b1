"""Values as plain text: a memory in one line, times in the user's own zone, tool tips that are never markup."""

from __future__ import annotations

from datetime import datetime

from core.model import Memory

SHOWN_CHARS = 300
TIP_CHARS = 1_000


def one_line(text: str) -> str:
    return " ".join(text[: SHOWN_CHARS * 2].split())[:SHOWN_CHARS]


def shortened(text: str, most: int) -> str:
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def gist(memory: Memory) -> str:
    """Return a memory's summary or text in one line."""
    return one_line(memory.summary or memory.content)


def excerpt(memory: Memory) -> str:
    """Return as much of a memory's text as fits a tool tip."""
    return memory.content[:TIP_CHARS]


def absolute(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")


def minute(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def day(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d")


def lately(moment: datetime) -> str:
    """Return a time for lists of recent events: to the second, without the year."""
    return moment.astimezone().strftime("%m-%d %H:%M:%S")


def moved(before: int | None, now: int | None, by: int | None) -> str:
    """Return how a rank has changed, as text."""
    if before is None:
        return "new"
    if now is None:
        return "gone"
    return "=" if not by else (f"▲ {by}" if by > 0 else f"▼ {-by}")


def plain_tip(text: str) -> str:
    """Return a tool tip that Qt does not take for rich text: a tag is written as an entity."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    return f"<qt>{escaped}</qt>" if text else ""
