"""What is done to many memories at once and differs from one to the next; one operation, one thing to undo."""

from __future__ import annotations

from collections.abc import Sequence

from core import draft
from core.changes import Changes, Op
from core.curate import operations
from core.errors import UserError
from core.model import MemoryId
from core.services.workspace import Workspace


def add_tag(workspace: Workspace, ids: Sequence[MemoryId], tag: str, *, actor: str, reason: str = "") -> Changes:
    """Give a tag to those that lack it."""
    return _tag(workspace, ids, tag, actor, reason, is_added=True)


def remove_tag(workspace: Workspace, ids: Sequence[MemoryId], tag: str, *, actor: str, reason: str = "") -> Changes:
    """Take a tag from those that have it."""
    return _tag(workspace, ids, tag, actor, reason, is_added=False)


def _tag(
    workspace: Workspace, ids: Sequence[MemoryId], tag: str, actor: str, reason: str, *, is_added: bool
) -> Changes:
    named = draft.plain_text("The tag", tag, draft.MAX_NAME_CHARS).strip()
    if not named or not ids:
        raise UserError("Name a tag and at least one memory.")
    with workspace.store.transact(
        Op.EDIT, actor, reason or f"{'with' if is_added else 'without'} the tag {named}"
    ) as t:
        for id in dict.fromkeys(ids):
            tags = t.existing(id).tags
            if (named in tags) != is_added:
                others = tuple(each for each in tags if each != named)
                operations.edit(t, id, {"tags": (*others, named) if is_added else others})
    return t.changes
