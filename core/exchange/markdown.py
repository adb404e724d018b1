"""Markdown: one file a memory, its fields as front matter, its content as the text; made to be read and diffed."""

from __future__ import annotations

import json
from typing import Any

from core.errors import UserError
from core.exchange import fields
from core.model import Memory

_FENCE = "---"


def write(memory: Memory) -> str:
    """Return front matter of `name: value` lines with JSON values in a fixed order, then the unchanged content."""
    plain = fields.plain(memory)
    lines = [f"{name}: {json.dumps(plain[name], ensure_ascii=False)}" for name in fields.NAMES if name != "content"]
    return "\n".join([_FENCE, *lines, _FENCE, "", memory.content]) + "\n"


def file_name(memory: Memory) -> str:
    return f"{memory.uid.replace(':', '%3A')}.md"  # some systems allow no colon in a file name


def read(text: str) -> dict[str, Any]:
    """Return the fields of one file; UserError if it cannot be read."""
    opening, _, rest = text.partition("\n")
    matter, fence, content = rest.partition(f"\n{_FENCE}\n")
    if opening.strip() != _FENCE or not fence:
        raise UserError("it has no front matter between two lines of ---.")
    found: dict[str, Any] = {}
    for number, line in enumerate(matter.split("\n"), 2):
        name, colon, value = line.partition(":")
        try:
            found[name.strip()] = json.loads(value) if colon else None
        except ValueError as error:
            raise UserError(f"line {number} of its front matter is not `name: JSON value`.") from error
    found["content"] = content.removeprefix("\n").removesuffix("\n")
    return found
