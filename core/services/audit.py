"""What became of the memories: every version of one with who, when and why."""

from __future__ import annotations

from dataclasses import dataclass

from core import text
from core.changes import Changes
from core.curate import operations
from core.errors import UserError
from core.model import Memory
from core.services import browse, curate
from core.services.past import state_at as state_at
from core.services.workspace import Workspace
from core.store.sqlite.journal import Entry as Entry


@dataclass(frozen=True, slots=True)
class Revision:
    """One version of a memory, what made it, and how its text differs from the version before."""

    entry: Entry
    memory: Memory | None
    changed: tuple[str, ...]
    diff: tuple[text.Piece, ...]


def history(workspace: Workspace, name: str) -> list[Revision]:
    """Every version of a memory, oldest first."""
    memory = browse.find(workspace, name)
    with workspace.store.read() as reader:
        versions = reader.versions(memory.id)
    revisions = []
    before: Memory | None = None
    for version in versions:
        now = version.memory
        old, new = before.content if before else "", now.content if now else ""
        revisions.append(Revision(version.entry, now, _changed(before, now), tuple(text.word_diff(old, new))))
        before = now
    return revisions


def restore_version(workspace: Workspace, name: str, version: int, *, actor: str) -> Changes:
    """Make a memory's editable fields what they were in an earlier version; itself an edit that can be undone."""
    memory = browse.find(workspace, name)
    for revision in history(workspace, name):
        if revision.memory is not None and revision.memory.version == version:
            fields = {field: getattr(revision.memory, field) for field in operations.EDITABLE}
            different = {field: value for field, value in fields.items() if value != getattr(memory, field)}
            if not different:
                raise UserError(f"Memory {memory.id} says what version {version} says already.")
            return curate.edit(workspace, [memory.id], different, actor=actor, reason=f"back to version {version}")
    raise UserError(f"Memory {memory.id} has no version {version}.")


def _changed(before: Memory | None, now: Memory | None) -> tuple[str, ...]:
    if before is None or now is None:
        return ()
    names = [name for name in operations.EDITABLE | {"pinned", "status"} if getattr(before, name) != getattr(now, name)]
    return tuple(sorted(names))
