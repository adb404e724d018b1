"""The best by BM25 without a look at every match: exact MaxScore over whole lists.

The words that can add most are read first. As soon as the words still to come cannot, all together, lift a memory
above the last of the best so far, they bring no new ones: they only add to those that are still in the running. A list
that is not in memory need not even be read then: a word that most memories hold takes longest to read and adds least.
Source: Turtle and Flood, "Query evaluation: strategies and optimizations", 1995. What comes out is not an
approximation: the scores of those that remain are computed word by word in FTS5's own order of operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from core.formulas import bm25
from core.search_types import FIELDS
from core.store.quick.lengths import Lengths
from core.store.quick.masks import Mask
from core.store.quick.numbers import Ids, Rows, places
from core.store.quick.vocabulary import Counts, Posting

Floats = NDArray[np.float64]

# Sums of the same numbers in another order differ in the last bits; who is that close stays in the running.
_CLOSE = 1e-9

# To ask FTS5 what one memory holds of a word takes as long as to read of so many who hold it.
_ASKING = 100

# A filter that lets through so much less than the lists hold is gone through memory by memory instead.
_NARROW = 16


@dataclass(frozen=True, slots=True)
class Formula:
    """All of BM25 that is the same for every word; `weights` are those of the fields that are searched, whose words
    alone count as length."""

    weights: Mapping[int, float]
    k1: float
    b: float
    is_okapi: bool
    documents: int
    average_length: float
    lengths: Lengths

    def idf(self, with_word: int) -> float:
        return (bm25.okapi_idf if self.is_okapi else bm25.fts5_idf)(self.documents, with_word)

    def score(self, frequency: Floats, idf: float | Floats, lengths: NDArray[np.int32] | int) -> Floats:
        formula = bm25.term_score if self.is_okapi else bm25.fts5_term_score
        return formula(frequency, idf, lengths, self.average_length, self.k1, self.b)  # type: ignore[arg-type, return-value]


class Word:
    """A word of the query: who holds it in a searched field, and what that is worth."""

    def __init__(self, posting: Posting, formula: Formula, count: int | None = None) -> None:
        """`count` says how many hold it where the list is only a part."""
        self.formula = formula
        self.ids: Ids = posting.ids
        self._times: dict[int, Counts] = {n: posting.counts[n] for n in formula.weights if n in posting.counts}
        if len(self._times) < len(posting.counts):  # some hold it only where it is not looked for
            held = np.zeros(len(posting.ids), dtype=bool)
            for each in self._times.values():
                held |= each > 0
            self.ids = posting.ids[held]
            self._times = {n: each[held] for n, each in self._times.items()}
        self.count = len(self.ids) if count is None else count
        self.idf = formula.idf(self.count)
        self._most = sum(formula.weights[n] * posting.most[n] for n in self._times)
        self._posting = posting

    @cached_property
    def bound(self) -> float:
        """The most that it can add to any score."""
        if not len(self.ids):  # there may be no word left in the store, and no average length
            return 0.0
        are_all_searched = len(self.formula.weights) == len(FIELDS)
        shortest = self._posting.shortest if are_all_searched else int(self.formula.lengths[self.ids].min())
        best = float(self.formula.score(self._most, self.idf, shortest))  # type: ignore[arg-type]
        return max(0.0, best) * (1 + _CLOSE)

    def whole(self) -> Word:
        return self

    def among(self, _ids: Ids) -> Word:
        return self

    def scores(self, at: Rows | NDArray[np.bool_]) -> Floats:
        """What it adds to the memories at some places of its list, but for the last bits."""
        return self.formula.score(self._frequencies(at), self.idf, self.formula.lengths[self.ids[at]])

    def _frequencies(self, at: Rows | NDArray[np.bool_]) -> Floats:
        frequency = np.zeros(len(self.ids[at]), dtype=np.float64)
        for n, times in self._times.items():
            frequency += self.formula.weights[n] * times[at]
        return frequency

    def exact_frequencies(self, at: Rows) -> Floats:
        """How often some memories hold it, each time weighed: FTS5 adds the weight occurrence by occurrence."""
        if self.formula.is_okapi or all(self.formula.weights[n].is_integer() for n in self._times):
            return self._frequencies(at)
        frequency = np.zeros(len(at), dtype=np.float64)
        for n, times in self._times.items():
            for step in range(int(times[at].max(initial=0))):
                frequency[times[at] > step] += self.formula.weights[n]
        return frequency

    def counts(self, id: int) -> dict[str, int]:
        """How often one memory holds it in each field."""
        at = int(np.searchsorted(self.ids, id))
        is_there = at < len(self.ids) and self.ids[at] == id
        counted = {n: int(self._times[n][at]) for n in self._times} if is_there else {}
        return {name: counted.get(n, 0) for n, name in enumerate(FIELDS)}


class Unread:
    """A word of the query whose list is not here, and is read only where the best cannot be told without it: what the
    word adds to a few memories FTS5 tells one by one. All fields are searched."""

    def __init__(
        self,
        count: int,
        formula: Formula,
        read: Callable[[], Posting],
        read_part: Callable[[Ids], Posting],
    ) -> None:
        self.count, self.idf = count, formula.idf(count)
        # However often a memory holds it, the rest of the formula stays below k1 + 1.
        self.bound = max(0.0, self.idf * (formula.k1 + 1)) * (1 + _CLOSE) if count else 0.0
        self.formula = formula
        self._read, self._read_part = read, read_part
        self._whole: Word | None = None
        self._part: tuple[Ids, Word] | None = None

    def whole(self) -> Word:
        if self._whole is None:
            self._whole = self._word(self._read())
        return self._whole

    def among(self, ids: Ids) -> Word:
        """What these memories hold of it, or more."""
        if self._whole is not None or len(ids) * _ASKING > self.count:
            return self.whole()
        if self._part is None or not np.isin(ids, self._part[0]).all():  # mostly fewer of the same are asked about
            self._part = ids, self._word(self._read_part(ids))
        return self._part[1]

    def _word(self, posting: Posting) -> Word:
        return Word(posting, self.formula, self.count)


class Scratch:
    """One sum and one flag for each id, zero between queries."""

    def __init__(self, size: int) -> None:
        self.sums = np.zeros(size, dtype=np.float64)
        self.seen = np.zeros(size, dtype=bool)


def best(words: Sequence[Word | Unread], mask: Mask, limit: int, scratch: Scratch) -> list[tuple[int, float]]:
    """The best matches that the mask lets through, best first, equals by id."""
    if not limit:
        return []
    candidates = _candidates(words, mask, limit, scratch)
    scores, _ = _exact_scores(words, candidates)
    chosen = np.lexsort((candidates, -scores))[:limit]
    return list(zip(candidates[chosen].tolist(), scores[chosen].tolist(), strict=True))


def scored(words: Sequence[Word | Unread], ids: Ids) -> list[tuple[int, float]]:
    """Those of the memories that hold one of the words, and their scores."""
    scores, hold_any = _exact_scores(words, ids)
    return list(zip(ids[hold_any].tolist(), scores[hold_any].tolist(), strict=True))


def _exact_scores(words: Sequence[Word | Unread], ids: Ids) -> tuple[Floats, NDArray[np.bool_]]:
    """The scores of some memories to the last bit, and whether each holds any of the words."""
    scores, hold_any = np.zeros(len(ids), dtype=np.float64), np.zeros(len(ids), dtype=bool)
    if not words:
        return scores, hold_any
    holders, frequencies = [], []
    for each in words:
        word = each.among(ids)
        at, held = places(ids, word.ids)
        holders.append(np.flatnonzero(held))
        frequencies.append(word.exact_frequencies(at[holders[-1]]))
    # By the formula all words at once: of a few memories one by one most of the time would go into calling numpy.
    formula, of_each = words[0].formula, np.concatenate(holders)
    idf = np.repeat([word.idf for word in words], [len(own) for own in holders])
    added = formula.score(np.concatenate(frequencies), idf, formula.lengths[ids[of_each]])
    start = 0
    for own in holders:  # one after the other, as FTS5 does
        scores[own] += added[start : start + len(own)]
        start += len(own)
    hold_any[of_each] = True
    return scores, hold_any


def _candidates(words: Sequence[Word | Unread], mask: Mask, limit: int, scratch: Scratch) -> Ids:
    """All that can be among the best, and few others."""
    if mask.count * _NARROW < sum(word.count for word in words):
        held = np.zeros(mask.count, dtype=bool)
        for word in words:
            held |= places(mask.ids, word.among(mask.ids).ids)[1]
        return mask.ids[held]
    by_worth = sorted(words, key=lambda word: -word.bound)
    # What the words from each on can add together; with a word that counts against, no bound holds and all are read.
    has_bounds = all(word.idf > 0 for word in words)
    bounds = [word.bound if has_bounds else np.inf for word in by_worth]
    rest = [*accumulate(reversed(bounds), initial=0.0)][::-1]
    found: list[Ids] = []
    least = -np.inf
    read = 0
    try:
        while read < len(by_worth) and rest[read] >= least:
            word = by_worth[read].whole()
            passing = mask.flags[word.ids]
            ids = word.ids[passing]
            scratch.sums[ids] += word.scores(passing)
            found.append(ids[~scratch.seen[ids]])
            scratch.seen[ids] = True
            read += 1
            # Nobody has more than the words so far can add: no look at the best until that could outweigh the rest.
            may_suffice = rest[0] - rest[read] > rest[read] and read < len(by_worth)
            if may_suffice and sum(map(len, found)) >= limit:
                least = _last_of_best(scratch.sums[np.concatenate(found)], limit)
    finally:  # reading a list may be stopped
        candidates: Ids = np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int32)
        sums = scratch.sums[candidates]
        scratch.sums[candidates] = 0.0
        scratch.seen[candidates] = False
    for at in range(read, len(rest)):
        if rest[at] < np.inf and len(candidates) > limit:
            in_running = sums + rest[at] >= _last_of_best(sums, limit)
            candidates, sums = candidates[in_running], sums[in_running]
        if at < len(by_worth):
            word = by_worth[at].among(candidates)
            where, held = places(candidates, word.ids)
            sums[held] += word.scores(where[held])
    return candidates


def _last_of_best(sums: Floats, limit: int) -> float:
    last = float(np.partition(sums, -limit)[-limit])
    return last - abs(last) * _CLOSE
