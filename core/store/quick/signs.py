"""The vectors of a space, small: one bit a number to find who may be near, one byte a number to tell who is.

Two vectors that point the same way agree in the signs of most of their numbers, and counting where signs differ is a
hundred times cheaper than multiplying. Those who differ least are compared by their numbers rounded to a byte, and the
nearest of these by vec0's own function over the very vectors of the file, so that every cosine is the exact one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from core.store.quick.masks import Mask
from core.store.quick.numbers import Ids, Rows, grown
from core.store.sqlite import vectors
from core.store.sqlite.from_memory import HIGHEST_ID, NotInMemory
from core.store.sqlite.rows import among

Vectors = NDArray[np.float32]

# Rows of one segment: its signs fit into a processor's cache, and growing never copies more than is there.
SEGMENT = 65_536

# How many of N are compared by bytes to find the nearest 40, 320 · N^0.2, and for more as many times more: 2,000 of ten
# thousand and 3,200 of a hundred thousand keep all but about one in a thousand of them.
_COMPARED = 320
_COMPARED_POWER = 0.2
_COMPARED_FOR = 40
_ENOUGH = 0.9  # of them; fewer are left when a filter keeps out those who are near
_AT_ONCE = 256  # few enough that their numbers stay in the processor's cache
_SPARE = 8
_WORDS_IN_A_BYTE = 3  # so many words of 64 signs differ in no more than a byte can count
_SAMPLED = 4_096  # vectors that tell where the middle of all of them is
_NOWHERE = 1e-20  # the step of a vector of zeros is less
_INEXACT = 1e-5  # more than float32 products differ by the order in which they are added
_EQUAL = 1e-6  # cosines by bytes that differ only in the order in which the products were added


@dataclass(frozen=True, slots=True)
class Segment:
    """The signs and the bytes of some rows, which are by far the most of what is kept."""

    signs: NDArray[np.uint64]
    rounded: NDArray[np.int8]

    @classmethod
    def empty(cls, dimension: int) -> Segment:
        words = (dimension + 63) // 64
        return cls(np.zeros((words, SEGMENT), dtype=np.uint64), np.zeros((SEGMENT, dimension), dtype=np.int8))


class Signs:
    """All vectors of a space; `as_of` is the number of the log up to which they are followed."""

    def __init__(self, space: vectors.SpaceId, dimension: int, as_of: int) -> None:
        self.space, self.dimension, self.as_of = space, dimension, as_of
        self.count = 0
        self._middle = np.zeros(dimension, dtype=np.float32)
        self._segments: list[Segment] = []
        # Of each row: the memory, what its bytes are multiplied by, its vec0 chunk and its place in that.
        self._ids: Ids = np.zeros(0, dtype=np.int32)
        self._scales: Vectors = np.zeros(0, dtype=np.float32)
        self._chunks: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._offsets: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._used = 0
        self._free: list[int] = []
        self._rows = np.zeros(0, dtype=np.int32)  # by id, −1 for none

    @classmethod
    def read(
        cls,
        connection: apsw.Connection,
        space: vectors.SpaceId,
        dimension: int,
        as_of: int,
        between: Callable[[], None] = lambda: None,
    ) -> Signs:
        """Read them all, some at once; `between` is called in between."""
        signs = cls(space, dimension, as_of)
        sample = next((found for *_, found in _vectors(connection, space, dimension, _SAMPLED) if len(found)), None)
        if sample is not None:
            # Models put all their vectors to one side: signs tell more when taken from the middle of a sample.
            signs._middle = _of_length_one(sample).mean(axis=0)
        for chunks, ids, offsets, found in _vectors(connection, space, dimension, _AT_ONCE):
            signs._put(ids, chunks, offsets, found)
            between()
        return signs

    @property
    def size(self) -> int:
        of_rows = (self._rows, self._ids, self._scales, self._chunks, self._offsets)
        in_segments = (each.signs.nbytes + each.rounded.nbytes for each in self._segments)
        return sum(each.nbytes for each in of_rows) + sum(in_segments)

    def follow(self, connection: apsw.Connection, changed: Sequence[int], as_of: int) -> None:
        """Take in what became of some memories' vectors."""
        ids_again = np.array(changed)
        self._rows = grown(self._rows, int(ids_again.max()) + 1, -1)
        rows = self._rows[ids_again]
        freed = rows[rows >= 0].tolist()
        self._free += freed
        self.count -= len(freed)
        self._rows[ids_again] = -1
        some, asked = among("rowid", changed)
        present: list[Any] = connection.execute(
            f"select chunk_id, chunk_offset, rowid from {vectors.table(self.space)}_rowids where {some}", asked
        ).fetchall()
        if present:
            chunks, offsets, ids = zip(*sorted(present), strict=True)
            found = np.frombuffer(b"".join(self._side_by_side(connection, chunks, offsets)), dtype=np.float32)
            self._put(np.array(ids), np.array(chunks), np.array(offsets), found.reshape(len(ids), -1))
        self.as_of = as_of

    def nearest(self, connection: apsw.Connection, vector: bytes, mask: Mask, limit: int) -> list[tuple[int, float]]:
        """The nearest by cosine distance, nearest first, equals by id."""
        asked = _of_length_one(np.frombuffer(vector, dtype=np.float32)[None])[0]
        most = _COMPARED * self.count**_COMPARED_POWER * max(1.0, limit / _COMPARED_FOR)
        rows = self._compared(asked, mask, int(most))
        cosines = self._by_bytes(rows, asked)
        near = self._nearest_by_bytes(rows, cosines, limit + _SPARE)
        return sorted(self._distances(connection, vector, near), key=lambda each: (each[1], each[0]))[:limit]

    def distances(self, connection: apsw.Connection, vector: bytes, ids: Collection[int]) -> list[tuple[int, float]]:
        """The exact distance of each of some memories that has a vector, and one that points somewhere."""
        known = [row for id in ids if id < len(self._rows) and (row := int(self._rows[id])) >= 0]
        return self._distances(connection, vector, np.array(known, dtype=np.intp))

    def rank(self, connection: apsw.Connection, vector: bytes, mask: Mask, id: int) -> int | None:
        """Where a memory stands among those that the mask lets through, by distance, equals by id. Of most others their
        bytes tell already on which side of it they are; of the rest the exact distance does."""
        own = next((distance for _, distance in self.distances(connection, vector, (id,))), None)
        if own is None:
            return None
        asked = _of_length_one(np.frombuffer(vector, dtype=np.float32)[None])[0]
        rows = self._passing(mask)
        rows = rows[self._scales[rows] > _NOWHERE]
        ahead = self._by_bytes(rows, asked) - np.float32(1 - own)
        # Rounding moves each number by half a step at most.
        doubt = self._scales[rows] * (np.abs(asked).sum() / 2) + _INEXACT
        unsure = self._distances(connection, vector, rows[np.abs(ahead) <= doubt])
        return 1 + int(np.count_nonzero(ahead > doubt)) + sum((other, each) < (own, id) for each, other in unsure)

    def _distances(self, connection: apsw.Connection, vector: bytes, rows: Rows) -> list[tuple[int, float]]:
        if not len(rows):
            return []
        rows = rows[np.lexsort((self._offsets[rows], self._chunks[rows]))]  # chunk by chunk, as they lie in the file
        exact = self._exact(connection, self._chunks[rows].tolist(), self._offsets[rows].tolist())
        distances = connection.executemany("select vec_distance_cosine(?, ?)", ((each, vector) for each in exact))
        ids = self._ids[rows].tolist()
        return [(id, distance) for id, (distance,) in zip(ids, distances, strict=True) if distance is not None]

    def _compared(self, asked: Vectors, mask: Mask, most: int) -> Rows:
        """The rows whose signs differ least, about so many of those that the mask lets through."""
        code = _packed((asked > self._middle)[None])[:, 0]
        if mask.count * 2 >= self.count > 0:
            passing = self._least_of_all(code, mask, most)
            if len(passing) >= most * _ENOUGH:
                return passing
        rows = self._passing(mask)
        differing = np.empty(len(rows), dtype=np.uint16)
        for segment, own in self._by_segment(rows):
            _differing(segment.signs[:, rows[own] % SEGMENT], code, differing[own])
        return rows[_least(differing, most, self.dimension)]

    def _passing(self, mask: Mask) -> Rows:
        rows = self._rows[mask.ids[mask.ids < len(self._rows)]]
        passing: Rows = np.sort(rows[rows >= 0]).astype(np.intp)
        return passing

    def _least_of_all(self, code: NDArray[np.uint64], mask: Mask, most: int) -> Rows:
        """The same by a look at everybody: quicker where most pass, and far too few where those near do not."""
        differing = np.empty(self._used, dtype=np.uint16)
        for segment, start in zip(self._segments, range(0, self._used, SEGMENT), strict=True):
            own = differing[start : start + SEGMENT]
            _differing(segment.signs[:, : len(own)], code, own)
        differing[self._free] = self.dimension + 1  # further than any
        rows = _least(differing, int(most * max(1.0, self.count / mask.count)) + 1, self.dimension)
        passing: Rows = rows[mask.flags[self._ids[rows]]]
        return passing

    def _nearest_by_bytes(self, rows: Rows, cosines: Vectors, most: int) -> Rows:
        """So many, and besides them as many, by id, of those who are as near as the last: perhaps the same vector."""
        if len(rows) <= most:
            return rows
        last = np.partition(cosines, -most)[-most]
        equals = rows[np.abs(cosines - last) <= _EQUAL]
        by_id = np.argsort(self._ids[equals])[:most]
        return np.concatenate([rows[cosines > last + _EQUAL], equals[by_id]])

    def _by_bytes(self, rows: Rows, asked: Vectors) -> Vectors:
        cosines = np.empty(len(rows), dtype=np.float32)
        for segment, own in self._by_segment(rows):
            for start in range(own.start, own.stop, _AT_ONCE):
                some = slice(start, min(start + _AT_ONCE, own.stop))
                cosines[some] = segment.rounded.take(rows[some] % SEGMENT, axis=0).astype(np.float32) @ asked
        return cosines * self._scales[rows]

    def _by_segment(self, rows: Rows) -> Iterator[tuple[Segment, slice]]:
        """The segments that sorted rows lie in, each with which of the rows."""
        if not len(rows):
            return
        for number in range(int(rows[0]) // SEGMENT, int(rows[-1]) // SEGMENT + 1):
            start, end = np.searchsorted(rows, (number * SEGMENT, (number + 1) * SEGMENT))
            if end > start:
                yield self._segments[number], slice(start, end)

    def _exact(self, connection: apsw.Connection, chunks: Sequence[int], offsets: Sequence[int]) -> Iterator[bytes]:
        """The vectors themselves, of places in the order in which they lie in the file."""
        size = self.dimension * 4
        for some in self._side_by_side(connection, chunks, offsets):
            for start in range(0, len(some), size):
                yield some[start : start + size]

    def _side_by_side(
        self, connection: apsw.Connection, chunks: Sequence[int], offsets: Sequence[int]
    ) -> Iterator[bytes]:
        """The same, those that lie side by side together; straight from where vec0 keeps them: asking it for one by one
        is slow."""
        size, blob, open_chunk = self.dimension * 4, None, None
        try:
            for chunk, first, last in _runs(chunks, offsets):
                if blob is None:
                    blob = connection.blob_open(
                        "main", f"{vectors.table(self.space)}_vector_chunks00", "vectors", chunk, False
                    )
                elif chunk != open_chunk:
                    blob.reopen(chunk)
                open_chunk = chunk
                blob.seek(first * size)
                yield blob.read((last - first + 1) * size)
        finally:
            if blob is not None:
                blob.close()

    def _put(
        self, ids: NDArray[np.int64], chunks: NDArray[np.int64], offsets: NDArray[np.int64], found: Vectors
    ) -> None:
        highest = int(ids.max(initial=0))
        if highest > HIGHEST_ID:
            raise NotInMemory
        rows = self._new_rows(len(ids))
        self._rows = grown(self._rows, highest + 1, -1)
        self._rows[ids] = rows
        self._ids, self._chunks = grown(self._ids, self._used, -1), grown(self._chunks, self._used, 0)
        self._scales, self._offsets = grown(self._scales, self._used, 0), grown(self._offsets, self._used, 0)
        self._ids[rows], self._chunks[rows], self._offsets[rows] = ids, chunks, offsets
        self.count += len(ids)
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            signs, rounded, self._scales[some] = _small(found[start : start + _AT_ONCE], self._middle)
            for segment, own in self._by_segment(some):
                places = _as_slice(some[own] % SEGMENT)
                segment.signs[:, places] = signs[:, own]
                segment.rounded[places] = rounded[own]

    def _new_rows(self, count: int) -> Rows:
        """Rows that nobody has, in order; those that were given back come first."""
        freed = sorted(self._free.pop() for _ in range(min(count, len(self._free))))
        first, self._used = self._used, self._used + count - len(freed)
        while self._used > len(self._segments) * SEGMENT:
            self._segments.append(Segment.empty(self.dimension))
        return np.concatenate([np.array(freed, dtype=np.intp), np.arange(first, self._used)])


def _runs(chunks: Sequence[int], offsets: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Chunk, first and last offset of those that follow one another without a gap."""
    begun: tuple[int, int, int] | None = None
    for chunk, offset in zip(chunks, offsets, strict=True):
        if begun is not None and begun[0] == chunk and begun[2] == offset - 1:
            begun = (chunk, begun[1], offset)
        else:
            if begun is not None:
                yield begun
            begun = (chunk, offset, offset)
    if begun is not None:
        yield begun


def _as_slice(rows: Rows) -> Rows | slice:
    """Sorted rows as a slice where none is missing in between, which is copied several times as quickly."""
    first, last = int(rows[0]), int(rows[-1])
    return slice(first, last + 1) if last - first + 1 == len(rows) else rows


def _vectors(
    connection: apsw.Connection, space: vectors.SpaceId, dimension: int, about: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Vectors]]:
    """All vectors straight from vec0's own chunks, about so many at once: of each its chunk, its memory, its place in
    the chunk, and its numbers."""
    table = vectors.table(space)
    found = connection.execute(
        f"select c.chunk_id, c.validity, c.rowids, v.vectors from {table}_chunks c"
        f" join {table}_vector_chunks00 v on v.rowid = c.chunk_id"
    )
    size = 16  # of a chunk, until the first one tells
    while some := list(itertools.islice(found, max(1, about // size))):
        chunks, validities, rowids, held = zip(*some, strict=True)
        size = len(validities[0]) * 8
        at = np.flatnonzero(np.unpackbits(np.frombuffer(b"".join(validities), dtype=np.uint8), bitorder="little"))
        numbers = np.frombuffer(b"".join(held), dtype=np.float32).reshape(-1, dimension)
        ids = np.frombuffer(b"".join(rowids), dtype=np.int64)
        if len(at) < len(ids):
            ids, numbers = ids[at], numbers[at]
        yield np.array(chunks)[at // size], ids, at % size, numbers


def _of_length_one(found: Vectors) -> Vectors:
    return found / _lengths(found)[:, None]


def _small(found: Vectors, middle: Vectors) -> tuple[NDArray[np.uint64], NDArray[np.int8], Vectors]:
    """The signs of some vectors, seen from the middle, their numbers as bytes, and what to multiply these by to have
    vectors of length one. Every number of a store goes through this: it is multiplied once, and its vector is not made
    one of length one first."""
    lengths = _lengths(found)
    highest = np.maximum(np.abs(found).max(axis=1, initial=0), np.float32(1e-30))
    rounded = found * (127 / highest)[:, None]
    are_of_length_one = np.abs(lengths - 1).max(initial=0) < _INEXACT  # as most models hand them out
    signs = _packed(found > (middle if are_of_length_one else lengths[:, None] * middle))
    return signs, np.rint(rounded, out=rounded).astype(np.int8), highest / lengths / 127


def _lengths(found: Vectors) -> Vectors:
    """The length of each vector; 1 for one of zeros, which stays as it is."""
    lengths = np.sqrt(np.vecdot(found, found))
    return np.where(lengths > 0, lengths, np.float32(1))


def _packed(are_positive: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The signs of each vector as whole words, word by word: (words, vectors)."""
    bits = np.packbits(are_positive, axis=1)
    padded = np.zeros((len(bits), (bits.shape[1] + 7) // 8 * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _differing(signs: NDArray[np.uint64], code: NDArray[np.uint64], total: NDArray[np.uint16]) -> None:
    """In how many signs each vector differs from a code: put down as the total."""
    differing = np.empty_like(signs[0])
    some, count = np.empty((2, signs.shape[1]), dtype=np.uint8)
    total[:] = 0
    for start in range(0, len(signs), _WORDS_IN_A_BYTE):
        np.bitwise_count(np.bitwise_xor(signs[start], code[start], out=differing), out=some)
        for number in range(start + 1, min(start + _WORDS_IN_A_BYTE, len(signs))):
            some += np.bitwise_count(np.bitwise_xor(signs[number], code[number], out=differing), out=count)
        total += some


def _least(differing: NDArray[np.uint16], most: int, highest: int) -> Rows:
    """Where the smallest numbers stand, in order of place: so many, and all that are equal to the last of them; none
    above the highest."""
    low, high = (highest if most >= len(differing) else 0), highest
    while low < high:  # comparing all of them nine times takes a fifth of what a partition does
        middle = (low + high) // 2
        if np.count_nonzero(differing <= middle) >= most:
            high = middle
        else:
            low = middle + 1
    return np.flatnonzero(differing <= low)
