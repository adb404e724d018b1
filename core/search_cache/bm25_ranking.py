"""The k best matches by BM25 without scoring every match: exact MaxScore over whole posting lists.

The terms that can add most are read first. As soon as the remaining terms together cannot lift a memory above the last
of the best so far, they bring no new candidates: they only add to those that can still be among the best. A posting
list that is not in memory need not even be read then: the term that most memories hold takes longest to read and adds
least. Source: Turtle and Flood, "Query evaluation: strategies and optimizations", 1995. The result is not an
approximation: the scores of the candidates that remain are computed term by term in FTS5's own order of operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from core.formulas import bm25
from core.search_cache.arrays import Ids, Rows, positions
from core.search_cache.field_lengths import Lengths
from core.search_cache.filter_masks import FilterMask
from core.search_cache.posting import Counts, Posting
from core.search_types import FIELDS

Floats = NDArray[np.float64]

# Sums of the same numbers in another order differ in the last bits; a candidate that close is kept.
_ROUNDING = 1e-9

# To look up one memory's count of a term in the engine takes as long as to read this many postings.
_LOOKUP_COST = 100

# A filter that passes this many times fewer memories than the lists hold is evaluated memory by memory instead.
_NARROW = 16


@dataclass(frozen=True, slots=True)
class Formula:
    """All of BM25 that is the same for every term; `weights` are those of the searched fields, and only their tokens
    count as length."""

    weights: Mapping[int, float]
    k1: float
    b: float
    is_okapi: bool
    documents: int
    average_length: float
    lengths: Lengths

    def idf(self, document_frequency: int) -> float:
        return (bm25.okapi_idf if self.is_okapi else bm25.fts5_idf)(self.documents, document_frequency)

    def score(self, frequency: Floats, idf: float | Floats, lengths: NDArray[np.int32] | int) -> Floats:
        return bm25.term_score(frequency, idf, lengths, self.average_length, self.k1, self.b)  # type: ignore[arg-type, return-value]


class QueryTerm:
    """A term of the query with its posting list, reduced to the searched fields."""

    def __init__(self, posting: Posting, formula: Formula, document_frequency: int | None = None) -> None:
        """`document_frequency` is given where the list is only a part."""
        self.formula = formula
        self.ids: Ids = posting.ids
        self._counts: dict[int, Counts] = {n: posting.counts[n] for n in formula.weights if n in posting.counts}
        if len(self._counts) < len(posting.counts):  # some memories hold it only in other fields
            held = np.zeros(len(posting.ids), dtype=bool)
            for each in self._counts.values():
                held |= each > 0
            self.ids = posting.ids[held]
            self._counts = {n: each[held] for n, each in self._counts.items()}
        self.document_frequency = len(self.ids) if document_frequency is None else document_frequency
        self.idf = formula.idf(self.document_frequency)
        self._max_frequency = sum(formula.weights[n] * posting.max_counts[n] for n in self._counts)
        self._posting = posting

    @cached_property
    def bound(self) -> float:
        """The most that it can add to any score."""
        if not len(self.ids):  # the store may hold no token, and so no average length
            return 0.0
        are_all_searched = len(self.formula.weights) == len(FIELDS)
        shortest = self._posting.min_length if are_all_searched else int(self.formula.lengths[self.ids].min())
        best = float(self.formula.score(self._max_frequency, self.idf, shortest))  # type: ignore[arg-type]
        return max(0.0, best) * (1 + _ROUNDING)

    def full(self) -> QueryTerm:
        return self

    def among(self, _ids: Ids) -> QueryTerm:
        return self

    def scores(self, at: Rows) -> Floats:
        """Return what it adds to the memories at a few positions of its list."""
        if "added" in self.__dict__:  # else computing it for all would take longer
            return self.added[at]
        return self.formula.score(self.frequencies(at), self.idf, self.formula.lengths[self.ids[at]])

    def frequencies(self, at: Rows | slice) -> Floats:
        """Return weighted counts as FTS5 computes them: it adds the weight occurrence by occurrence."""
        frequency = np.zeros(len(self.ids[at]), dtype=np.float64)
        is_product = self.formula.is_okapi or all(self.formula.weights[n].is_integer() for n in self._counts)
        for n, counts in self._counts.items():
            weight, own = self.formula.weights[n], counts[at]
            if is_product:
                frequency += weight * own
            else:
                for step in range(int(own.max(initial=0))):
                    frequency[own > step] += weight
        return frequency

    @cached_property
    def added(self) -> Floats:
        """What it adds to the score of each memory of its list, exact to the last bit."""
        return self.formula.score(self.frequencies(slice(None)), self.idf, self.formula.lengths[self.ids])

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes, `added` included."""
        return 12 * len(self.ids) + sum(each.nbytes for each in self._counts.values()) + 500

    def counts(self, id: int) -> dict[str, int]:
        """Return its count in each field of one memory."""
        at = int(np.searchsorted(self.ids, id))
        is_there = at < len(self.ids) and self.ids[at] == id
        counted = {n: int(self._counts[n][at]) for n in self._counts} if is_there else {}
        return {name: counted.get(n, 0) for n, name in enumerate(FIELDS)}


