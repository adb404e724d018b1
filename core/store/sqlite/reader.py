"""The SQLite engine's Reader: searches and counts of one snapshot, answered by the search cache if possible; with the
readers of other topics, everything that can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar

import apsw

from core import text
from core.model import UNSAVED, Embedding, Filter, Memory, MemoryId, Space
from core.search_cache.cache_protocol import CachedSearch, CacheMiss, PendingSearch
from core.search_types import FIELDS, FactColumns, TextSearch, TextStatistics, Vocabulary
from core.store.records import SpaceUse
from core.store.sqlite import memories, search, vectors
from core.store.sqlite.journal_reader import SqliteJournalReader, SqliteRecordReader
from core.store.sqlite.memory_reader import SqliteLinkReader, SqliteMemoryReader

Answer = TypeVar("Answer")


class SqliteReader(SqliteMemoryReader, SqliteLinkReader, SqliteJournalReader, SqliteRecordReader):
    """Reads through one connection; every answer within one `with store.read()` is of the same moment.

    `core/store/protocol.py` and `core/search_reader.py` say what each method returns."""

    def __init__(
        self, connection: apsw.Connection, find_cache: Callable[[], CachedSearch | None] = lambda: None
    ) -> None:
        self._connection = connection
        self._find_cache = find_cache
        self._begun: tuple[tuple[Any, ...], PendingSearch] | None = None
        self._count: int | None = None
        self._spaces: dict[Space, vectors.SpaceId | None] = {}

    def close(self) -> None:
        """End the snapshot; a background search in progress is stopped."""
        if self._begun is not None:
            self._begun[1].close()
            self._begun = None

    @cached_property
    def _cache(self) -> CachedSearch | None:
        """Return the search cache, created for the first search only: other reads need none."""
        return self._find_cache()

    def _cached(self, ask: Callable[[CachedSearch], Answer], otherwise: Callable[[], Answer]) -> Answer:
        """Answer from the cache, or from the file on a miss."""
        if self._cache is not None:
            with suppress(CacheMiss):
                return ask(self._cache)
        return otherwise()

    # counts

    def count(self, wanted: Filter | None = None) -> int:
        if wanted:
            return memories.count(self._connection, wanted)
        if self._count is None:
            self._count = self._cached(lambda cache: cache.count(), lambda: memories.count(self._connection, Filter()))
        return self._count

    # facts

    def facts(self, ids: Iterable[MemoryId]) -> FactColumns:
        wanted = frozenset(ids)
        return self._cached(lambda cache: cache.facts(wanted), lambda: self._facts_of_file(wanted))

    def _facts_of_file(self, ids: frozenset[MemoryId]) -> FactColumns:
        from core.store.sqlite import fact_columns  # loads numpy

        return fact_columns.read(self._connection, ids)

    def session_neighbours(
        self, ids: Iterable[MemoryId], wanted: Filter, steps: int
    ) -> dict[MemoryId, list[tuple[MemoryId, int]]]:
        question = (tuple(ids), wanted, steps)
        return self._cached(
            lambda cache: cache.session_neighbours(*question),
            lambda: memories.session_neighbours(self._connection, *question),
        )

    # full text and vectors together

    def expect_questions(self, space: Space | None) -> None:
        """Start filling the search cache, if it is worth it even for a single query."""
        known = None if space is None else self._space_id(space)
        if self._cache is not None:
            self._cache.expect_questions(known, 0 if space is None else space.dimension)

    # full text

    def search_text(self, asked: TextSearch, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        question = (asked, wanted, limit)
        return self._cached(
            lambda cache: cache.search_text(*question), lambda: search.search_text(self._connection, *question)
        )

    def text_scores(self, asked: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, float]:
        question = (asked, frozenset(ids))
        return self._cached(
            lambda cache: cache.text_scores(*question), lambda: search.text_scores(self._connection, *question)
        )

    def text_rank(self, asked: TextSearch, wanted: Filter, id: MemoryId) -> int | None:
        question = (asked, wanted, id)
        return self._cached(
            lambda cache: cache.text_rank(*question), lambda: search.text_rank(self._connection, *question)
        )

    def text_statistics(self, asked: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, TextStatistics]:
        question = (asked, frozenset(ids))
        return self._cached(
            lambda cache: cache.text_statistics(*question), lambda: search.text_statistics(self._connection, *question)
        )

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        known: dict[str, int] = self._cached(lambda cache: cache.document_frequencies(words), lambda: {})
        return search.vocabulary(self._connection, words, known)

    def count_embedded(self, space: Space) -> int:
        known = self._space_id(space)
        if known is None:
            return 0
        return self._cached(lambda cache: cache.count_embedded(known), lambda: vectors.count(self._connection, known))

    def containing(self, words: Iterable[str], wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        return search.containing(self._connection, words, wanted, limit)

    def matching(self, query: str, *, stemmed: bool = False, limit: int = 100) -> list[tuple[MemoryId, float]]:
        """Return memories with any of the query's words in any field, best first."""
        words = tuple(text.query_words(query))
        if not words:
            return []
        asked = TextSearch(words, stemmed, dict.fromkeys(FIELDS, 1.0))
        return self.search_text(asked, Filter(), limit)

    # vectors

    def _space_id(self, space: Space) -> vectors.SpaceId | None:
        """Return the number of a space, looked up once, since a recall needs it repeatedly."""
        if space not in self._spaces:
            self._spaces[space] = vectors.space_id(self._connection, space)
        return self._spaces[space]

    def embedding(self, id: MemoryId, space: Space) -> Embedding | None:
        known = self._space_id(space)
        return None if known is None else vectors.get(self._connection, known, id)

    def sample_vectors(self, space: Space, most: int) -> dict[MemoryId, bytes]:
        known = self._space_id(space)
        return {} if known is None else vectors.sample(self._connection, known, most)

    def expect_vectors(self, vector: bytes, space: Space, wanted: Filter, limit: int) -> None:
        """Start a search that will be asked for soon, in the background if it takes long."""
        known = self._space_id(space)
        question = (known, vector, wanted, limit)
        if known is not None and self._cache is not None and (self._begun is None or self._begun[0] != question):
            self.close()
            begun = self._cache.begin_vectors(known, vector, wanted, limit)
            self._begun = None if begun is None else (question, begun)

    def search_vectors(self, vector: bytes, space: Space, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        known = self._space_id(space)
        if known is None:
            return []
        question = (known, vector, wanted, limit)

        def from_file() -> list[tuple[MemoryId, float]]:
            if self._begun is not None and self._begun[0] == question:
                with suppress(CacheMiss):
                    return self._begun[1].result()
            return search.search_vectors(self._connection, *question)

        return self._cached(lambda cache: cache.search_vectors(*question), from_file)

    def is_vector_search_approximate(self, space: Space, wanted: Filter) -> bool:
        """Return whether `search_vectors` may miss one of the nearest; SQLite itself never does."""
        known = self._space_id(space)
        if known is None:
            return False
        return self._cached(lambda cache: cache.is_approximate(known, wanted), lambda: False)

    def vector_rank(self, vector: bytes, space: Space, wanted: Filter, id: MemoryId) -> int | None:
        known = self._space_id(space)
        if known is None:
            return None
        question = (known, vector, wanted, id)
        return self._cached(
            lambda cache: cache.vector_rank(*question), lambda: search.vector_rank(self._connection, *question)
        )

    def cosines(self, vector: bytes, space: Space, ids: Iterable[MemoryId]) -> dict[MemoryId, float]:
        known = self._space_id(space)
        if known is None:
            return {}
        question = (known, vector, frozenset(ids))
        return self._cached(lambda cache: cache.cosines(*question), lambda: search.cosines(self._connection, *question))

    def recently_accessed(self, wanted: Filter, space: Space | None, limit: int) -> list[MemoryId]:
        known = None if space is None else self._space_id(space)
        if space is not None and known is None:
            return []  # a model without any vector
        return search.recently_accessed(self._connection, known, wanted, limit)

    def not_embedded(self, space: Space, *, after: MemoryId = UNSAVED, limit: int = 64) -> list[Memory]:
        known = self._space_id(space)
        ids = vectors.pending(self._connection, known, after, limit)
        found = self.memories(ids)
        return [found[id] for id in ids]

    def count_forgotten_unembedded(self, space: Space) -> int:
        return vectors.count_forgotten(self._connection, self._space_id(space))

    def count_not_embedded(self, space: Space) -> int:
        return vectors.count_pending(self._connection, self._space_id(space))

    def spaces(self) -> list[SpaceUse]:
        return vectors.uses(self._connection)

    def vectors(self) -> Iterator[tuple[MemoryId, Space, Embedding]]:
        """Yield every vector."""
        for id, space in vectors.spaces(self._connection):
            for memory, vector in vectors.read_all(self._connection, id):
                yield memory, space, vector
