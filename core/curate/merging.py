"""The fields of a merged memory: all tags, entities and files, and a confidence that no merge invents.

Confidence is raised only for duplicates: Oro, decision 3, gives a duplicate the higher confidence of the two. An
unchanged text keeps its own confidence, and a new text made of different statements gets the lowest of theirs.
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
    """Return the changed fields of the first memory when the others are merged into it; UserError if they cannot be
    merged."""
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
        made["source"] = PERSON  # a memory of a person stays one when it is merged
    return made if content is None else {**made, "content": content}


def confidence(memories: Sequence[Memory], content: str | None = None, *, are_duplicates: bool) -> MergedConfidence:
    """Return the confidence of a merged memory; `content` is its text, by default that of the first memory."""
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
