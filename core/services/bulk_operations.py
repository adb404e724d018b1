"""Operations on many memories that differ per memory; each is one operation to undo."""

from __future__ import annotations

from collections.abc import Sequence

from core import draft
from core.changes import Changes, Op
from core.curate import operations
from core.errors import UserError
from core.model import MemoryId
from core.progress import Progress, silent
from core.services.workspace import Workspace
from core.write import secrets


def add_tag(
    workspace: Workspace, ids: Sequence[MemoryId], tag: str, *, actor: str, progress: Progress = silent
) -> Changes:
    """Add a tag to the memories that lack it. If cancelled, nothing is changed."""
    named = secrets.clean(draft.plain_text("The tag", tag, draft.MAX_NAME_CHARS).strip())
    if not named or not ids:
        raise UserError("Name a tag and at least one memory.")
    with workspace.store.transact(Op.EDIT, actor, f"with the tag {named}") as transaction:
        unique = dict.fromkeys(ids)
        for done, id in enumerate(unique):
            progress("tag", done, len(unique))
            tags = transaction.existing(id).tags
            if named not in tags:
                operations.edit(transaction, id, {"tags": (*tags, named)})
    return transaction.changes
