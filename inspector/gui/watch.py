"""Detects writes of other processes to the store."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from core.errors import UserError
from inspector.gui.ops import OperationQueue

EVERY_MS = 800


class StoreWatcher(QObject):
    """Polls a number that changes with every foreign commit; `changed` is emitted then, `lost` when the file is
    gone."""

    changed = Signal()
    lost = Signal(object)

    def __init__(self, ops: OperationQueue, commits: Callable[[], int], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ops, self._commits = ops, commits
        self._seen: int | None = None
        self._is_asking = False
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        self.look()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def look(self) -> None:
        if not self._is_asking:
            self._is_asking = True
            self._ops.read(self._commits, self._see, failed=self._lose)

    def _see(self, commits: int) -> None:
        self._is_asking = False
        if self._seen is not None and commits != self._seen:
            self._seen = commits
            self.changed.emit()
        self._seen = commits

    def _lose(self, error: UserError) -> None:
        self._is_asking = False
        self.stop()
        self.lost.emit(error)
