"""Who wrote a memory, and which fields only a person may set, since they give a memory weight."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from core.changes import PERSON
from core.errors import UserError
from core.model import Memory

PERSON_ONLY_FIELDS = frozenset(
    {"pinned", "source", "provenance", "strength", "status", "access_count", "return_count", "last_accessed_at"}
)


def is_of_person(memory: Memory) -> bool:
    """Return whether a person wrote or pinned the memory."""
    return memory.source == PERSON or memory.pinned


def author_fields_after_edit(memory: Memory, changed: Set[str], actor: str) -> dict[str, Any]:
    """Return the author fields of a memory after an edit: a new text has a new author, and a memory of a person that an
    agent changes becomes the agent's and is unpinned."""
    if actor == PERSON:
        return {"source": PERSON} if "content" in changed else {}
    if changed and is_of_person(memory):
        return {"source": "agent", "agent": actor, "pinned": False}
    return {"agent": actor} if "content" in changed else {}


def fields_with_author(fields: Mapping[str, Any], actor: str) -> dict[str, Any]:
    """Return the fields of a new memory with its author; UserError if an agent sets a field of PERSON_ONLY_FIELDS."""
    if actor == PERSON:
        return dict(fields)
    for name in fields:
        if name in PERSON_ONLY_FIELDS:
            raise UserError(f"Only a person can set {name}, not an agent.")
    return {**fields, "agent": actor, "source": "agent"}
