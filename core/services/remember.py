"""New memories: from a person, an agent or a file, all through the same rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import draft
from core.changes import Changes, Op
from core.model import Memory
from core.services import weave
from core.services.workspace import Workspace
from core.write import secrets


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was kept; `redacted` are the kinds of secrets that were taken out of it first."""

    memory: Memory
    changes: Changes
    is_embedded: bool
    redacted: tuple[str, ...] = ()


def remember(
    workspace: Workspace, fields: Mapping[str, Any], *, actor: str, reason: str = "", allow_secrets: bool = False
) -> Remembered:
    """Keep one memory, without the secrets in it; it is durable when this returns, with its vector if the model
    is loaded."""
    cleaned, redacted = (dict(fields), []) if allow_secrets else secrets.redact_fields(fields)
    memory = draft.memory(cleaned, workspace.store.clock.now())
    vectors = workspace.embeddings.embed(memory)
    with workspace.store.transact(Op.REMEMBER, actor, reason) as transaction:
        saved = transaction.add_memory(memory, vectors)
        weave.weave_in(transaction, saved)
    workspace.embeddings.notify()
    return Remembered(saved, transaction.changes, bool(vectors), tuple(redacted))
