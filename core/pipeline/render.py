"""The section that goes into an agent's prompt: memories as data, one a line, within the budget."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from core.model import Memory
from core.pipeline.candidate import DAY, age

HEADING = "## Relevant Memories"


def prompt_section(memories: Iterable[Memory], now: datetime) -> str:
    """The heading and a line each; empty when there is nothing to say. Oro, decision 5."""
    lines = [line(memory, now) for memory in memories]
    return "\n".join([HEADING, *lines]) if lines else ""


def line(memory: Memory, now: datetime) -> str:
    """`- [type] content (confidence: 0.8, age: 3d)`; a memory of several lines becomes one, so that no text of
    it can pass for a heading or an instruction of the prompt around it."""
    content = " ".join(memory.content.split())
    return f"- [{memory.type}] {content} (confidence: {memory.confidence:g}, age: {described_age(memory, now)})"


def described_age(memory: Memory, now: datetime) -> str:
    return f"{age(memory.created_at, now, DAY):.0f}d" if age(memory.created_at, now, DAY) >= 1 else "today"
