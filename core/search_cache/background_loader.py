"""The thread that fills the cache: the vectors that were asked for, then posting lists."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from core.errors import UserError
from core.search_cache.background_search import BackgroundSearch, BackgroundSearches
from core.search_cache.cache_contents import DAMAGE, CacheContents
from core.search_cache.cache_protocol import CacheMiss, SpaceId
from core.search_cache.fact_table import FactTable
from core.search_cache.feed import INDEXES, CacheFeed, FeedConnection, TextIndex
from core.search_cache.posting import FullPostings
from core.search_cache.postings import Postings
from core.search_cache.vector_index import VectorIndex
from core.search_types import FIELDS

# Reading vectors waits for so many searches of the engine.
MAX_LET_PASS = 2

# Vectors of fewer numbers are too close together for bytes to distinguish them.
MIN_DIMENSION = 8

# Indexes of up to so many tokens are read whole: a few seconds and some ten megabytes for each of the two.
MAX_TOKENS_READ_WHOLE = 6_000_000

# Of a larger index so many of the most frequent tokens are prefetched, as far as there is room.
MAX_PREFETCHED_TOKENS = 2_000


class BackgroundLoader:
    """Fills the contents on one thread, which ends when everything that was asked for is there."""

    def __init__(self, feed: CacheFeed, contents: CacheContents, searches: BackgroundSearches) -> None:
        self._feed, self._contents, self._searches = feed, contents, searches
        self._dimensions: dict[SpaceId, int] = {}  # of the spaces that were asked for
        self._prefetched_into: Postings | None = None
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    @property
    def has_finished(self) -> bool:
        """Whether loading was started at least once and is not going on."""
        return self._thread is not None and not self._thread.is_alive()

    def request_space(self, space: SpaceId, dimension: int) -> None:
        """Have the vectors of a space read with the next start, unless they have too few numbers."""
        if dimension >= MIN_DIMENSION:
            self._dimensions[space] = dimension

    def is_requested(self, space: SpaceId) -> bool:
        return space in self._dimensions

    def start(self) -> None:
        """Start the thread, unless it runs or everything is there."""
        contents = self._contents
        with contents.lock:
            is_running = self._thread is not None and self._thread.is_alive()
            is_prefetched = contents.postings is not None and self._prefetched_into is contents.postings
            is_prefetched &= contents.facts is not None
            if not is_running and not (is_prefetched and self._dimensions.keys() <= contents.vector_indexes.keys()):
                self._thread = threading.Thread(target=self._load, name="search cache loader", daemon=True)
                self._thread.start()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def stop_soon(self) -> None:
        self._stop.set()

    def _load(self) -> None:
        # Whatever is wrong with the store, the callers' own searches report it.
        with (
            suppress(self._feed.failed, UserError, CacheMiss, *DAMAGE),
            self._feed.connect(self._stop.is_set) as connection,
        ):
            for space, dimension in list(self._dimensions.items()):
                if space not in self._contents.vector_indexes:
                    self._load_vectors(connection, space, dimension)
            self._load_postings(connection)
            if self._contents.facts is None:
                self._load_facts(connection)

    def _load_vectors(self, connection: FeedConnection, space: SpaceId, dimension: int) -> None:
        """Read all vectors as of one snapshot, then what has changed meanwhile."""
        with connection.snapshot() as snapshot:
            index = VectorIndex.read(snapshot, space, dimension, snapshot.last_change(), self._let_searches_pass())
        with self._contents.lock, connection.snapshot() as snapshot:
            self._contents.add_vector_index(snapshot, index)

    def _load_facts(self, connection: FeedConnection) -> None:
        with connection.snapshot() as snapshot:
            table = FactTable.read(snapshot, snapshot.last_change())
        with self._contents.lock, connection.snapshot() as snapshot:
            self._contents.add_facts(snapshot, table)

    def _let_searches_pass(self) -> Callable[[], None]:
        """Return what is called between batches of vectors: it waits for searches of the engine, which need the
        processor meanwhile, but only for `MAX_LET_PASS`, or under constant load the vectors would never be read."""
        let_pass: list[BackgroundSearch] = []

        def wait_for_searches() -> None:
            for each in self._searches.running()[: MAX_LET_PASS - len(let_pass)]:
                let_pass.append(each)
                each.wait()

        return wait_for_searches

    def _load_postings(self, connection: FeedConnection) -> None:
        """Read both indexes whole, or of a large store the posting lists that take longest to read."""
        with self._contents.lock, connection.snapshot() as snapshot:
            self._prefetched_into = self._contents.bring_up_to_date(snapshot)
            documents, average = snapshot.text_size(FIELDS)
        if is_read_whole(documents, average):
            for index in INDEXES:
                self._load_full_postings(connection, index)
        else:
            self._prefetch_most_frequent(connection)

    def _load_full_postings(self, connection: FeedConnection, index: TextIndex) -> None:
        with connection.snapshot() as snapshot:
            full = FullPostings.read(snapshot, index, snapshot.last_change())
        with self._contents.lock, connection.snapshot() as snapshot:
            self._prefetched_into = self._contents.add_full_postings(snapshot, index, full)

    def _prefetch_most_frequent(self, connection: FeedConnection) -> None:
        for index, token in _most_frequent(connection):
            with connection.snapshot() as snapshot:
                with self._contents.lock:
                    self._prefetched_into = postings = self._contents.bring_up_to_date(snapshot)
                    as_of = postings.as_of
                    if postings.is_prefetch_full:
                        return
                posting = postings.read_list(snapshot, index, token)
                with self._contents.lock:
                    if self._contents.postings is postings and postings.as_of == as_of:
                        postings.add_prefetched(index, token, posting)


def is_read_whole(documents: int, average: float) -> bool:
    """Return whether indexes of so many memories of an average length are read whole."""
    return documents * average <= MAX_TOKENS_READ_WHOLE


def _most_frequent(connection: FeedConnection) -> list[tuple[TextIndex, str]]:
    """Return the most frequent tokens of both indexes, those first that most memories hold."""
    with connection.snapshot() as snapshot:
        found = [
            (frequency, index, token)
            for index in INDEXES
            for frequency, token in snapshot.most_frequent(index, MAX_PREFETCHED_TOKENS)
        ]
    return [(index, token) for _, index, token in sorted(found, key=lambda each: -each[0])]
