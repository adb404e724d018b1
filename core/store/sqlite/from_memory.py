"""What may answer a reader from memory instead of the file; `core/store/quick` does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import apsw

from core.model import Filter, MemoryId
from core.search_types import TextSearch, TextStatistics
from core.store.sqlite import vectors

HIGHEST_ID = 20_000_000  # what is kept in memory has a place for every id; a file from elsewhere may bring any


class NotInMemory(Exception):
    """What was asked cannot be answered from memory, or not for this snapshot."""


class Beside(Protocol):
    """A search that goes on beside others; NotInMemory when it came to nothing."""

    def found(self) -> list[tuple[MemoryId, float]]: ...
    def close(self) -> None: ...


class Quick(Protocol):
    """Answers from memory what is asked of a connection's snapshot, or raises NotInMemory."""

    def search_text(
        self, connection: apsw.Connection, asked: TextSearch, wanted: Filter, limit: int, /
    ) -> list[tuple[MemoryId, float]]: ...
    def text_scores(
        self, connection: apsw.Connection, asked: TextSearch, ids: Collection[MemoryId], /
    ) -> dict[MemoryId, float]: ...
    def text_rank(
        self, connection: apsw.Connection, asked: TextSearch, wanted: Filter, id: MemoryId, /
    ) -> int | None: ...
    def text_statistics(
        self, connection: apsw.Connection, asked: TextSearch, ids: Collection[MemoryId], /
    ) -> dict[MemoryId, TextStatistics]: ...
    def held(self, connection: apsw.Connection, words: Sequence[str], /) -> dict[str, int]: ...
    def begin_vectors(
        self, connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, limit: int, /
    ) -> Beside | None: ...
    def search_vectors(
        self, connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, limit: int, /
    ) -> list[tuple[MemoryId, float]]: ...
    def is_approximate(self, connection: apsw.Connection, space: vectors.SpaceId, wanted: Filter, /) -> bool: ...
    def vector_rank(
        self, connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, id: MemoryId, /
    ) -> int | None: ...
    def cosines(
        self, connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, ids: Collection[MemoryId], /
    ) -> dict[MemoryId, float]: ...
    def expect_questions(self, space: vectors.SpaceId | None, dimension: int, /) -> None: ...
    def count(self, connection: apsw.Connection, /) -> int: ...
    def count_embedded(self, connection: apsw.Connection, space: vectors.SpaceId, /) -> int: ...
