"""The only threads of the desktop: one for writes, a few for reads; results reach the GUI thread by one signal."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.progress import Cancelled


class Lane(StrEnum):
    """Where work runs: writes in order, reads in parallel, long work on a thread of its own."""

    WRITE = "write"
    READ = "read"
    LONG = "long"


_WORKERS = {Lane.WRITE: 1, Lane.READ: 3, Lane.LONG: 1}

Landing = Callable[[Any, BaseException | None], None]


class Task:
    """One piece of running work; after `cancel` it ends at its next check."""

    def __init__(self, tasks: Tasks, what: str) -> None:
        self.what = what
        self._tasks = tasks
        self._stopped = threading.Event()
        self._is_report_on_its_way = threading.Event()

    def cancel(self) -> None:
        self._stopped.set()

    @property
    def is_cancelled(self) -> bool:
        return self._stopped.is_set()

    def progress(self, what: str, done: int, total: int) -> None:
        """Report progress, from the worker. A report is skipped while the previous one is not shown yet, so that
        100,000 reports do not flood the GUI thread."""
        if self._stopped.is_set():
            raise Cancelled(f"{self.what} was stopped.")
        if self._is_report_on_its_way.is_set():
            return

        def show() -> None:
            self._is_report_on_its_way.clear()
            self._tasks.progressed.emit(self, what, done, total)

        self._is_report_on_its_way.set()
        self._tasks._on_the_gui_thread(show)


class Tasks(QObject):
    """The threads, owned by the GUI thread. After `finish` no result is delivered."""

    progressed = Signal(object, str, int, int)
    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pools = {
            lane: ThreadPoolExecutor(workers, thread_name_prefix=f"gui-{lane}") for lane, workers in _WORKERS.items()
        }
        self._is_open = True
        self._long: set[Task] = set()
        # A bound method of a QObject: Qt calls it on this object's own thread. A lambda would run in the worker.
        self._arrived.connect(self._land)

    def start(self, lane: Lane, work: Callable[[Task], Any], landing: Landing, what: str = "") -> Task:
        """Run work in a lane; `landing` is called with its result or its error, on the GUI thread."""
        task = Task(self, what)
        if lane is Lane.LONG:
            self._long.add(task)

        def run() -> None:
            result, error = None, None
            try:
                if task.is_cancelled:
                    raise Cancelled(f"{what} was stopped.")
                result = work(task)
            except BaseException as raised:
                error = raised
            self._long.discard(task)
            self._on_the_gui_thread(lambda: landing(result, error))

        if self._is_open:
            self._pools[lane].submit(run)
        return task

    @property
    def is_open(self) -> bool:
        return self._is_open

    def finish(self, then: Callable[[], None], *, wait: bool = False) -> list[Task]:
        """Start nothing more, then call a last function; in the background unless `wait`. Writes that were asked for
        are finished, long work is cancelled, and reads that have not begun are dropped."""
        self._is_open = False
        stopped = list(self._long)
        for task in stopped:
            task.cancel()

        def close() -> None:
            for lane, pool in self._pools.items():
                pool.shutdown(cancel_futures=lane is not Lane.WRITE)
            then()

        closing = threading.Thread(target=close, name="gui-closing")
        closing.start()
        if wait:
            closing.join()
        return stopped

    def _on_the_gui_thread(self, call: Callable[[], None]) -> None:
        if self._is_open:
            self._arrived.emit(call)

    def _land(self, call: Callable[[], None]) -> None:
        if self._is_open:
            call()
