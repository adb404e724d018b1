"""BM25 of every memory at once, where the posting lists of a query are short: one addition for each posting.

What a term adds to each memory of its list stays the same until a text changes and is kept with the term, so a query is
one addition a posting, in the order of the terms: the sums are exact to the last bit. Of longer lists most postings are
skipped instead (`bm25_ranking.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from core.search_cache.arrays import Ids
from core.search_cache.bm25_ranking import Floats, QueryTerm
from core.search_cache.filter_masks import FilterMask

# More postings than these, and to skip most of them is faster.
MAX_POSTINGS = 65_536


class DenseScores:
    """The score of every memory for some terms."""

    def __init__(self, terms: Sequence[QueryTerm], size: int) -> None:
        self._ids = np.concatenate([term.ids for term in terms]) if terms else np.zeros(0, dtype=np.int32)
        self._has_negative = any(term.idf <= 0 for term in terms)
        # Added up in the order given, which is the order in which FTS5 adds.
        weights = np.concatenate([term.added for term in terms]) if terms else np.zeros(0)
        self._sums: Floats = np.bincount(self._ids, weights, size).astype(np.float64, copy=False)
        self._size = size

    @cached_property
    def _holds_any(self) -> Ids:
        """Every memory that holds one of the terms."""
        sums = np.bincount(self._ids, minlength=self._size) if self._has_negative else self._sums
        return np.flatnonzero(sums).astype(np.int32)

    def best(self, mask: FilterMask, limit: int) -> tuple[Ids, Floats]:
        """Return the `limit` best matches that pass the mask with their scores, best first, ties broken by id."""
        ids = self._holds_any
        ids = ids[mask.flags[ids]]
        scores = self._sums[ids]
        if len(ids) > limit:
            is_possible = scores >= np.partition(scores, -limit)[-limit]
            ids, scores = ids[is_possible], scores[is_possible]
        order = np.argsort(-scores, kind="stable")[:limit]
        return ids[order], scores[order]

    def of(self, ids: Ids) -> tuple[Ids, Floats]:
        """Return those of the memories that hold any of the terms, with their scores."""
        if self._has_negative:
            ids = np.intersect1d(ids, self._holds_any)
            return ids, self._sums[ids]
        scores = self._sums[ids]
        found = scores != 0
        return ids[found], scores[found]
