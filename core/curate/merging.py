"""What one memory made of several holds: all tags, names and files, and a confidence that no merge makes up.

Confidence is raised only where memories say the same: Oro, decision 3, gives a duplicate the higher confidence of the
two. A text that stays as it is keeps its own, and a new text made of different statements is no surer than the least
sure of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.changes import PERSON
from core.errors import UserError
from core.model import Importance, Memory, Status
from core.write import authorship


@dataclass(frozen=True, slots=True)
class MergedConfidence:
    """The confidence of a merged memory, and how it was computed."""

    value: float
    reason: str


def fields(memories: Sequence[Memory], content: str | None = None, *, are_duplicates: bool) -> dict[str, Any]:
    """Return what the first of several memories becomes when the others are merged into it. Refused where that cannot
    be."""
    if len(memories) < 2:
        raise UserError("Merging needs at least two different memories.")
    kept = memories[0]
    for memory in memories:
        if memory.status is Status.DELETED or (memory is kept and memory.status is not Status.ACTIVE):
            raise UserError(f"Memory {memory.id} is {memory.status}; restore it first.")
    made: dict[str, Any] = {
        "tags": _union(memory.tags for memory in memories),
        "entities": _union(memory.entities for memory in memories),
        "files": _union(memory.files for memory in memories),
        "confidence": confidence(memories, content, are_duplicates=are_duplicates).value,
        "pinned": any(memory.pinned for memory in memories),
        "importance": max((memory.importance for memory in memories), key=list(Importance).index),
    }
    if any(map(authorship.is_of_person, memories)):
        made["source"] = PERSON  # what a person stands behind stays so in whatever it is merged into
    return made if content is None else {**made, "content": content}


def confidence(memories: Sequence[Memory], content: str | None = None, *, are_duplicates: bool) -> MergedConfidence:
    """Return how sure a merged memory is; `content` is its text, that of the first memory by default."""
    values = [memory.confidence for memory in memories]
    listed = ", ".join(f"{value:.2f}" for value in values)
    if are_duplicates:
        return MergedConfidence(max(values), f"the highest of {listed}, because they say the same")
    text = memories[0].content if content is None else content.strip()
    author = next((memory for memory in memories if memory.content == text), None)
    if author is not None:
        return MergedConfidence(
            author.confidence, f"that of memory {author.id}, whose text it is; they do not say the same"
        )
    return MergedConfidence(
        min(values), f"the lowest of {listed}, because the text is new and they do not say the same"
    )


def _union(lists: Iterable[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(item for items in lists for item in items))
