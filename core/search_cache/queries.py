"""The searches of one snapshot, answered from memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from core.formulas import similarity
from core.model import Filter, MemoryId
from core.search_cache.arrays import Ids
from core.search_cache.background_loader import MIN_DIMENSION, BackgroundLoader
from core.search_cache.background_search import BackgroundSearch, BackgroundSearches, Found
from core.search_cache.bm25_ranking import Floats, best, scored
from core.search_cache.cache_contents import CacheContents
from core.search_cache.cache_protocol import CacheMiss, SpaceId
from core.search_cache.fact_table import FactTable
from core.search_cache.feed import WORDS, Snapshot
from core.search_cache.query_terms import QueryTerms, field_numbers
from core.search_cache.vector_index import VectorIndex
from core.search_types import FactColumns, TextSearch, TextStatistics, WordStatistics


class CacheQueries:
    """Answers as the engine itself would, as of one snapshot; CacheMiss where it cannot."""

    def __init__(
        self,
        snapshot: Snapshot,
        contents: CacheContents,
        loader: BackgroundLoader,
        searches: BackgroundSearches,
        terms: QueryTerms,
    ) -> None:
        self._snapshot, self._contents, self._loader, self._searches = snapshot, contents, loader, searches
        self._terms = terms

    def expect_questions(self, space: SpaceId | None, dimension: int) -> None:
        """Begin to load before the first question."""
        with self._contents.lock:
            if space is not None:
                self._loader.request_space(space, dimension)
            self._loader.start()

    # full text

    def search_text(self, asked: TextSearch, wanted: Filter, limit: int) -> Found:
        snapshot, contents = self._snapshot, self._contents
        with contents.up_to_date(snapshot) as postings:
            self._terms.searches += 1
            if self._terms.searches > 1:  # a single search is not slowed down by loading for others that never come
                self._loader.start()
            search, mask = self._terms.of(snapshot, asked, postings), contents.mask(snapshot, wanted, postings)
            if search.dense is None:
                found = best(search.terms, mask, limit, self._terms.scratch)
            else:
                found = search.dense.best(mask, limit)
            return _pairs(*found)

    def text_scores(self, asked: TextSearch, ids: Collection[MemoryId]) -> dict[MemoryId, float]:
        with self._contents.up_to_date(self._snapshot) as postings:
            search = self._terms.of(self._snapshot, asked, postings, of_few=True)
            wanted = np.array(sorted(ids), dtype=np.int32)
            found = scored(search.terms, wanted) if search.dense is None else search.dense.of(wanted)
            return dict(_pairs(*found))

    def text_rank(self, asked: TextSearch, wanted: Filter, id: MemoryId) -> int | None:
        snapshot, contents = self._snapshot, self._contents
        with contents.up_to_date(snapshot) as postings:
            terms = self._terms.of(snapshot, asked, postings).terms
            mask = contents.mask(snapshot, wanted, postings)
            every, _ = best(terms, mask, postings.rows, self._terms.scratch)
            return next((rank for rank, each in enumerate(every.tolist(), 1) if each == id), None)

    def text_statistics(self, asked: TextSearch, ids: Collection[MemoryId]) -> dict[MemoryId, TextStatistics]:
        with self._contents.up_to_date(self._snapshot) as postings:
            terms = self._terms.of(self._snapshot, asked, postings).terms
            documents, average = self._snapshot.text_size(asked.searched)
            lengths = postings.field_lengths.of(field_numbers(asked))
            sought = np.array(sorted(ids), dtype=np.int32)
            found = {}
            for id, score in _pairs(*scored(terms, sought)):
                counted = tuple(
                    WordStatistics(word, documents, term.document_frequency, term.among(sought).counts(id))
                    for word, term in zip(asked.words, terms, strict=True)
                )
                found[id] = TextStatistics(counted, asked.searched, int(lengths[id]), average, score)
            return found

    def document_frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """Return how many memories hold each of the words, without stemming; only of words whose lists are here."""
        with self._contents.up_to_date(self._snapshot) as postings:
            counts = {word: postings.document_frequency(self._snapshot, WORDS, word) for word in words}
            return {word: count for word, count in counts.items() if count is not None}

    # facts

    def facts(self, ids: Collection[MemoryId]) -> FactColumns:
        """Return what stages read of those of the ids that exist, in the order of the ids."""
        with self._contents.up_to_date(self._snapshot, begin=False):
            return self._fact_table().of(ids)

    def session_neighbours(
        self, ids: Collection[MemoryId], wanted: Filter, steps: int
    ) -> dict[MemoryId, list[tuple[MemoryId, int]]]:
        with self._contents.up_to_date(self._snapshot, begin=False) as postings:
            mask = self._contents.mask(self._snapshot, wanted, postings)
            return self._fact_table().session_neighbours(ids, mask, steps)

    def _fact_table(self) -> FactTable:
        if self._contents.facts is None:
            raise CacheMiss
        return self._contents.facts

    def count(self) -> int:
        """Return how many memories there are."""
        with self._contents.up_to_date(self._snapshot, begin=False) as postings:
            return self._contents.mask(self._snapshot, Filter(), postings).count

    # vectors

    def begin_vectors(self, space: SpaceId, vector: bytes, wanted: Filter, limit: int) -> BackgroundSearch | None:
        """Begin the engine's own search in the background; None where the vectors are in memory."""
        if space in self._contents.vector_indexes:
            return None
        return self._searches.begin(self._snapshot.last_change(), space, vector, wanted, limit)

    def search_vectors(self, space: SpaceId, vector: bytes, wanted: Filter, limit: int) -> Found:
        snapshot, contents = self._snapshot, self._contents
        with contents.up_to_date(snapshot) as postings:
            index, mask = self._vector_index(space, vector), contents.mask(snapshot, wanted, postings)
            found = index.nearest(snapshot, vector, mask, min(limit, snapshot.max_neighbours))
            return [(MemoryId(id), similarity.from_distance(distance)) for id, distance in found]

    def is_approximate(self, space: SpaceId, wanted: Filter) -> bool:
        """Return whether `search_vectors` may miss one of the nearest vectors that pass a filter."""
        with self._contents.up_to_date(self._snapshot, begin=False) as postings:
            index = self._loaded_index(space)
            return index.is_approximate(self._contents.mask(self._snapshot, wanted, postings))

    def vector_rank(self, space: SpaceId, vector: bytes, wanted: Filter, id: MemoryId) -> int | None:
        snapshot, contents = self._snapshot, self._contents
        with contents.up_to_date(snapshot) as postings:
            index = self._vector_index(space, vector)
            return index.rank(snapshot, vector, contents.mask(snapshot, wanted, postings), id)

    def cosines(self, space: SpaceId, vector: bytes, ids: Collection[MemoryId]) -> dict[MemoryId, float]:
        with self._contents.up_to_date(self._snapshot):
            found = self._vector_index(space, vector).distances(self._snapshot, vector, ids)
            return {MemoryId(id): similarity.from_distance(distance) for id, distance in found}

    def count_embedded(self, space: SpaceId) -> int:
        with self._contents.up_to_date(self._snapshot, begin=False):
            return self._loaded_index(space).count

    def _loaded_index(self, space: SpaceId) -> VectorIndex:
        index = self._contents.vector_indexes.get(space)
        if index is None:
            raise CacheMiss
        return index

    def _vector_index(self, space: SpaceId, vector: bytes) -> VectorIndex:
        """Return the index of a space; where there is none, have it loaded with the second question, and CacheMiss."""
        dimension = len(vector) // 4
        if dimension >= MIN_DIMENSION and space not in self._contents.vector_indexes:
            if self._loader.is_requested(space):
                self._loader.start()
            self._loader.request_space(space, dimension)
        return self._loaded_index(space)


def _pairs(ids: Ids, scores: Floats) -> list[tuple[MemoryId, float]]:
    return list(zip(map(MemoryId, ids.tolist()), scores.tolist(), strict=True))
