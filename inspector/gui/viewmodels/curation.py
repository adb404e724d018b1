"""The viewmodel of actions on memories: their targets, the operation, and the message that names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from core import formatting
from core.changes import Changes
from core.errors import UserError
from core.model import Memory, MemoryId
from core.progress import Progress, silent
from core.search_types import Selection
from core.services import browse, bulk_operations, curate, merging
from core.services.merging import MergePreview as MergePreview
from core.services.workspace import Workspace
from inspector.gui.models.plain_text import gist, shortened
from inspector.gui.viewmodels.open_store import PERSON, OpenStore

NAMED_CHARS = 60
MAX_UNASKED = 50
MAX_SAMPLE = 5
MAX_MERGED = 50

Operation = Callable[[Workspace, Sequence[MemoryId], Progress], tuple[str, Changes]]


@dataclass(frozen=True, slots=True)
class Targets:
    """The memories an action acts on: `ids`, or, where `everything` is set, all that this selection lists."""

    ids: tuple[MemoryId, ...] = ()
    everything: Selection | None = None

    def __bool__(self) -> bool:
        return bool(self.ids) or self.everything is not None


class CurationViewModel(QObject):
    """Actions on the targets they are given; each is one operation to undo.

    `confirmation_wanted` is emitted before many memories are changed: it carries the question, a sample and what to do
    on yes. `merge_previewed` carries what a merge would make, `merged` the memory that it made.
    """

    confirmation_wanted = Signal(str, str, object)
    merge_previewed = Signal(object)
    merged = Signal(int)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    def pin(self, targets: Targets) -> None:
        """Pin the targets; unpin them when all of them are pinned."""

        def work(workspace: Workspace, ids: Sequence[MemoryId], progress: Progress) -> tuple[str, Changes]:
            are_pinned = all(browse.find(workspace, str(id)).pinned for id in ids)
            template, operation = ("Unpinned {}", curate.unpin) if are_pinned else ("Pinned {}", curate.pin)
            return template, operation(workspace, ids, actor=PERSON, progress=progress)

        self._do(targets, work)

    def archive(self, targets: Targets) -> None:
        self._do(
            targets, lambda ws, ids, progress: ("Archived {}", curate.archive(ws, ids, actor=PERSON, progress=progress))
        )

    def forget(self, targets: Targets) -> None:
        self._do(
            targets, lambda ws, ids, progress: ("Forgot {}", curate.forget(ws, ids, actor=PERSON, progress=progress))
        )

    def restore(self, targets: Targets) -> None:
        self._do(
            targets, lambda ws, ids, progress: ("Restored {}", curate.restore(ws, ids, actor=PERSON, progress=progress))
        )

    def reinforce(self, targets: Targets) -> None:
        self._do(
            targets,
            lambda ws, ids, progress: ("Reinforced {}", curate.reinforce(ws, ids, actor=PERSON, progress=progress)),
        )

    def preview_merge(self, targets: Targets) -> None:
        """Show what merging the targets would make; nothing is changed."""

        def look(workspace: Workspace) -> MergePreview:
            ids = _ids(workspace, targets)
            if len(ids) > MAX_MERGED:
                raise UserError(f"At most {MAX_MERGED} memories can be merged at once; select fewer.")
            return merging.preview(workspace, ids)

        if targets:
            self._store.read(look, self.merge_previewed.emit)

    def merge(self, preview: MergePreview, content: str | None) -> None:
        """Carry out the previewed merge, with another text if one is given."""

        def report(kept: Memory) -> None:
            sentence = done(1, kept, f"Merged {len(preview.memories)} memories into {{}}")
            self._store.message.emit(f"{sentence} Ctrl+Z undoes it.")
            self.merged.emit(kept.id)

        self._store.write(lambda ws: merging.merge(ws, preview, content=content, actor=PERSON), report)

    def add_tag(self, targets: Targets, tag: str) -> None:
        """Add one tag to every target that lacks it."""
        self._do(
            targets,
            lambda ws, ids, progress: (
                f"Tagged {{}} with {tag}",
                bulk_operations.add_tag(ws, ids, tag, actor=PERSON, progress=progress),
            ),
        )

    # inside

    def _do(self, targets: Targets, work: Operation) -> None:
        if not targets:
            return

        def change(workspace: Workspace, ids: tuple[MemoryId, ...], progress: Progress) -> tuple[str, Changes]:
            named = browse.find(workspace, str(ids[0])) if len(ids) == 1 else None
            template, changes = work(workspace, ids, progress)
            return done(len(ids), named, template), changes

        def report(sentence: str) -> None:
            self._store.message.emit(f"{sentence} Ctrl+Z undoes it.")

        def go_on(found: tuple[tuple[MemoryId, ...], str]) -> None:
            ids, sample = found
            if len(ids) <= MAX_UNASKED:
                self._store.write(lambda ws: change(ws, ids, silent), report)
                return
            question = f"This changes {formatting.memories(len(ids))}. One undo reverts all of it."
            self.confirmation_wanted.emit(
                question,
                sample,
                lambda: self._store.long_write(
                    "Changing memories", lambda ws, progress: change(ws, ids, progress), report
                ),
            )

        if targets.everything is None and len(targets.ids) <= MAX_UNASKED:
            go_on((targets.ids, ""))
        else:
            self._store.read(lambda ws: _resolved(ws, targets), go_on)


def done(count: int, only: Memory | None, template: str) -> str:
    """Return what was done as a sentence; `{}` in the template stands for the memory with its gist, or for a count."""
    if only is None:
        return f"{template.replace('{}', formatting.memories(count), 1)}."
    return f"{template.replace('{}', f'#{only.id}', 1)}: “{shortened(gist(only), NAMED_CHARS)}”."


def _resolved(workspace: Workspace, targets: Targets) -> tuple[tuple[MemoryId, ...], str]:
    """Return the ids of the targets, and the gists of the first of them as lines."""
    ids = _ids(workspace, targets)
    first = [browse.find(workspace, str(id)) for id in ids[:MAX_SAMPLE]]
    return ids, "\n".join(f"{memory.id}: {shortened(gist(memory), NAMED_CHARS)}" for memory in first)


def _ids(workspace: Workspace, targets: Targets) -> tuple[MemoryId, ...]:
    return targets.ids if targets.everything is None else tuple(browse.all_ids(workspace, targets.everything))
