"""Whose word it is: an agent's memory says so, and whatever lends a memory weight is a person's to set."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from core.changes import PERSON
from core.errors import UserError
from core.model import Memory

PERSONS_OWN = frozenset(
    {"pinned", "source", "provenance", "strength", "status", "access_count", "return_count", "last_accessed_at"}
)


def is_a_persons(memory: Memory) -> bool:
    """Return whether a person stands behind it: wrote it, or pinned it."""
    return memory.source == PERSON or memory.pinned


def signature(memory: Memory, changed: Set[str], actor: str) -> dict[str, Any]:
    """Return the fields that tell whose word a memory is after an edit: another text is the word of who wrote it, and
    what an agent changes of a memory that a person stands behind is the agent's, and no longer pinned."""
    if actor == PERSON:
        return {"source": PERSON} if "content" in changed else {}
    if changed and is_a_persons(memory):
        return {"source": "agent", "agent": actor, "pinned": False}
    return {"agent": actor} if "content" in changed else {}


def signed(fields: Mapping[str, Any], actor: str) -> dict[str, Any]:
    """Return the fields of a new memory as its author may give them."""
    if actor == PERSON:
        return dict(fields)
    for name in fields:
        if name in PERSONS_OWN:
            raise UserError(f"{name} is a person's to set, not an agent's.")
    return {**fields, "agent": actor, "source": "agent"}