class LazyPosting:
    """A term of the query whose posting list is not in memory, and is read only where the best cannot be found without
    it; its counts in a few memories the engine looks up one by one. All fields are searched."""

    def __init__(
        self,
        document_frequency: int,
        formula: Formula,
        read: Callable[[], Posting],
        read_among: Callable[[Ids], Posting],
    ) -> None:
        self.document_frequency, self.idf = document_frequency, formula.idf(document_frequency)
        # Whatever its frequency in a memory, the rest of the formula stays below k1 + 1.
        self.bound = max(0.0, self.idf * (formula.k1 + 1)) * (1 + _ROUNDING) if document_frequency else 0.0
        self.formula = formula
        self._read, self._read_among = read, read_among
        self._full: QueryTerm | None = None
        self._part: tuple[Ids, QueryTerm] | None = None

    def full(self) -> QueryTerm:
        """Read the whole list."""
        if self._full is None:
            self._full = self._term(self._read())
        return self._full

    def among(self, ids: Ids) -> QueryTerm:
        """Return the term with the postings of at least these memories, by whichever read is cheaper."""
        if self._full is not None or len(ids) * _LOOKUP_COST > self.document_frequency:
            return self.full()
        if self._part is None or not np.isin(ids, self._part[0]).all():  # mostly a subset of the same is asked about
            self._part = ids, self._term(self._read_among(ids))
        return self._part[1]

    def _term(self, posting: Posting) -> QueryTerm:
        return QueryTerm(posting, self.formula, self.document_frequency)


Term = QueryTerm | LazyPosting


class Scratch:
    """A sum and a flag for each id, all zero between queries."""

    def __init__(self, size: int) -> None:
        self.sums = np.zeros(size, dtype=np.float64)
        self.seen = np.zeros(size, dtype=bool)


def best(terms: Sequence[Term], mask: FilterMask, limit: int, scratch: Scratch) -> tuple[Ids, Floats]:
    """Return the `limit` best matches that pass the mask with their scores, best first, ties broken by id."""
    if not limit:
        return np.zeros(0, dtype=np.int32), np.zeros(0)
    candidates = _candidates(terms, mask, limit, scratch)
    scores, _ = _exact_scores(terms, candidates)
    order = np.lexsort((candidates, -scores))[:limit]
    return candidates[order], scores[order]


def scored(terms: Sequence[Term], ids: Ids) -> tuple[Ids, Floats]:
    """Return those of the memories that hold any of the terms, with their scores."""
    scores, hold_any = _exact_scores(terms, ids)
    return ids[hold_any], scores[hold_any]


def _exact_scores(terms: Sequence[Term], ids: Ids) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the scores of some memories, exact to the last bit, and whether each holds any of the terms."""
    scores, hold_any = np.zeros(len(ids), dtype=np.float64), np.zeros(len(ids), dtype=bool)
    if not terms:
        return scores, hold_any
    holders, frequencies = [], []
    for each in terms:
        term = each.among(ids)
        at, held = positions(ids, term.ids)
        holders.append(np.flatnonzero(held))
        frequencies.append(term.frequencies(at[holders[-1]]))
    # All terms in one call of the formula: term by term, for a few memories, most of the time goes into calling numpy.
    formula, of_each = terms[0].formula, np.concatenate(holders)
    idf = np.repeat([term.idf for term in terms], [len(own) for own in holders])
    added = formula.score(np.concatenate(frequencies), idf, formula.lengths[ids[of_each]])
    start = 0
    for own in holders:  # one after the other, as FTS5 does
        scores[own] += added[start : start + len(own)]
        start += len(own)
    hold_any[of_each] = True
    return scores, hold_any


def _candidates(terms: Sequence[Term], mask: FilterMask, limit: int, scratch: Scratch) -> Ids:
    """Return all memories that can be among the best, and few others."""
    if mask.count * _NARROW < sum(term.document_frequency for term in terms):
        held = np.zeros(mask.count, dtype=bool)
        for term in terms:
            held |= positions(mask.ids, term.among(mask.ids).ids)[1]
        return mask.ids[held]
    by_worth = sorted(terms, key=lambda term: -term.bound)
    # What the terms from each one on can add together; with a negative idf no bound holds, and all lists are read.
    has_bounds = all(term.idf > 0 for term in terms)
    bounds = [term.bound if has_bounds else np.inf for term in by_worth]
    rest = [*accumulate(reversed(bounds), initial=0.0)][::-1]
    found: list[Ids] = []
    threshold = -np.inf
    read = 0
    try:
        while read < len(by_worth) and rest[read] >= threshold:
            term = by_worth[read].full()
            ids, added, passing = term.ids, term.added, mask.flags[term.ids]
            if not passing.all():
                ids, added = ids[passing], added[passing]
            scratch.sums[ids] += added
            found.append(ids[~scratch.seen[ids]])
            scratch.seen[ids] = True
            read += 1
            # No sum exceeds what the terms so far can add: no partition until that could outweigh the rest.
            may_suffice = rest[0] - rest[read] > rest[read] and read < len(by_worth)
            if may_suffice and sum(map(len, found)) >= limit:
                threshold = _last_of_best(scratch.sums[np.concatenate(found)], limit)
    finally:  # reading a list may be interrupted
        candidates: Ids = np.concatenate(found) if found else np.zeros(0, dtype=np.int32)
        sums = scratch.sums[candidates]
        scratch.sums[candidates] = 0.0
        scratch.seen[candidates] = False
    for at in range(read, len(rest)):
        if rest[at] < np.inf and len(candidates) > limit:
            possible = sums + rest[at] >= _last_of_best(sums, limit)
            candidates, sums = candidates[possible], sums[possible]
        if at == read:  # sorting all that were found takes as long as adding up their scores
            order = np.argsort(candidates)
            candidates, sums = candidates[order], sums[order]
        if at < len(by_worth):
            term = by_worth[at].among(candidates)
            where, held = positions(candidates, term.ids)
            sums[held] += term.scores(where[held])
    return candidates


def _last_of_best(sums: Floats, limit: int) -> float:
    last = float(np.partition(sums, -limit)[-limit])
    return last - abs(last) * _ROUNDING
