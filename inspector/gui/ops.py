"""Work in the background and its outcome: a UserError becomes a message, any other error reaches the crash handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from core.changes import Changes
from core.errors import UserError
from core.progress import Cancelled
from inspector.gui.tasks import Lane, Task, Tasks

T = TypeVar("T")


class OperationQueue(QObject):
    """Reads, writes and long work on a store. `changed` carries what a write changed, `failed` the message."""

    changed = Signal(object)
    failed = Signal(str)
    started = Signal(object)
    progressed = Signal(object, str, int, int)
    ended = Signal(object)

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        tasks.progressed.connect(self.progressed)

    def read(
        self,
        work: Callable[[], T],
        then: Callable[[T], None],
        *,
        failed: Callable[[UserError], None] | None = None,
        wanted: Callable[[], bool] | None = None,
    ) -> None:
        """Run a read; a result that is no longer wanted is dropped, and not computed if it has not begun."""

        def look(_: Task) -> T | None:
            return work() if wanted is None or wanted() else None

        def land(result: Any, error: BaseException | None) -> None:
            if wanted is not None and not wanted():
                return
            if error is None:
                then(result)
            else:
                self._tell(error, failed)

        self._tasks.start(Lane.READ, look, land)

    def write(
        self,
        work: Callable[[], tuple[T, Changes]],
        then: Callable[[T], None] | None = None,
        *,
        failed: Callable[[UserError], None] | None = None,
    ) -> None:
        """Run a write; writes run one after the other in the order in which they were asked for."""

        def land(result: Any, error: BaseException | None) -> None:
            if error is not None:
                self._tell(error, failed)
                return
            made, changes = result
            if then is not None:
                then(made)
            self.changed.emit(changes)

        self._tasks.start(Lane.WRITE, lambda _: work(), land)

    def long(
        self,
        what: str,
        work: Callable[[Task], T],
        then: Callable[[T], None],
        *,
        failed: Callable[[UserError], None] | None = None,
    ) -> Task:
        """Run work that may take long; it shows its progress and can be stopped."""

        def land(result: Any, error: BaseException | None) -> None:
            self.ended.emit(task)
            if error is None:
                then(result)
            elif not isinstance(error, Cancelled):
                self._tell(error, failed)
            else:
                self.failed.emit(f"{what} was stopped.")

        task = self._tasks.start(Lane.LONG, work, land, what)
        self.started.emit(task)
        return task

    @property
    def is_open(self) -> bool:
        return self._tasks.is_open

    def finish(self, then: Callable[[], None], *, wait: bool = False) -> list[Task]:
        return self._tasks.finish(then, wait=wait)

    def _tell(self, error: BaseException, failed: Callable[[UserError], None] | None) -> None:
        if not isinstance(error, UserError):
            raise error  # a bug: raised for the crash handler, with its traceback
        if failed is not None:
            failed(error)
        else:
            self.failed.emit(str(error))


def once(parent: QObject, after_ms: int, do: Callable[[], object] | SignalInstance) -> QTimer:
    """Return a timer that calls a function once, so long after it was last started."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(after_ms)
    timer.timeout.connect(do)
    return timer


class Tickets:
    """Latest wins: each request takes a number, and a result counts only while its number is the last."""

    def __init__(self) -> None:
        self._last = 0

    def take(self) -> Callable[[], bool]:
        """Take a new number; the returned function says whether it is still the last."""
        self._last += 1
        own = self._last
        return lambda: own == self._last
