"""The section for an agent's prompt: memories as data, one per line, within the token budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from core import formatting, text
from core.clock import DAY, age
from core.model import Memory

HEADING = "## Relevant Memories"
PROMPT_TOKENS = 2_000  # of a section whose question names no budget
RECALLING_TOKENS = 3_000  # of one whose question refers to earlier talk
EXCERPT_TOKENS = 400  # of a long memory, where not all of them fit whole
MAX_NAMED = 3  # entities that a line names
MAX_PLACES = 50  # of each word that are looked at for the best excerpt


def prompt_section(
    memories: Sequence[Memory], now: datetime, words: Sequence[str] = (), budget: int | None = None
) -> str:
    """The heading and a line each; empty when there is nothing to say. Oro, decision 5.

    All memories are given whole if they fit into the budget; else of each long one an excerpt around the words of the
    question, and those that still do not fit are counted in a last line.
    """
    tokens = PROMPT_TOKENS if budget is None else budget
    contents = [" ".join(memory.content.split()) for memory in memories]
    if sum(map(text.estimate_tokens, contents)) > tokens:
        contents = [excerpt(content, words, min(EXCERPT_TOKENS, tokens)) for content in contents]
    lines, used = [], 0.0
    for memory, content in zip(memories, contents, strict=True):
        cost = text.estimate_tokens(content)
        if used + cost <= tokens:  # a shorter one further down may still fit
            used += cost
            lines.append(line(memory, now, content))
    if len(lines) < len(memories):
        lines.append(f"({len(memories) - len(lines):,} more did not fit into {formatting.counted(tokens, 'token')}.)")
    return "\n".join([HEADING, *lines]) if lines else ""


def line(memory: Memory, now: datetime, content: str) -> str:
    """`- [type] content (confidence: 0.8, age: 3d)`; a memory of several lines becomes one, so that no text of
    it can pass for a heading or an instruction of the prompt around it."""
    facts = f"confidence: {memory.confidence:g}, age: {described_age(memory, now)}"
    if names := about(memory):
        facts = f"about: {', '.join(names)}, {facts}"
    if len(content) < len(" ".join(memory.content.split())):
        facts += f", excerpt of {len(memory.content):,} characters of memory {memory.id}"
    return f"- [{memory.type}] {content} ({facts})"


def about(memory: Memory) -> tuple[str, ...]:
    """Return the entities of a memory whose text names none of them, as an observation often does: without them a
    reader would not know what it is about."""
    said = memory.content.casefold()
    if any(name.casefold() in said for name in memory.entities):
        return ()
    return tuple(" ".join(name.split()) for name in memory.entities[:MAX_NAMED])


def excerpt(content: str, words: Sequence[str], tokens: int) -> str:
    """As much of a text as fits: its beginning, or where most of the words stand together further down; whole words,
    with … where it was cut."""
    width = 4 * tokens - 2  # as `estimate_tokens` counts, less the two signs
    if len(content) <= width + 2:
        return content
    best = _best_place(content.lower(), words, width)
    start = 0 if best <= width // 2 else min(best - width // 4, len(content) - width)
    end = start + width
    if start > 0:
        start = max(start, content.find(" ", start, start + 40) + 1)
    if end < len(content):
        space = content.rfind(" ", end - 40, end)
        end = end if space < 0 else space
    return f"{'…' if start > 0 else ''}{content[start:end].strip()}{'…' if end < len(content) else ''}"


def _best_place(content: str, words: Sequence[str], width: int) -> int:
    """Where the first of the words stands of which most different ones follow within a window."""
    places = sorted((at, word) for word in dict.fromkeys(words) for at in _places(content, text.rough_stem(word)))
    best, most, first = 0, 0, 0
    inside: Counter[str] = Counter()
    for at, word in places:
        inside[word] += 1
        while at - places[first][0] > width // 2:
            left = places[first][1]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            first += 1
        if len(inside) > most:
            best, most = places[first][0], len(inside)
    return best


def _places(content: str, word: str) -> list[int]:
    found: list[int] = []
    at = content.find(word)
    while at >= 0 and len(found) < MAX_PLACES:
        found.append(at)
        at = content.find(word, at + len(word))
    return found


def described_age(memory: Memory, now: datetime) -> str:
    return f"{age(memory.created_at, now, DAY):.0f}d" if age(memory.created_at, now, DAY) >= 1 else "today"
