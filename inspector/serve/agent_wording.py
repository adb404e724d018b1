"""Sentences of the core for agents: they have tools and no shell, so a command becomes the tool that does the same, or
what a person can do."""

from __future__ import annotations

import re

_COMMAND = r"`memory-inspector (?:--db (?:'[^']*'|\S+) )?(?:model )?{}\b[^`]*`"
_TOOL_OF = (("contradictions", "memory_contradictions"), ("list", "memory_list"))
_PHRASES: tuple[tuple[str, str], ...] = (
    *((_COMMAND.format(command), tool) for command, tool in _TOOL_OF),
    (rf" Files that you have are taken by {_COMMAND.format('fetch')}\.", ""),
    (rf"{_COMMAND.format('fetch')} gets it", "a person can fetch it"),
    (rf"{_COMMAND.format('check')} says where, and {_COMMAND.format('restore')} puts", "a person can repair it or put"),
    (rf"{_COMMAND.format('restore')} puts", "a person can put"),
    (r"`memory-inspector [^`]*`", "a person, with Memory Inspector,"),
    (r"such as --(\w)", r"such as \1"),
)
_PATTERNS = tuple((re.compile(pattern), replacement) for pattern, replacement in _PHRASES)


def for_agent(sentence: str) -> str:
    """Return a sentence of the core as an agent can act on it."""
    for pattern, replacement in _PATTERNS:
        sentence = pattern.sub(replacement, sentence)
    return sentence
