"""What a search reads: the protocols that the pipeline uses and the reader of every store implements.

They are below both, so that the pipeline does not depend on the store and each method is defined once. Of scores, more
is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from core.model import Embedding, Filter, Link, LinkKind, Memory, MemoryId, Space
from core.search_types import FactColumns, Order, Selection, TextSearch, TextStatistics, Vocabulary


class MemorySearchReader(Protocol):
    """Memories by id, by filter, by order and by session."""

    def memories(self, ids: Iterable[MemoryId]) -> dict[MemoryId, Memory]:
        """Return the memories of the ids that exist."""
        ...

    def count(self) -> int: ...
    def newest_created_at(self) -> datetime | None: ...
    def fitting(self, ids: Iterable[MemoryId], wanted: Filter) -> set[MemoryId]:
        """Return those of the ids that pass a filter."""
        ...

    def list_ids(self, wanted: Selection, order: Order, now: datetime, limit: int | None = None) -> Iterable[int]: ...
    def recently_accessed(self, wanted: Filter, space: Space | None, limit: int) -> list[MemoryId]: ...
    def facts(self, ids: Iterable[MemoryId]) -> FactColumns:
        """Return what stages read of those of the ids that exist, as columns in the order of the ids."""
        ...

    def session_neighbours(
        self, ids: Iterable[MemoryId], wanted: Filter, steps: int
    ) -> dict[MemoryId, list[tuple[MemoryId, int]]]:
        """Return for each memory those of its session at most so many steps before (−1, −2 …) and after it (1, 2 …)."""
        ...


class TextSearchReader(Protocol):
    """Full-text search by BM25."""

    def search_text(self, search: TextSearch, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        """Return the best matches that pass the filter, best first, ties by id."""
        ...

    def text_scores(self, search: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, float]: ...
    def text_rank(self, search: TextSearch, wanted: Filter, id: MemoryId) -> int | None: ...
    def text_statistics(self, search: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, TextStatistics]: ...
    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        """Return how many memories hold each of some words, without stemming."""
        ...

    def containing(self, words: Iterable[str], wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]: ...


class VectorSearchReader(Protocol):
    """Vector search by cosine."""

    def embedding(self, id: MemoryId, space: Space) -> Embedding | None: ...
    def expect_vectors(self, vector: bytes, space: Space, wanted: Filter, limit: int) -> None:
        """Start a search that will be asked for soon, where it takes long enough to run in the background."""
        ...

    def search_vectors(self, vector: bytes, space: Space, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        """Return the nearest memories that pass the filter, nearest first, ties by id."""
        ...

    def is_vector_search_approximate(self, space: Space, wanted: Filter) -> bool:
        """Return whether `search_vectors` may miss one of the nearest."""
        ...

    def vector_rank(self, vector: bytes, space: Space, wanted: Filter, id: MemoryId) -> int | None: ...
    def cosines(self, vector: bytes, space: Space, ids: Iterable[MemoryId]) -> dict[MemoryId, float]: ...


class LinkSearchReader(Protocol):
    """Links around memories."""

    def links_around(self, ids: Iterable[MemoryId], kinds: Iterable[LinkKind]) -> list[Link]:
        """Return links of some kinds with at least one end among the ids."""
        ...


class SearchReader(MemorySearchReader, TextSearchReader, VectorSearchReader, LinkSearchReader, Protocol):
    """Everything that the sources of a pipeline read."""
