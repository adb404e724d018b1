"""What a storage engine provides to fill the cache and to keep it up to date.

Ids, token occurrences and vectors are handed over as arrays, never row by row: a store holds millions of them. Every
method of a `Snapshot` answers as of one moment, and may raise `CacheMiss` where what the engine holds contradicts
itself. `core/store/sqlite/cache_feed.py` is the feed of the SQLite engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.model import Filter, MemoryId
from core.search_cache.cache_protocol import SpaceId
from core.search_types import FactColumns

# The two inverted indexes of every engine: tokens as written, and their stems.
TextIndex = str
WORDS: TextIndex = "words"
STEMS: TextIndex = "stems"
INDEXES = (WORDS, STEMS)

# An occurrence of a token is one number: the memory's id and, in the lowest bits, the number of the field in FIELDS.
FIELD_BITS = 3
FIELD_MASK = (1 << FIELD_BITS) - 1

Int64s = NDArray[np.int64]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IndexedTokens:
    """The tokens of some memories as both indexes hold them.

    `ids` are those of the memories that are in the indexes, ascending; `lengths` the number of tokens in each field of
    each of them, one memory after the other. `occurrences` and `tokens` have an element for each token, in one order:
    a stemmer makes one token of one token, so the occurrences are the same in both indexes.
    """

    ids: Int64s
    lengths: Int64s
    occurrences: Int64s
    tokens: Mapping[TextIndex, Sequence[str]]


@dataclass(frozen=True, slots=True)
class VectorBatch:
    """Some vectors, one row each: whose they are, and where the engine keeps them. Locations sort in storage order."""

    ids: Int64s
    locations: Int64s
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class ChangedMemories:
    """Ids, ascending: of memories whose tokens, vectors or filterable fields changed, and of those of which anything
    did that a stage reads."""

    searched: list[int]
    facts: list[int]


class Snapshot(Protocol):
    """One moment of a store. Two snapshots are equal when they are read through the same connection."""

    # changes

    def last_change(self) -> int:
        """Return the number of the newest change that matters for a search; 0 for none."""

    def changed_since(self, change: int) -> ChangedMemories | None:
        """Return what was changed after a change; None when too much or too old to list."""

    # full text

    def highest_id(self) -> int:
        """Return the highest id of a memory; 0 for none."""

    def text_size(self, fields: Sequence[str]) -> tuple[int, float]:
        """Return the number of indexed memories, and the average number of tokens in some of the fields."""

    def query_tokens(self, index: TextIndex, words: Sequence[str]) -> list[str] | None:
        """Return each query word as the index holds it; None when one of them is not exactly one token."""

    def field_lengths(self) -> tuple[Int64s, Int64s]:
        """Return the ids of all indexed memories, and the number of tokens in each field, memory by memory."""

    def indexed_tokens(self, ids: Sequence[int]) -> IndexedTokens:
        """Return the present tokens of those of the ids that are indexed."""

    def occurrences(self, index: TextIndex, token: str) -> Int64s:
        """Return every occurrence of a token, equal ones side by side, ids ascending."""

    def all_occurrences(self, index: TextIndex) -> tuple[list[str], list[Int64s]]:
        """Return all tokens of an index, and the occurrences of each."""

    def counts_among(self, index: TextIndex, word: str, ids: Sequence[int]) -> Int64s:
        """Return rows of (id, field number, count) for a query word in some memories, ids ascending."""

    def document_frequency(self, index: TextIndex, token: str) -> int:
        """Return how many memories hold a token."""

    def most_frequent(self, index: TextIndex, limit: int) -> list[tuple[int, str]]:
        """Return the tokens that most memories hold, the most frequent first, each after its document frequency."""

    # facts

    def facts(self, ids: Sequence[int]) -> FactColumns:
        """Return the facts of those of the ids that exist."""

    def all_facts(self) -> Iterator[FactColumns]:
        """Yield the facts of all memories, some thousand at a time, ids ascending."""

    # filters

    def matching_ids(self, wanted: Filter) -> Int64s:
        """Return the ids of all memories that pass a filter."""

    def tagged_ids(self, tags: Sequence[str]) -> Int64s:
        """Return the ids that have one of some tags; in a damaged store also ids of no memory."""

    def matching_each(self, ids: Sequence[int], filters: Sequence[Filter]) -> tuple[Int64s, list[Int64s]]:
        """Return those of the ids that exist, and for each filter 1 where the memory passes it, else 0."""

    # vectors

    @property
    def max_neighbours(self) -> int:
        """The most results that the engine's own vector search returns."""

    def vectors(self, space: SpaceId, dimension: int, batch: int) -> Iterator[VectorBatch]:
        """Yield all vectors of a space in storage order, about so many at a time."""

    def vectors_of(self, space: SpaceId, dimension: int, ids: Sequence[int]) -> VectorBatch:
        """Return the vectors of those of the ids that have one."""

    def stored_vectors(self, space: SpaceId, dimension: int, locations: Sequence[int]) -> Vectors:
        """Return the vectors at some locations, given in storage order."""

    def vector_lengths(self, stored: Vectors) -> NDArray[np.float64]:
        """Return the length of each vector, as the engine computes it for a distance."""

    def cosine_distances(
        self, stored: Vectors, vector: bytes, lengths: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return the engine's own cosine distance of each vector to one; NaN for a vector of zeros. The `lengths` of
        the vectors are given where they are known."""

    def nearest(self, space: SpaceId, vector: bytes, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        """Return the result of the engine's own vector search: ids with their cosines, nearest first."""


class FeedConnection(Protocol):
    """A connection of its own for a background thread, which takes one snapshot after the other."""

    def snapshot(self) -> AbstractContextManager[Snapshot]: ...


class CacheFeed(Protocol):
    """What the cache needs of an engine in addition to snapshots."""

    @property
    def interrupted(self) -> type[Exception]:
        """What a read raises whose caller has stopped waiting; the cache lets it pass."""

    @property
    def failed(self) -> type[Exception]:
        """What any other failed read raises; the cache turns it into a CacheMiss."""

    def is_wanted(self) -> bool:
        """Return whether the caller on this thread still waits for its answer."""

    def connect(
        self, is_stopped: Callable[[], bool], *, promptly: bool = False
    ) -> AbstractContextManager[FeedConnection]:
        """Open a connection to the same store; its reads end soon, or promptly, after `is_stopped` becomes true."""
