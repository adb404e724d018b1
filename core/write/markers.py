"""Memories that an agent marks in its output: `[MEMORY type=gotcha tags=postgres,locks confidence=0.9] text`.

Oro's write path parses such markers into content, type, tags and confidence; its document does not define their form,
so this one is ours: attributes inside the brackets, then the text up to the next marker, an empty line or the end, so
that wrapped lines belong to it; several messages are joined by empty lines. A marker that cannot be parsed is reported
with its line, never dropped silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_MARKER = re.compile(r"\[MEMORY\b([^\]\n]*)(\]?)")
_END = re.compile(r"\n\s*\n|(?=\[MEMORY\b)|\Z")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|([^\s;]+))\s*;?\s*|(\S+)\s*")


@dataclass(frozen=True, slots=True)
class MarkedText:
    """One marker: the fields of a memory, or a complaint that says what is wrong."""

    line: int
    fields: dict[str, Any]
    complaint: str = ""


def parse(text: str) -> Iterator[MarkedText]:
    """Return every marker of a text, in order."""
    for match in _MARKER.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if not match[2]:
            yield MarkedText(line, {}, "its bracket is not closed.")
            continue
        end = _END.search(text, match.end())
        content = " ".join(text[match.end() : end.start() if end else None].split()).lstrip(": ")
        fields, complaint = _attributes(match[1])
        if not complaint and not content:
            complaint = "no text follows it."
        yield MarkedText(line, {} if complaint else {"content": content, **fields}, complaint)


def _attributes(given: str) -> tuple[dict[str, Any], str]:
    fields: dict[str, Any] = {}
    for name, quoted, plain, stray in _ATTRIBUTE.findall(given.strip()):
        value = quoted or plain
        if stray:
            return {}, f"{stray[:40]!r} is not of the form name=value."
        if name == "tags":
            fields["tags"] = [tag.strip() for tag in value.split(",") if tag.strip()]
        elif name == "confidence":
            try:
                fields["confidence"] = float(value)
            except ValueError:
                return {}, f"its confidence {value[:20]!r} is not a number."
        elif name == "type":
            fields["type"] = value
        else:
            return {}, f"it has no attribute {name[:40]!r} (type, tags and confidence are known)."
    return fields, ""
