"""The number of tokens of every memory, field by field: BM25 normalises by the length of the searched fields."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from core.search_cache.arrays import grown
from core.search_types import FIELDS

Lengths = NDArray[np.int32]  # by id


class FieldLengths:
    """`total` is the length over all fields, −1 where there is no memory.

    A single field takes one byte a memory as long as none has more than 255 tokens in it.
    """

    def __init__(self, highest: int, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """`lengths` are the tokens in each field of each of the ids, one memory after the other."""
        self.total: Lengths = np.zeros(0, dtype=np.int32)
        self._fields = [np.zeros(0, dtype=np.uint8) for _ in FIELDS]
        self._sums: dict[tuple[int, ...], Lengths] = {}
        self.grow(highest + 1_001)
        self.replace(ids, ids, lengths)

    @property
    def nbytes(self) -> int:
        sums = sum(each.nbytes for each in self._sums.values())
        return self.total.nbytes + sums + sum(each.nbytes for each in self._fields)

    def grow(self, size: int) -> None:
        """Make room for ids below `size`."""
        self.total = grown(self.total, size, -1)
        if more := len(self.total) - len(self._fields[0]):
            self._fields = [np.concatenate([each, np.zeros(more, dtype=each.dtype)]) for each in self._fields]

    def replace(self, changed: NDArray[np.signedinteger], ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Set the lengths of some memories; a changed memory that is not among the ids is gone."""
        self.total[changed] = -1
        self.total[ids] = 0
        for number, before in enumerate(self._fields):
            own = lengths[number :: len(FIELDS)]
            kind = np.promote_types(before.dtype, np.min_scalar_type(int(own.max(initial=0))))
            column = self._fields[number] = before.astype(kind, copy=False)
            column[changed] = 0
            column[ids] = own
            self.total[ids] += own.astype(np.int32)
        self._sums.clear()

    def of(self, fields: Iterable[int]) -> Lengths:
        """Return the length of every memory over some fields, given by number; arbitrary where there is no memory."""
        searched = tuple(sorted(fields))
        if len(searched) == len(FIELDS):
            return self.total
        if searched not in self._sums:
            total = np.zeros(len(self.total), dtype=np.int32)
            for number in searched:
                total += self._fields[number].astype(np.int32)
            self._sums[searched] = total
        return self._sums[searched]
