"""Posting lists: which memories hold a token, and how often in which field."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.search_cache.arrays import Ids
from core.search_cache.feed import FIELD_BITS, FIELD_MASK, Int64s, Snapshot, TextIndex
from core.search_cache.field_lengths import Lengths

Counts = NDArray[np.unsignedinteger]  # of as few bytes as the highest needs

_SEVERAL_FIELDS = FIELD_MASK
_MAX_LENGTH = 2**31 - 1  # more tokens than any memory holds


@dataclass(slots=True)
class Posting:
    """The posting list of a token: memories by id, and its count in each field that holds it at all.

    `max_counts` (by field) and `min_length` (of a memory that holds it) bound what the token can add to any score.
    Removing memories leaves them as they are, which is still a bound.
    """

    ids: Ids
    counts: dict[int, Counts]
    max_counts: dict[int, int]
    min_length: int
    as_of: int

    @property
    def nbytes(self) -> int:
        return self.ids.nbytes + sum(each.nbytes for each in self.counts.values()) + 200


@dataclass(frozen=True, slots=True)
class _FieldCounts:
    """Ids, fields and counts of one token in parallel arrays; or of many tokens, one after the other."""

    ids: Ids
    fields: NDArray[np.uint8]
    counts: Counts

    def __getitem__(self, part: slice) -> _FieldCounts:
        return _FieldCounts(self.ids[part], self.fields[part], self.counts[part])


class FullPostings:
    """All posting lists of an index in a few large arrays; the list of a token is a slice of them."""

    def __init__(self, as_of: int, tokens: dict[str, int], starts: Int64s, held: _FieldCounts) -> None:
        """`tokens` gives the number of each token, `starts` where its slice begins; the last one ends all."""
        self.as_of = as_of
        self._tokens, self._starts, self._held = tokens, starts, held
        # The fields and bounds of all tokens at once: computed for one token when it is asked for they take long.
        first, last = (of_each.reduceat(held.fields, starts[:-1]) for of_each in (np.minimum, np.maximum))
        self._fields = np.where(first == last, first, _SEVERAL_FIELDS)
        self._max_counts = np.maximum.reduceat(held.counts, starts[:-1])
        self._min_lengths: Lengths  # once it is measured

    @classmethod
    def read(cls, snapshot: Snapshot, index: TextIndex, as_of: int) -> FullPostings:
        """Read a whole index at once: token by token even a few thousand take longer."""
        tokens, parts = snapshot.all_occurrences(index)
        # Led by an empty part, so that `starts` begins with 0 and there is something to join in an empty index.
        parts = [np.zeros(0, dtype=np.int64), *parts]
        starts, held = _counted(np.concatenate(parts), np.cumsum([len(part) for part in parts]))
        return cls(as_of, {token: number for number, token in enumerate(tokens)}, starts, held)

    @property
    def nbytes(self) -> int:
        arrays = (self._starts, self._held.ids, self._held.fields, self._held.counts)
        return sum(each.nbytes for each in arrays) + 130 * len(self._tokens)

    def measure(self, lengths: Lengths) -> None:
        """Find the shortest memory that holds each token; needed before any posting is asked for."""
        known = np.where(lengths < 0, _MAX_LENGTH, lengths)  # some may have been removed since
        self._min_lengths = np.minimum.reduceat(known[self._held.ids], self._starts[:-1])

    def posting(self, token: str) -> Posting:
        number = self._tokens.get(token)
        if number is None:
            return _posting(self._held[:0], _MAX_LENGTH, self.as_of)
        held = self._held[self._starts[number] : self._starts[number + 1]]
        field, min_length = int(self._fields[number]), int(self._min_lengths[number])
        if field == _SEVERAL_FIELDS:
            return _posting(held, min_length, self.as_of)
        return Posting(held.ids, {field: held.counts}, {field: int(self._max_counts[number])}, min_length, self.as_of)


def read_posting(snapshot: Snapshot, index: TextIndex, token: str, lengths: Lengths, as_of: int) -> Posting:
    """Read the posting list of a token from the engine."""
    _, held = _counted(snapshot.occurrences(index, token), np.zeros(1, dtype=np.int64))
    return _posting(held, _min_length(held, lengths), as_of)


def read_posting_among(
    snapshot: Snapshot, index: TextIndex, word: str, ids: Ids, lengths: Lengths, as_of: int
) -> Posting:
    """Read what the posting list of a query word has of some memories; the engine looks each of them up."""
    own, fields, counts = snapshot.counts_among(index, word, ids.tolist()).T
    held = _FieldCounts(own.astype(np.int32), fields.astype(np.uint8), counts.astype(np.uint32))
    return _posting(held, _min_length(held, lengths), as_of)


def _counted(occurrences: Int64s, starts: Int64s) -> tuple[Int64s, _FieldCounts]:
    """Count equal occurrences in each of the parts that start at some positions; also return where these start then."""
    is_first = np.diff(occurrences, prepend=-1) != 0
    is_first[starts[starts < len(occurrences)]] = True
    firsts = np.flatnonzero(is_first)
    times = np.diff(firsts, append=len(occurrences))
    counts = times.astype(np.min_scalar_type(int(times.max(initial=0))))
    distinct = occurrences[firsts]
    ids, fields = (distinct >> FIELD_BITS).astype(np.int32), (distinct & FIELD_MASK).astype(np.uint8)
    return np.searchsorted(firsts, starts), _FieldCounts(ids, fields, counts)


def _min_length(held: _FieldCounts, lengths: Lengths) -> int:
    return int(lengths[held.ids].min(initial=_MAX_LENGTH))


def _posting(held: _FieldCounts, min_length: int, as_of: int) -> Posting:
    ids, counts = held.ids, dict[int, Counts]()
    if len(ids) and (held.fields == held.fields[0]).all():  # as with most tokens
        counts[int(held.fields[0])] = held.counts
    else:
        is_first = np.diff(ids, prepend=-1) != 0
        own = np.cumsum(is_first) - 1
        ids = ids[is_first]
        for field in np.unique(held.fields).tolist():
            of_field = held.fields == field
            counts[field] = np.zeros(len(ids), dtype=held.counts.dtype)
            counts[field][own[of_field]] = held.counts[of_field]
    max_counts = {field: int(each.max(initial=0)) for field, each in counts.items()}
    return Posting(ids, counts, max_counts, min_length, as_of)
