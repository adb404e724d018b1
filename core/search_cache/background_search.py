"""The engine's own vector search on a background thread, used until the vectors are in memory."""

from __future__ import annotations

import threading
from contextlib import suppress

from core.errors import UserError
from core.model import Filter, MemoryId
from core.search_cache.cache_protocol import CacheMiss, SpaceId
from core.search_cache.feed import CacheFeed

Found = list[tuple[MemoryId, float]]

THREAD_NAME = "background search"

# How often a waiting caller checks whether it is still wanted.
SECONDS_BETWEEN_CHECKS = 0.02


class BackgroundSearch:
    """One search on a thread and a connection of its own, as of the same change as the caller's snapshot."""

    def __init__(self, feed: CacheFeed, as_of: int, space: SpaceId, vector: bytes, wanted: Filter, limit: int) -> None:
        self._feed, self._as_of, self._question = feed, as_of, (space, vector, wanted, limit)
        self._stop = threading.Event()
        self._found: Found | None = None
        self._thread = threading.Thread(target=self._run, name=THREAD_NAME, daemon=True)
        self._thread.start()

    def result(self) -> Found:
        """Wait for the result. CacheMiss whatever went wrong: the caller's own search reports it."""
        while self._thread.is_alive():
            self._thread.join(SECONDS_BETWEEN_CHECKS)
            if not self._feed.is_wanted():
                raise self._feed.interrupted
        if self._found is None:
            raise CacheMiss
        return self._found

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def wait(self) -> None:
        self._thread.join()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        with (
            suppress(self._feed.failed, UserError),
            self._feed.connect(self._stop.is_set, promptly=True) as connection,
            connection.snapshot() as snapshot,
        ):
            if snapshot.last_change() == self._as_of:
                self._found = snapshot.nearest(*self._question)


class BackgroundSearches:
    """The background searches of a store; safe to use from several threads."""

    def __init__(self, feed: CacheFeed) -> None:
        self._feed = feed
        self._searches: list[BackgroundSearch] = []
        self._lock = threading.Lock()

    def begin(self, as_of: int, space: SpaceId, vector: bytes, wanted: Filter, limit: int) -> BackgroundSearch:
        begun = BackgroundSearch(self._feed, as_of, space, vector, wanted, limit)
        with self._lock:
            self._searches.append(begun)
        return begun

    def running(self) -> list[BackgroundSearch]:
        with self._lock:
            self._searches = [each for each in self._searches if each.is_running]
            return list(self._searches)

    def close(self) -> None:
        for each in self.running():
            each.close()
