"""What a reader may ask of the search cache, and how the cache declines. Imports no numpy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from core.model import Filter, MemoryId
from core.search_types import FactColumns, TextSearch, TextStatistics

SpaceId = int  # the engine's number of an embedding space

HIGHEST_ID = 20_000_000  # the cache has an array element for every id; a file from elsewhere may hold any id


class CacheMiss(Exception):
    """The cache cannot answer this question, or not for this snapshot; the engine can."""


class PendingSearch(Protocol):
    """A vector search that runs on a thread of its own."""

    def result(self) -> list[tuple[MemoryId, float]]:
        """Wait for the result; CacheMiss where there is none."""

    def close(self) -> None:
        """Stop the search and wait for its thread."""


class CachedSearch(Protocol):
    """Answers the searches of one snapshot from memory; every method but the first may raise CacheMiss."""

    def expect_questions(self, space: SpaceId | None, dimension: int, /) -> None: ...
    def search_text(self, asked: TextSearch, wanted: Filter, limit: int, /) -> list[tuple[MemoryId, float]]: ...
    def text_scores(self, asked: TextSearch, ids: Collection[MemoryId], /) -> dict[MemoryId, float]: ...
    def text_rank(self, asked: TextSearch, wanted: Filter, id: MemoryId, /) -> int | None: ...
    def text_statistics(self, asked: TextSearch, ids: Collection[MemoryId], /) -> dict[MemoryId, TextStatistics]: ...
    def document_frequencies(self, words: Sequence[str], /) -> dict[str, int]: ...
    def begin_vectors(self, space: SpaceId, vector: bytes, wanted: Filter, limit: int, /) -> PendingSearch | None: ...
    def search_vectors(
        self, space: SpaceId, vector: bytes, wanted: Filter, limit: int, /
    ) -> list[tuple[MemoryId, float]]: ...
    def is_approximate(self, space: SpaceId, wanted: Filter, /) -> bool: ...
    def vector_rank(self, space: SpaceId, vector: bytes, wanted: Filter, id: MemoryId, /) -> int | None: ...
    def cosines(self, space: SpaceId, vector: bytes, ids: Collection[MemoryId], /) -> dict[MemoryId, float]: ...
    def facts(self, ids: Collection[MemoryId], /) -> FactColumns: ...
    def session_neighbours(
        self, ids: Collection[MemoryId], wanted: Filter, steps: int, /
    ) -> dict[MemoryId, list[tuple[MemoryId, int]]]: ...
    def count(self) -> int: ...
    def count_embedded(self, space: SpaceId, /) -> int: ...
