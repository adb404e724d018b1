"""What a text says that no other word can stand for: numbers, versions, times and whatever else holds a digit.

Every function reads its text once, in time proportional to its length.
"""

from __future__ import annotations

import re

_CHUNK = re.compile(r"[^\s,;:!?()\"']+")
_DIGIT = re.compile(r"\d")


def numbers(content: str) -> list[str]:
    """Everything with a digit in it, as written: `3.11`, `v2`, `10:30` as `10` and `30`."""
    return [chunk for chunk in _CHUNK.findall(content) if _DIGIT.search(chunk)]


def without_numbers(content: str) -> str:
    """The text with a space in place of everything with a digit."""
    return _CHUNK.sub(lambda chunk: " " if _DIGIT.search(chunk[0]) else chunk[0], content)
