"""A search of the file beside what else is asked of it, until what answers it quickly is in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import apsw

from core.errors import UserError
from core.model import MemoryId
from core.store.sqlite import search_log
from core.store.sqlite.connection import snapshot
from core.store.sqlite.from_memory import NotInMemory

# How often SQLite looks whether the answer is still wanted, and how often whoever waits for it looks whether they do.
STEPS_BETWEEN_LOOKS = 1_000
SECONDS_BETWEEN_LOOKS = 0.02

Found = list[tuple[MemoryId, float]]


class Beside:
    """One search, on a thread and a connection of its own, of the same moment of the file as the asker's."""

    def __init__(
        self,
        connect: Callable[[], apsw.Connection],
        as_of: int,
        search: Callable[[apsw.Connection], Found],
        is_wanted: Callable[[], bool],
    ) -> None:
        self._connect, self._as_of, self._search, self._is_wanted = connect, as_of, search, is_wanted
        self._stop = threading.Event()
        self._found: Found | None = None
        self._thread = threading.Thread(target=self._run, name="search beside another", daemon=True)
        self._thread.start()

    def found(self) -> Found:
        """What was found, once it is; whatever went wrong, NotInMemory: the asker's own search will tell."""
        while self._thread.is_alive():
            self._thread.join(SECONDS_BETWEEN_LOOKS)
            if not self._is_wanted():
                raise apsw.InterruptError
        if self._found is None:
            raise NotInMemory
        return self._found

    @property
    def is_going_on(self) -> bool:
        return self._thread.is_alive()

    def wait(self) -> None:
        self._thread.join()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        with suppress(apsw.Error, UserError):
            connection = self._connect()
            connection.set_progress_handler(self._stop.is_set, STEPS_BETWEEN_LOOKS)
            try:
                with snapshot(connection):
                    if search_log.last(connection) == self._as_of:
                        self._found = self._search(connection)
            finally:
                connection.close()
