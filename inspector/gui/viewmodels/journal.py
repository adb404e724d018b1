"""The viewmodel of Activity › Journal: operations, the memories they changed, and undoing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.errors import UserError
from core.model import MemoryId
from core.services import activity, curate
from core.services.activity import ActivityPeriod as ActivityPeriod
from core.services.activity import Journal as Journal
from core.services.activity import JournalChange as JournalChange
from core.services.activity import TouchedMemory as TouchedMemory
from core.services.curate import UndoResult
from core.services.workspace import Workspace
from inspector.gui.models.plain_text import absolute
from inspector.gui.ops import Tickets
from inspector.gui.viewmodels.open_store import PERSON, OpenStore

PAGE = 200


class JournalViewModel(QObject):
    """The journal. An undo is asked for, then confirmed: `asked` carries what would be undone, as a sentence."""

    listed = Signal(object)
    touched = Signal(object)
    change_shown = Signal(object)
    cleared = Signal()
    asked = Signal(str)
    settled = Signal(str)
    refused = Signal(str)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._lists, self._touches, self._changes, self._asks = Tickets(), Tickets(), Tickets(), Tickets()
        self._is_looked_at = False
        self._limit = PAGE
        self._seq: int | None = None
        self._pending: Callable[[Workspace], UndoResult] | None = None
        self.actor: str | None = None
        self.journal: Journal | None = None
        store.opened.connect(self._on_store)
        store.closed.connect(self._on_closed)
        store.changed.connect(self._on_changed)

    def look(self) -> None:
        if not self._is_looked_at:
            self._is_looked_at = True
            self.reload()

    def set_actor(self, actor: str | None) -> None:
        if actor != self.actor:
            self.actor, self._limit = actor, PAGE
            self.reload()

    def show_more(self) -> None:
        self._limit += PAGE
        self.reload()

    def reload(self) -> None:
        actor, limit = self.actor, self._limit
        self._store.read(
            lambda ws: activity.journal(ws, actor, limit=limit), self._on_listed, failed=self._on_refused,
            wanted=self._lists.take(),
        )  # fmt: skip

    def show_touched(self, seq: int | None) -> None:
        ticket = self._touches.take()
        self._changes.take()
        self._seq = seq
        if seq is None:
            self.touched.emit(None)
        else:
            self._store.read(
                lambda ws: activity.touched(ws, seq), self.touched.emit, failed=self._on_refused, wanted=ticket
            )

    def show_change(self, id: MemoryId) -> None:
        """Show how the shown entry changed one memory."""
        seq = self._seq
        if seq is not None:
            self._store.read(
                lambda ws: activity.change(ws, seq, id), self.change_shown.emit, failed=self._on_refused,
                wanted=self._changes.take(),
            )  # fmt: skip

    def ask_undo(self, deeds: Sequence[JournalChange]) -> None:
        """Ask whether to undo these entries."""
        self._asks.take()
        entries = [deed.entry for deed in deeds]
        if not entries:
            self._refuse("Select the entries to undo first.")
            return
        seqs = [entry.seq for entry in entries]
        words = activity.summarise(entries)
        one = f"operation {seqs[0]} ({entries[0].op} by {entries[0].actor})"
        what = one if len(seqs) == 1 else f"{len(seqs):,} operations ({words}), all of them or none"
        self._ask(f"Undo {what}?", lambda ws: curate.undo_operations(ws, seqs, actor=PERSON))

    def ask_undo_since(self, whose: str, since: ActivityPeriod | datetime) -> None:
        """Ask whether to undo everything a client did since a moment, or in a period that ends now."""

        def look(workspace: Workspace) -> tuple[datetime, str]:
            moment = activity.since(workspace, since) if isinstance(since, ActivityPeriod) else since
            return moment, activity.summarise(curate.undoable_since(workspace, whose, moment))

        def land(found: tuple[datetime, str]) -> None:
            moment, words = found
            when = "ever" if since is ActivityPeriod.ALL else f"since {absolute(moment)}"
            self._ask(
                f"Undo everything {whose} did {when}: {words}, all of it or nothing?",
                lambda ws: curate.undo_since(ws, whose, moment, actor=PERSON),
            )

        self._store.read(look, land, failed=lambda error: self._refuse(str(error)), wanted=self._asks.take())

    def confirm(self) -> None:
        """Carry out the undo that was asked about."""
        pending, self._pending = self._pending, None
        if pending is None:
            return

        def work(workspace: Workspace) -> tuple[UndoResult, Changes]:
            undone = pending(workspace)
            return undone, undone.changes

        self._store.write(work, self._on_undone, failed=lambda error: self._refuse(f"Nothing was changed. {error}"))

    def cancel_undo(self) -> None:
        """Cancel the undo that was asked about."""
        self._asks.take()
        self._pending = None
        self.settled.emit("")

    def _ask(self, question: str, pending: Callable[[Workspace], UndoResult]) -> None:
        if not self._store.is_writable:
            self._refuse("The store is read-only, so nothing can be undone.")
            return
        self._pending = pending
        self.asked.emit(question)

    def _on_undone(self, undone: UndoResult) -> None:
        self.settled.emit(f"Undid {activity.summarise(undone.entries)}. Redo brings it back.")

    def _refuse(self, sentence: str) -> None:
        self._pending = None
        self.refused.emit(sentence)

    def _on_listed(self, journal: Journal) -> None:
        self.journal = journal
        self.listed.emit(journal)

    def _on_refused(self, error: UserError) -> None:
        self._store.failed.emit(str(error))

    def _on_store(self) -> None:
        self.actor, self._limit, self._pending = None, PAGE, None
        self.settled.emit("")
        if self._is_looked_at:
            self.reload()

    def _on_closed(self) -> None:
        self._lists.take()
        self.journal = None
        self.show_touched(None)
        self.cancel_undo()
        self.cleared.emit()

    def _on_changed(self, changes: Changes | None) -> None:
        if self._is_looked_at:
            self.reload()
