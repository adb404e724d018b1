"""The terms of a query with their posting lists, kept for the questions that follow the same search."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from core.formulas import bm25
from core.search_cache.background_loader import BackgroundLoader, is_read_whole
from core.search_cache.bm25_ranking import Formula, LazyPosting, QueryTerm, Scratch, Term
from core.search_cache.cache_protocol import CacheMiss
from core.search_cache.dense_scores import MAX_POSTINGS, DenseScores
from core.search_cache.feed import STEMS, WORDS, Snapshot, TextIndex
from core.search_cache.postings import Postings
from core.search_types import FIELDS, TextSearch

MAX_TOKENS = 65_536  # of query words that are kept
MAX_BYTES = 32_000_000  # of terms that are kept


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The terms of a search, and the scores of all memories where their lists are short."""

    terms: list[Term]
    dense: DenseScores | None


class QueryTerms:
    """The terms of the last text search, and the scratch arrays that ranking needs."""

    def __init__(self, loader: BackgroundLoader) -> None:
        self._loader = loader
        self.searches = 0
        self.scratch = Scratch(0)
        self._kept: OrderedDict[tuple[object, ...], tuple[int, QueryTerm]] = OrderedDict()
        self._kept_bytes = 0
        self._tokens: dict[tuple[TextIndex, str], str] = {}
        self._last: tuple[tuple[Snapshot, int, TextSearch] | None, SearchTerms] = (None, SearchTerms([], None))

    def forget(self) -> None:
        self._last = (None, SearchTerms([], None))

    def of(self, snapshot: Snapshot, asked: TextSearch, postings: Postings, *, of_few: bool = False) -> SearchTerms:
        """Return a term for each word of a search; CacheMiss where a word is not exactly one token of the index.

        For the scores `of_few` memories also where the engine answers sooner than posting lists are read.
        """
        question = (snapshot, postings.as_of, asked)  # lazy postings are read through this very snapshot
        if self._last[0] == question:  # a recall searches first, and then asks for the scores of others
            return self._last[1]
        index = STEMS if asked.stemmed else WORDS
        tokens = self._query_tokens(snapshot, index, asked.words)
        documents, average = postings.text_size(snapshot, asked.searched)
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
        terms: list[Term] = []
        for word, token in zip(asked.words, tokens, strict=True):
            if can_be_lazy and token in missing:
                frequency = snapshot.document_frequency(index, token)
                read = partial(postings.of, snapshot, index, token)
                terms.append(LazyPosting(frequency, formula, read, partial(postings.read_among, snapshot, index, word)))
            else:
                terms.append(self._term(snapshot, postings, index, token, formula))
        found = SearchTerms(terms, _dense(terms, len(postings.lengths)))
        self._last = (question, found)
        return found

    def _term(
        self, snapshot: Snapshot, postings: Postings, index: TextIndex, token: str, formula: Formula
    ) -> QueryTerm:
        """Return the term of a token; kept until a text changes, since what it adds to each memory is kept with it."""
        key = (index, token, *formula.weights.items(), formula.k1, formula.b, formula.is_okapi)
        as_of, term = self._kept.pop(key, (-1, None))
        if term is None or as_of != postings.as_of:
            self._kept_bytes -= 0 if term is None else term.nbytes
            term = QueryTerm(postings.of(snapshot, index, token), formula)
            self._kept_bytes += term.nbytes
        self._kept[key] = postings.as_of, term
        while self._kept_bytes > MAX_BYTES and len(self._kept) > 1:
            self._kept_bytes -= self._kept.popitem(last=False)[1][1].nbytes
        return term

    def _query_tokens(self, snapshot: Snapshot, index: TextIndex, words: Sequence[str]) -> list[str]:
        """Return each word as the index holds it. Kept, since a tokenizer gives the same for the same word, and to call
        it takes longer than to look a token up."""
        if len(self._tokens) > MAX_TOKENS:
            self._tokens.clear()
        unknown = [word for word in words if (index, word) not in self._tokens]
        if unknown:
            tokens = snapshot.query_tokens(index, unknown)
            if tokens is None:
                raise CacheMiss
            self._tokens.update({(index, word): token for word, token in zip(unknown, tokens, strict=True)})
        return [self._tokens[index, word] for word in words]


def _dense(terms: Sequence[Term], size: int) -> DenseScores | None:
    """Return the scores of all memories, where the lists are here and short enough together."""
    here = [term for term in terms if isinstance(term, QueryTerm)]
    is_short = sum(term.document_frequency for term in terms) <= MAX_POSTINGS
    return DenseScores(here, size) if is_short and len(here) == len(terms) else None


def field_numbers(asked: TextSearch) -> list[int]:
    """Return the numbers of the fields that a search looks into."""
    return [FIELDS.index(field) for field in asked.searched]
