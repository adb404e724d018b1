"""Numbers, sizes, ages and texts as people read them; invisible characters are escaped."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

# Characters that control a terminal or hide text: control characters except tab and line feed, format characters (soft
# hyphen, zero width, bidirectional, tags), line separators, and invisible fillers and variation selectors.
UNSAFE_CHARS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    r"""Return a text with everything that controls a terminal or hides text escaped: `\x1b`, `<U+202E>`. Line ends
    stay."""
    return UNSAFE_CHARS.sub(lambda match: _written_out(ord(match[0])), text)


def _written_out(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"<U+{code:04X}>"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 link`, `2,000 links`; `many` is the plural where an s is not enough."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def memories(count: int) -> str:
    return counted(count, "memory", "memories")


def golden_set(queries: int, judgements: int) -> str:
    return f"{counted(queries, 'query', 'queries')}, {counted(judgements, 'judgement')}"


def size(count: int) -> str:
    """Return a number of bytes in a readable unit."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago a moment was, as a short phrase; a future moment is "in …"."""
    seconds = (now - moment) / timedelta(seconds=1)
    for unit, size in (("y", 365.25 * 86_400), ("mo", 30.44 * 86_400), ("d", 86_400), ("h", 3_600), ("min", 60)):
        if abs(seconds) >= size:
            count = int(abs(seconds) / size)
            return f"{count} {unit} ago" if seconds > 0 else f"in {count} {unit}"
    return "just now"
