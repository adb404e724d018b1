"""The only threads of the desktop: one for writes, a few for reads; results land on the GUI thread by one signal."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.progress import Cancelled


class Lane(StrEnum):
    """Writes keep their order; reads run beside each other; what may take minutes is in nobody's way."""

    WRITE = "write"
    READ = "read"
    LONG = "long"


_WORKERS = {Lane.WRITE: 1, Lane.READ: 3, Lane.LONG: 1}

Landing = Callable[[Any, BaseException | None], None]


class Task:
    """One piece of work on its way; it may be told to stop, and then ends where it next looks."""

    def __init__(self, tasks: Tasks, what: str) -> None:
        self.what = what
        self._tasks = tasks
        self._stopped = threading.Event()

    def cancel(self) -> None:
        self._stopped.set()

    @property
    def is_cancelled(self) -> bool:
        return self._stopped.is_set()

    def progress(self, what: str, done: int, total: int) -> None:
        """Handed to long work as its `Progress`; called in the worker."""
        if self._stopped.is_set():
            raise Cancelled(f"{self.what} was stopped.")
        self._tasks._on_the_gui_thread(lambda: self._tasks.progressed.emit(self, what, done, total))


class Tasks(QObject):
    """Lives on the GUI thread. After `finish` nothing lands any more."""

    progressed = Signal(object, str, int, int)
    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pools = {
            lane: ThreadPoolExecutor(workers, thread_name_prefix=f"gui-{lane}") for lane, workers in _WORKERS.items()
        }
        self._is_open = True
        # A bound method of a QObject: Qt calls it on this object's own thread. A lambda would run in the worker.
        self._arrived.connect(self._land)

    def start(self, lane: Lane, work: Callable[[Task], Any], landing: Landing, what: str = "") -> Task:
        """Run work in a lane; `landing` gets its result or its error, on the GUI thread."""
        task = Task(self, what)

        def run() -> None:
            result, error = None, None
            try:
                if task.is_cancelled:
                    raise Cancelled(f"{what} was stopped.")
                result = work(task)
            except BaseException as raised:
                error = raised
            self._on_the_gui_thread(lambda: landing(result, error))

        if self._is_open:
            self._pools[lane].submit(run)
        return task

    def finish(self, then: Callable[[], None], *, wait: bool = False) -> None:
        """Start nothing more, let what runs come to its end, then do a last thing; in the background unless `wait`."""
        self._is_open = False

        def close() -> None:
            for pool in self._pools.values():
                pool.shutdown(cancel_futures=True)
            then()

        closing = threading.Thread(target=close, name="gui-closing")
        closing.start()
        if wait:
            closing.join()

    def _on_the_gui_thread(self, call: Callable[[], None]) -> None:
        if self._is_open:
            self._arrived.emit(call)

    def _land(self, call: Callable[[], None]) -> None:
        if self._is_open:
            call()
