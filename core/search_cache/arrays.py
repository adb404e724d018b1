"""Arrays that grow, and lookup in sorted ids."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Rows = NDArray[np.intp]
Number = TypeVar("Number", bound=np.generic)


def grown(array: NDArray[Number], size: int, fill: int) -> NDArray[Number]:
    """Return an array with room for at least `size` elements, plus a quarter: growing one by one seldom copies."""
    if len(array) >= size:
        return array
    larger = np.full(size + size // 4 + 64, fill, dtype=array.dtype)
    larger[: len(array)] = array
    return larger


def positions(wanted: Ids, among: Ids) -> tuple[Rows, NDArray[np.bool_]]:
    """Return the position of each wanted id among sorted ids, and whether it is there at all."""
    if not len(among):
        return np.zeros(len(wanted), dtype=np.intp), np.zeros(len(wanted), dtype=bool)
    at = among.searchsorted(wanted)
    np.minimum(at, len(among) - 1, out=at)
    return at, among[at] == wanted
