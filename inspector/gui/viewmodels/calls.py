"""The viewmodel of Activity › Calls: recorded calls as they arrive, one of them in detail, and its replay."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.errors import UserError
from core.model import MemoryId
from core.progress import Cancelled, Progress
from core.services import activity
from core.services.activity import ActivityPeriod as ActivityPeriod
from core.services.activity import Calls as Calls
from core.services.activity import DetailedCall as DetailedCall
from core.services.activity import ReceivedMemory as ReceivedMemory
from core.services.activity import ReplayComparison as ReplayComparison
from core.services.activity import ReplayRank as ReplayRank
from core.services.audit import Call as Call
from core.services.audit import CallFilter
from core.services.audit import Figures as Figures
from core.services.workspace import Workspace
from inspector.gui.ops import Tickets
from inspector.gui.viewmodels.open_store import OpenStore

PERIODS = (
    (ActivityPeriod.HOUR, "Last hour"),
    (ActivityPeriod.DAY, "Last day"),
    (ActivityPeriod.WEEK, "Last week"),
    (ActivityPeriod.ALL, "All time"),
)
PAGE = 200


class CallsViewModel(QObject):
    """The recorded calls. Nothing is read until the view is shown. `opened` carries a call, or None when there is
    none."""

    listed = Signal(object)
    unfiltered = Signal()
    cleared = Signal()
    opened = Signal(object)
    change_shown = Signal(object)
    replaying = Signal()
    replayed = Signal(object)
    refused = Signal(str)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._lists, self._opens, self._changes, self._replays = Tickets(), Tickets(), Tickets(), Tickets()
        self._is_looked_at = False
        self._limit = PAGE
        self.wanted = CallFilter()
        self.period = ActivityPeriod.ALL
        self.calls: Calls | None = None
        self.id: int | None = None
        self.call: DetailedCall | None = None
        store.opened.connect(self._on_store)
        store.closed.connect(self._on_closed)
        store.changed.connect(self._on_changed)

    @property
    def is_filtered(self) -> bool:
        return self.wanted != CallFilter() or self.period is not ActivityPeriod.ALL

    def look(self) -> None:
        if not self._is_looked_at:
            self._is_looked_at = True
            self.reload()

    def set_filter(
        self, clients: Sequence[str], tools: Sequence[str], period: ActivityPeriod, *, found_nothing: bool
    ) -> None:
        self.wanted = CallFilter(clients=tuple(clients), tools=tuple(tools), only_without_result=found_nothing)
        self.period, self._limit = period, PAGE
        self.reload()

    def show_more(self) -> None:
        self._limit += PAGE
        self.reload()

    def reload(self) -> None:
        wanted, period, limit = self.wanted, self.period, self._limit
        self._store.read(
            lambda ws: activity.calls(ws, wanted, period, limit=limit), self._on_listed, failed=self._on_refused,
            wanted=self._lists.take(),
        )  # fmt: skip

    def open_call(self, id: int | None) -> None:
        """Show a call. A recorded call never changes, so the one that is shown is not read again."""
        if id == self.id:
            return
        self.id, self.call = id, None
        self._replays.take()
        self._changes.take()
        ticket = self._opens.take()
        if id is None:
            self.opened.emit(None)
        else:
            self._store.read(
                lambda ws: activity.call_detail(ws, id), self._on_opened, failed=self._on_refused, wanted=ticket
            )

    def show_change(self, id: MemoryId) -> None:
        """Show how the open call changed one memory."""
        seq = None if self.call is None else self.call.call.operation
        if seq:
            self._store.read(
                lambda ws: activity.change(ws, seq, id), self.change_shown.emit, failed=self._on_refused,
                wanted=self._changes.take(),
            )  # fmt: skip

    def replay(self) -> None:
        """Run the query of the call again, on the store as it was then and as it is now."""
        id = self.id
        if id is None:
            return
        is_wanted = self._replays.take()

        def work(workspace: Workspace, progress: Progress) -> ReplayComparison | None:
            try:
                return activity.replay(workspace, id, progress)
            except Cancelled:
                return None

        def land(replayed: ReplayComparison | None) -> None:
            if not is_wanted():
                return
            if replayed is None:
                self.refused.emit("The replay was stopped.")
            else:
                self.replayed.emit(replayed)

        def refuse(error: UserError) -> None:
            if is_wanted():
                self.refused.emit(str(error))

        self.replaying.emit()
        self._store.long("Replaying", work, land, failed=refuse)

    def _on_listed(self, calls: Calls) -> None:
        self.calls = calls
        self.listed.emit(calls)

    def _on_opened(self, call: DetailedCall) -> None:
        self.call = call
        self.opened.emit(call)

    def _on_refused(self, error: UserError) -> None:
        self._store.failed.emit(str(error))

    def _on_store(self) -> None:
        self.wanted, self.period, self._limit = CallFilter(), ActivityPeriod.ALL, PAGE
        self.unfiltered.emit()
        self.open_call(None)
        if self._is_looked_at:
            self.reload()

    def _on_closed(self) -> None:
        self._lists.take()
        self.calls = None
        self.open_call(None)
        self.cleared.emit()

    def _on_changed(self, changes: Changes | None) -> None:
        if self._is_looked_at and changes is None:  # writes of this window are no calls of agents
            self.reload()
