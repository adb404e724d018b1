"""The terms of a query with their posting lists, kept for the questions that follow the same search."""

from __future__ import annotations

from functools import partial

from core.formulas import bm25
from core.search_cache.background_loader import BackgroundLoader, is_read_whole
from core.search_cache.bm25_ranking import Formula, LazyPosting, QueryTerm, Scratch, Term
from core.search_cache.cache_protocol import CacheMiss
from core.search_cache.feed import STEMS, WORDS, Snapshot
from core.search_cache.postings import Postings
from core.search_types import FIELDS, TextSearch


class QueryTerms:
    """The terms of the last text search, and the scratch arrays that ranking needs."""

    def __init__(self, loader: BackgroundLoader) -> None:
        self._loader = loader
        self.searches = 0
        self.scratch = Scratch(0)
        self._last: tuple[tuple[Snapshot, int, TextSearch] | None, list[Term]] = (None, [])

    def forget(self) -> None:
        self._last = (None, [])

    def of(self, snapshot: Snapshot, asked: TextSearch, postings: Postings, *, of_few: bool = False) -> list[Term]:
        """Return a term for each word of a search; CacheMiss where a word is not exactly one token of the index.

        For the scores `of_few` memories also where the engine answers sooner than posting lists are read.
        """
        question = (snapshot, postings.as_of, asked)  # lazy postings are read through this very snapshot
        if self._last[0] == question:  # a recall searches first, and then asks for the scores of others
            return self._last[1]
        index = STEMS if asked.stemmed else WORDS
        tokens = snapshot.query_tokens(index, asked.words)
        if tokens is None:
            raise CacheMiss
        documents, average = snapshot.text_size(asked.searched)
        # Until the most frequent tokens are prefetched, no list of a large store is read that ranking may not need: the
        # document frequency of a token is known at once, though not by field.
        missing = {token for token in tokens if not self._loader.has_finished and not postings.holds(index, token)}
        searched = {n: float(asked.weights[FIELDS[n]]) for n in field_numbers(asked)}
        can_be_lazy = len(searched) == len(FIELDS) and not is_read_whole(documents, average)
        if of_few and missing and not can_be_lazy:
            raise CacheMiss
        k1, b = asked.okapi or (bm25.FTS5_K1, bm25.FTS5_B)
        lengths = postings.field_lengths.of(searched)
        formula = Formula(searched, k1, b, asked.okapi is not None, documents, average, lengths)
        if len(self.scratch.sums) < len(postings.lengths):
            self.scratch = Scratch(len(postings.lengths))
        terms = [
            LazyPosting(
                snapshot.document_frequency(index, token),
                formula,
                partial(postings.of, snapshot, index, token),
                partial(postings.read_among, snapshot, index, word),
            )
            if can_be_lazy and token in missing
            else QueryTerm(postings.of(snapshot, index, token), formula)
            for word, token in zip(asked.words, tokens, strict=True)
        ]
        self._last = (question, terms)
        return terms


def field_numbers(asked: TextSearch) -> list[int]:
    """Return the numbers of the fields that a search looks into."""
    return [FIELDS.index(field) for field in asked.searched]
