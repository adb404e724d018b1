"""The viewmodel of one memory: its fields, links, versions and recalls, and the unsaved edits."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.errors import NotFound, UserError
from core.model import Memory, MemoryId
from core.services import audit, browse, curate
from core.services.audit import Revision as Revision
from core.services.browse import LinkedMemory as LinkedMemory
from core.services.browse import MemoryOverview as MemoryOverview
from core.services.browse import RecallRecord as RecallRecord
from core.services.workspace import Workspace
from inspector.gui.ops import Tickets, once
from inspector.gui.viewmodels.open_store import PERSON, OpenStore

PATIENCE_MS = 150


@dataclasses.dataclass(slots=True)
class _Saves:
    """The saves under way of the shown memory: their edits, oldest first, and the version that the last one made.
    Writes run one after the other, so each save expects the version of the one before."""

    pending: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    version: int = 0


class DetailViewModel(QObject):
    """One memory with its unsaved edits. An edit made during a save applies to the version that the save makes. A
    version written by another client meanwhile is never overwritten."""

    shown = Signal(object)
    revisions_shown = Signal(object)
    cleared = Signal()
    waiting = Signal(int)  # a memory that takes longer is announced
    dirty_changed = Signal(bool)
    refused = Signal(str)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._tickets, self._versions = Tickets(), Tickets()
        self._id: MemoryId | None = None
        self.portrait: MemoryOverview | None = None
        self._edits: dict[str, Any] = {}
        self._saves = _Saves()
        self._edits_before: dict[str, Any] = {}  # at the last write of this window
        self._patience = once(self, PATIENCE_MS, self._on_waiting)
        store.writing.connect(self._on_writing)
        store.changed.connect(self._on_changed)
        store.closed.connect(self.clear)

    @property
    def memory(self) -> Memory | None:
        return None if self.portrait is None else self.portrait.memory

    @property
    def is_dirty(self) -> bool:
        return bool(self._edits)

    @property
    def has_new_edits(self) -> bool:
        """Whether there are unsaved edits newer than the last write of this window."""
        return self.is_dirty and self._edits != self._edits_before

    @property
    def is_editable(self) -> bool:
        return self._store.is_writable

    def show(self, id: MemoryId | None) -> None:
        """Show a memory; unsaved edits of the previous one are saved first, so that no click loses them."""
        if id == self._id:
            return
        if self.is_dirty:
            self.save()
        self._forget_edits()
        self._id, self._saves = id, _Saves()
        if id is None:
            self.clear()
        else:
            self._patience.start()
            self._ask()

    def clear(self) -> None:
        self._patience.stop()
        self._tickets.take()
        self._id, self.portrait, self._saves = None, None, _Saves()
        self._forget_edits()
        self.cleared.emit()

    def edit(self, field: str, value: Any) -> None:
        """Store a field as it is in the form; a field that is back at the memory's value is no edit."""
        if self.memory is None or self.memory.id != self._id:  # another is being read: the edit belongs to neither
            return
        was_dirty = self.is_dirty
        if self._is_no_edit(field, value):
            self._edits.pop(field, None)
        else:
            self._edits[field] = value
        if was_dirty != self.is_dirty:
            self.dirty_changed.emit(self.is_dirty)

    def save(self) -> None:
        memory, edits, saves = self.memory, dict(self._edits), self._saves
        if memory is None or not edits or edits in saves.pending[-1:]:
            return

        def work(workspace: Workspace) -> tuple[Memory, Changes]:
            expected = max(memory.version, saves.version)
            changes = curate.edit(workspace, [memory.id], edits, actor=PERSON, expected_version=expected)
            now = browse.find(workspace, str(memory.id))
            saves.version = min(now.version, expected + 1)  # not the version that another process wrote since
            return now, changes

        saves.pending.append(edits)
        self._store.write(
            work, lambda now: self._on_saved(now, saves), failed=lambda error: self._on_refused(error, saves)
        )

    def revert(self) -> None:
        """Discard the unsaved edits."""
        self._forget_edits()
        if self.portrait is not None:
            self.shown.emit(self.portrait)

    def set_pinned(self, is_pinned: bool) -> None:
        memory = self.memory
        if memory is not None and memory.pinned != is_pinned:
            operation = curate.pin if is_pinned else curate.unpin
            self._store.write(lambda ws: (None, operation(ws, [memory.id], actor=PERSON)))

    def restore_version(self, version: int) -> None:
        memory = self.memory
        if memory is not None:
            name = str(memory.id)
            self._store.write(lambda ws: (None, audit.restore_version(ws, name, version, actor=PERSON)))

    # inside

    def _ask(self) -> None:
        name = str(self._id)
        self._store.read(
            lambda ws: browse.overview(ws, name), self._on_portrait, failed=self._on_gone, wanted=self._tickets.take()
        )
        self._store.read(
            lambda ws: audit.history(ws, name), self.revisions_shown.emit, failed=self._on_gone,
            wanted=self._versions.take(),
        )  # fmt: skip

    def _on_portrait(self, portrait: MemoryOverview) -> None:
        self._patience.stop()
        self.portrait = portrait
        if not self.is_dirty:  # else the form keeps the edits, and saving reports the newer version
            self.shown.emit(portrait)

    def _on_waiting(self) -> None:
        if self._id is not None:
            self.waiting.emit(self._id)

    def _on_gone(self, error: UserError) -> None:
        if isinstance(error, NotFound):
            self.clear()
        else:
            self._store.failed.emit(str(error))

    def _on_saved(self, now: Memory, saves: _Saves) -> None:
        saved = saves.pending.pop(0)
        if saves is self._saves and self.portrait is not None:
            self.portrait = dataclasses.replace(self.portrait, memory=now)
            self._keep_newer_edits(saved)
        self._store.message.emit(f"Saved #{now.id}. Ctrl+Z undoes it.")

    def _on_refused(self, error: UserError, saves: _Saves) -> None:
        saves.pending.pop(0)
        if saves is self._saves:
            self._keep_newer_edits({})
        self.refused.emit(str(error))
        self._store.failed.emit(str(error))

    def _is_no_edit(self, field: str, value: Any) -> bool:
        """Whether a field equals that of the memory and no save under way changes it."""
        known = getattr(self.memory, field)
        is_same = value == known or (isinstance(known, tuple) and tuple(value) == known)
        return is_same and not any(field in edits for edits in self._saves.pending)

    def _keep_newer_edits(self, saved: Mapping[str, Any]) -> None:
        """Remove the edits that were saved as they are, even where the store normalised their text."""
        was_dirty = self.is_dirty
        for field, value in list(self._edits.items()):
            if (field in saved and value == saved[field]) or self._is_no_edit(field, value):
                del self._edits[field]
        if was_dirty != self.is_dirty:
            self.dirty_changed.emit(self.is_dirty)

    def _forget_edits(self) -> None:
        was_dirty = self.is_dirty
        self._edits.clear()
        if was_dirty:
            self.dirty_changed.emit(False)

    def _on_writing(self) -> None:
        self._edits_before = dict(self._edits)

    def _on_changed(self, changes: Changes | None) -> None:
        if self._id is not None and (changes is None or self._id in changes.memories or changes.links):
            self._ask()
