"""The vectors of a space in memory: as they are for few, as binary codes and bytes for many.

Up to `EXACT_UP_TO` vectors are kept as they are, and all of them compared. Of more, each is kept as its difference from
the centre of all of them, rounded to bytes, and only those are compared whose binary codes differ least from the
query's, which is a hundred times cheaper: the result is approximate then. The error of a cosine due to rounding is
bounded, so every compared vector that may be among the nearest is rescored by the engine's own function over the
stored vectors: its distance is exact in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.search_cache.arrays import Ids, Rows, grown
from core.search_cache.cache_protocol import HIGHEST_ID, CacheMiss, SpaceId
from core.search_cache.feed import Snapshot, VectorBatch, Vectors
from core.search_cache.filter_masks import FilterMask
from core.search_cache.quantisation import (
    NO_DIRECTION,
    ROUNDING,
    binary_codes,
    hamming_distances,
    normalised,
    quantised,
    smallest,
)

# Rows of one segment: its binary codes fit into a processor's cache, and growing never copies more than a segment.
SEGMENT = 65_536

# Up to so many vectors all are compared, as they are: 10,000 in 0.18 ms. That takes 25 MB at 384 dimensions; from twice
# as many on candidates by binary code take less time.
EXACT_UP_TO = 16_384

# Candidates of N vectors for the nearest 40: 24 · N^0.43, and for more results proportionally more. Of the default
# model's vectors (and copies of them with noise) 3,400 of 100,000 keep 0.999 of the nearest 40 and all of the nearest
# 10; 1,200 keep 0.992, 6,400 all.
_CANDIDATES = 24
_CANDIDATES_POWER = 0.43
_CANDIDATES_FOR = 40
_ENOUGH = 0.9  # of the candidates; fewer remain when a filter excludes the near ones
_BATCH = 256  # vectors quantised at a time: few enough that their numbers stay in the processor's cache
_PRODUCTS = 1_024  # dot products at a time: of more, the library starts threads, and waiting for these takes longer
_MAX_RESCORED = 4_096  # by the stored vectors; for more, such as thousands of equal vectors, the engine searches
_DEVIATIONS = 8
_NARROW = 4  # a filter that passes this many times fewer vectors: only these are compared
_LOWEST = np.float32(-2.0)  # below any cosine
_SAMPLED = 4_096  # vectors whose mean is the centre


@dataclass(frozen=True, slots=True)
class Segment:
    """The binary codes and the bytes of some rows, which are by far the most of what is kept."""

    codes: NDArray[np.uint64]
    rounded: NDArray[np.int8]

    @classmethod
    def empty(cls, dimension: int) -> Segment:
        words = (dimension + 63) // 64
        return cls(np.zeros((words, SEGMENT), dtype=np.uint64), np.zeros((SEGMENT, dimension), dtype=np.int8))


class VectorIndex:
    """All vectors of a space; `as_of` is the last change that was applied."""

    def __init__(self, space: SpaceId, dimension: int, as_of: int) -> None:
        self.space, self.dimension, self.as_of = space, dimension, as_of
        self.count = 0
        self._centre = np.zeros(dimension, dtype=np.float32)
        self._segments: list[Segment] = []
        # Of each row: the memory, the scale of its bytes, and where the engine keeps the vector.
        self._ids: Ids = np.zeros(0, dtype=np.int32)
        self._scales: Vectors = np.zeros(0, dtype=np.float32)
        self._locations: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._floats: Vectors | None = np.zeros((0, dimension), dtype=np.float32)  # by row; None for many vectors
        self._lengths: NDArray[np.float64] = np.zeros(0)
        self._used = 0
        self._free: list[int] = []
        self._rows = np.zeros(0, dtype=np.int32)  # by id, −1 for none

    @classmethod
    def read(
        cls,
        snapshot: Snapshot,
        space: SpaceId,
        dimension: int,
        as_of: int,
        between: Callable[[], None] = lambda: None,
    ) -> VectorIndex:
        """Read all vectors of a space in batches, calling `between` after each."""
        index = cls(space, dimension, as_of)
        batches = snapshot.vectors(space, dimension, _SAMPLED)
        sample = next((batch.vectors for batch in batches if len(batch.vectors)), None)
        if sample is not None:
            # Models put all their vectors to one side: signs differ more when taken from the mean of a sample.
            directions = normalised(sample)
            directions = directions[np.isfinite(directions).all(axis=1)]
            index._centre = directions.mean(axis=0) if len(directions) else index._centre
        for batch in snapshot.vectors(space, dimension, _BATCH):
            index._put(snapshot, batch)
            between()
        return index

    @property
    def nbytes(self) -> int:
        of_rows = (self._rows, self._ids, self._scales, self._locations)
        in_segments = (each.codes.nbytes + each.rounded.nbytes for each in self._segments)
        as_they_are = 0 if self._floats is None else self._floats.nbytes
        return sum(each.nbytes for each in of_rows) + sum(in_segments) + as_they_are

    def apply_changes(self, snapshot: Snapshot, changed: Sequence[int], as_of: int) -> None:
        """Replace the vectors of some memories by those they have now."""
        ids = np.array(changed)
        self._rows = grown(self._rows, int(ids.max()) + 1, -1)
        rows = self._rows[ids]
        freed = rows[rows >= 0].tolist()
        self._free += freed
        self.count -= len(freed)
        self._rows[ids] = -1
        present = snapshot.vectors_of(self.space, self.dimension, changed)
        if len(present.ids):
            self._put(snapshot, present)
        self.as_of = as_of

    def nearest(self, snapshot: Snapshot, vector: bytes, mask: FilterMask, limit: int) -> list[tuple[int, float]]:
        """Return the nearest by cosine distance, nearest first, ties broken by id; exact unless `is_approximate`.

        CacheMiss where too many are about equally near.
        """
        asked = normalised(np.frombuffer(vector, dtype=np.float32)[None])[0]
        wanted = _CANDIDATES * self.count**_CANDIDATES_POWER * max(1.0, limit / _CANDIDATES_FOR)
        if self._floats is None or mask.count * _NARROW < self.count:
            rows = self._candidates(asked, mask, int(wanted))
            near = self._possible(rows, self._approximate_cosines(rows, asked), self._error_bounds(rows, asked), limit)
        else:
            near = self._nearest_of_all(self._floats[: self._used], asked, mask, limit)
        ids, distances = self._distances(snapshot, vector, near)
        nearest = np.lexsort((ids, distances))[:limit]
        return list(zip(ids[nearest].tolist(), distances[nearest].tolist(), strict=True))

    def is_approximate(self, mask: FilterMask) -> bool:
        """Return whether only some of the vectors that pass the mask are candidates for the nearest."""
        return min(self.count, mask.count) > EXACT_UP_TO

    def distances(self, snapshot: Snapshot, vector: bytes, ids: Collection[int]) -> list[tuple[int, float]]:
        """Return the exact distance of each of some memories that has a vector with a direction."""
        known = [row for id in ids if id < len(self._rows) and (row := int(self._rows[id])) >= 0]
        found, distances = self._distances(snapshot, vector, np.array(known, dtype=np.intp))
        return list(zip(found.tolist(), distances.tolist(), strict=True))

    def rank(self, snapshot: Snapshot, vector: bytes, mask: FilterMask, id: int) -> int | None:
        """Return the rank of a memory among those that pass the mask, by distance, ties broken by id.

        Most others are surely nearer or surely further by their bytes; only the rest are rescored.
        """
        own = next((distance for _, distance in self.distances(snapshot, vector, (id,))), None)
        if own is None:
            return None
        asked = normalised(np.frombuffer(vector, dtype=np.float32)[None])[0]
        rows = self._passing(mask)
        rows = rows[self._scales[rows] > NO_DIRECTION]
        ahead = self._approximate_cosines(rows, asked) - np.float32(1 - own)
        error = self._error_bounds(rows, asked)
        ids, distances = self._distances(snapshot, vector, rows[np.abs(ahead) <= error])
        nearer = (distances < own) | ((distances == own) & (ids < id))
        return 1 + int(np.count_nonzero(ahead > error)) + int(np.count_nonzero(nearer))

    def _distances(self, snapshot: Snapshot, vector: bytes, rows: Rows) -> tuple[Ids, NDArray[np.float64]]:
        """Return ids and exact distances of some rows; of those that have a direction."""
        if self._floats is None:
            rows = rows[np.argsort(self._locations[rows])]  # in storage order, so that each page is read once
            stored = snapshot.stored_vectors(self.space, self.dimension, self._locations[rows].tolist())
            distances = snapshot.cosine_distances(stored, vector)
        else:
            distances = snapshot.cosine_distances(self._floats[rows], vector, self._lengths[rows])
        have_direction = ~np.isnan(distances)
        return self._ids[rows[have_direction]], distances[have_direction]

    def _nearest_of_all(self, floats: Vectors, asked: Vectors, mask: FilterMask, limit: int) -> Rows:
        """Return the rows that may be among the nearest, by comparing all vectors as they are."""
        cosines = self._cosines_of_all(floats, asked)
        cosines[~mask.flags[self._ids[: self._used]] | (self._lengths[: self._used] == 0)] = -np.inf
        cosines[self._free] = -np.inf
        if limit < len(cosines):
            last = np.partition(cosines, -limit)[-limit]
            rows = np.flatnonzero(cosines >= max(last - np.float32(2 * ROUNDING), _LOWEST))
        else:
            rows = np.flatnonzero(cosines >= _LOWEST)
        if len(rows) > max(limit, _MAX_RESCORED):
            raise CacheMiss
        return rows

    def _cosines_of_all(self, floats: Vectors, asked: Vectors) -> Vectors:
        cosines = np.empty(len(floats), dtype=np.float32)
        for start in range(0, len(floats), _PRODUCTS):
            np.dot(floats[start : start + _PRODUCTS], asked, out=cosines[start : start + _PRODUCTS])
        with np.errstate(all="ignore"):  # of a freed row
            cosines /= self._lengths[: len(floats)].astype(np.float32)
        return cosines

    def _candidates(self, asked: Vectors, mask: FilterMask, wanted: int) -> Rows:
        """Return the rows that pass the mask, or of many about `wanted` of those whose binary codes differ least."""
        if not self.is_approximate(mask):
            return self._passing(mask)
        code = binary_codes((asked > self._centre)[None])[:, 0]
        if mask.count * 2 >= self.count > 0:
            passing = self._candidates_of_all(code, mask, wanted)
            if len(passing) >= wanted * _ENOUGH:
                return passing
        rows = self._passing(mask)
        differing = np.empty(len(rows), dtype=np.uint16)
        for segment, own in self._by_segment(rows):
            hamming_distances(segment.codes[:, rows[own] % SEGMENT], code, differing[own])
        return rows[smallest(differing, wanted, self.dimension)]

    def _passing(self, mask: FilterMask) -> Rows:
        rows = self._rows[mask.ids[mask.ids < len(self._rows)]]
        passing: Rows = np.sort(rows[rows >= 0]).astype(np.intp)
        return passing

    def _candidates_of_all(self, code: NDArray[np.uint64], mask: FilterMask, wanted: int) -> Rows:
        """Return the same by comparing all rows before the mask: faster where most pass, and far too few where the near
        ones do not."""
        differing = np.empty(self._used, dtype=np.uint16)
        for segment, start in zip(self._segments, range(0, self._used, SEGMENT), strict=True):
            own = differing[start : start + SEGMENT]
            hamming_distances(segment.codes[:, : len(own)], code, own)
        differing[self._free] = self.dimension + 1  # further than any
        rows = smallest(differing, int(wanted * max(1.0, self.count / mask.count)) + 1, self.dimension)
        passing: Rows = rows[mask.flags[self._ids[rows]]]
        return passing

    def _possible(self, rows: Rows, cosines: Vectors, errors: Vectors, limit: int) -> Rows:
        """Return the rows that may be among the nearest, as far as rounded numbers show."""
        have_direction = self._scales[rows] > NO_DIRECTION
        if not have_direction.all():
            rows, cosines, errors = rows[have_direction], cosines[have_direction], errors[have_direction]
        if len(rows) > limit:
            # At least `limit` vectors are nearer than this, whatever their rounding errors are.
            surely = np.partition(cosines - errors, -limit)[-limit]
            rows = rows[cosines + errors >= surely]
        if len(rows) > max(limit, _MAX_RESCORED):
            raise CacheMiss
        return rows

    def _error_bounds(self, rows: Rows, asked: Vectors) -> Vectors:
        """Return how far each approximate cosine may be off.

        Rounding moves each number by up to half a step, evenly distributed: the error of the sum has a standard
        deviation of the step · |query| / √12, and is beyond eight of them in less than one of 10^14 cases.
        """
        if self._floats is not None:
            return np.full(len(rows), ROUNDING, dtype=np.float32)
        length = float(np.sqrt(np.vecdot(asked, asked)))
        errors: Vectors = self._scales[rows] * np.float32(_DEVIATIONS * length / 12**0.5) + np.float32(ROUNDING)
        return errors

    def _approximate_cosines(self, rows: Rows, asked: Vectors) -> Vectors:
        cosines = np.empty(len(rows), dtype=np.float32)
        if self._floats is not None:
            np.dot(self._floats.take(rows, axis=0), asked, out=cosines)
            return np.divide(cosines, self._lengths[rows].astype(np.float32), out=cosines)
        for segment, own in self._by_segment(rows):
            for start in range(own.start, own.stop, _BATCH):
                some = slice(start, min(start + _BATCH, own.stop))
                cosines[some] = segment.rounded.take(rows[some] % SEGMENT, axis=0).astype(np.float32) @ asked
        return cosines * self._scales[rows] + self._centre @ asked

    def _by_segment(self, rows: Rows) -> Iterator[tuple[Segment, slice]]:
        """Yield the segments that sorted rows lie in, each with the slice of the rows."""
        if not len(rows):
            return
        for number in range(int(rows[0]) // SEGMENT, int(rows[-1]) // SEGMENT + 1):
            start, end = np.searchsorted(rows, (number * SEGMENT, (number + 1) * SEGMENT))
            if end > start:
                yield self._segments[number], slice(start, end)

    def _put(self, snapshot: Snapshot, batch: VectorBatch) -> None:
        highest = int(batch.ids.max(initial=0))
        if highest > HIGHEST_ID:
            raise CacheMiss
        rows = self._new_rows(len(batch.ids))
        self._rows = grown(self._rows, highest + 1, -1)
        self._rows[batch.ids] = rows
        self._ids, self._locations = grown(self._ids, self._used, -1), grown(self._locations, self._used, 0)
        self._scales = grown(self._scales, self._used, 0)
        self._ids[rows], self._locations[rows] = batch.ids, batch.locations
        self.count += len(batch.ids)
        self._put_floats(snapshot, rows, batch)
        for start in range(0, len(rows), _BATCH):
            some = rows[start : start + _BATCH]
            codes, rounded, self._scales[some] = quantised(batch.vectors[start : start + _BATCH], self._centre)
            for segment, own in self._by_segment(some):
                places = _as_slice(some[own] % SEGMENT)
                segment.codes[:, places] = codes[:, own]
                segment.rounded[places] = rounded[own]

    def _put_floats(self, snapshot: Snapshot, rows: Rows, batch: VectorBatch) -> None:
        """Keep vectors as they are, until there are too many of them."""
        if self._floats is None or self._used > EXACT_UP_TO:
            self._floats = None
            return
        if len(self._floats) < self._used:
            larger = np.zeros((min(EXACT_UP_TO, 2 * self._used), self.dimension), dtype=np.float32)
            larger[: len(self._floats)] = self._floats
            self._floats = larger
            self._lengths = grown(self._lengths, len(larger), 0)
        self._floats[rows], self._lengths[rows] = batch.vectors, snapshot.vector_lengths(batch.vectors)

    def _new_rows(self, count: int) -> Rows:
        """Return unused rows, ascending; freed ones come first."""
        freed = sorted(self._free.pop() for _ in range(min(count, len(self._free))))
        first, self._used = self._used, self._used + count - len(freed)
        while self._used > len(self._segments) * SEGMENT:
            self._segments.append(Segment.empty(self.dimension))
        return np.concatenate([np.array(freed, dtype=np.intp), np.arange(first, self._used)])


def _as_slice(rows: Rows) -> Rows | slice:
    """Return sorted rows as a slice where none is missing in between, which is copied several times as fast."""
    first, last = int(rows[0]), int(rows[-1])
    return slice(first, last + 1) if last - first + 1 == len(rows) else rows
