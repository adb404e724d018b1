"""Numbers from SQLite by the million: joined into one text there and taken apart here, without a row in Python."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Rows = NDArray[np.intp]
Number = TypeVar("Number", bound=np.generic)


def parsed(joined: str | None) -> NDArray[np.int64]:
    """The numbers of a `group_concat`."""
    return np.fromstring(joined or "", dtype=np.int64, sep=",")


def grown(array: NDArray[Number], size: int, fill: int) -> NDArray[Number]:
    """An array with room for so many; with some to spare, so that growing one by one copies seldom."""
    if len(array) >= size:
        return array
    larger = np.full(size + size // 4 + 64, fill, dtype=array.dtype)
    larger[: len(array)] = array
    return larger


def places(wanted: Ids, among: Ids) -> tuple[Rows, NDArray[np.bool_]]:
    """Where each of the wanted stands among sorted ids, and whether it is there at all."""
    if not len(among):
        return np.zeros(len(wanted), dtype=np.intp), np.zeros(len(wanted), dtype=bool)
    at = among.searchsorted(wanted)
    np.minimum(at, len(among) - 1, out=at)
    return at, among[at] == wanted
