"""Quantised vectors: one byte a number for approximate cosines, one bit a number (binary codes) for candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.search_cache.arrays import Rows
from core.search_cache.feed import Vectors

ROUNDING = 1e-5  # more than float32 dot products differ by the order of addition
NO_DIRECTION = 0.0  # the scale of a vector of zeros, or of what are no numbers

_WORDS_IN_A_BYTE = 3  # the bits that differ in three words of 64 bits are counted in one byte


def normalised(vectors: Vectors) -> Vectors:
    """Return the vectors scaled to length one; a vector of zeros stays as it is."""
    return vectors / _lengths(vectors)[:, None]


def quantised(vectors: Vectors, centre: Vectors) -> tuple[NDArray[np.uint64], NDArray[np.int8], Vectors]:
    """Return binary codes, int8 numbers and the scale of these, of the normalised vectors' differences from a centre.

    The scale is `NO_DIRECTION` for a vector that has none.
    """
    length = _lengths(vectors)
    are_normalised = np.abs(length - 1).max(initial=0) < ROUNDING  # as most models return them
    centred = (vectors if are_normalised else vectors / length[:, None]) - centre
    highest = np.maximum(np.abs(centred).max(axis=1, initial=0), np.float32(1e-30))
    have_direction = np.isfinite(highest) & vectors.any(axis=1)
    if not have_direction.all():
        centred[~have_direction], highest[~have_direction] = 0, 1
    codes = binary_codes(centred > 0)
    rounded = np.multiply(centred, (127 / highest)[:, None], out=centred)
    scales = np.where(have_direction, highest / 127, np.float32(NO_DIRECTION))
    return codes, np.rint(rounded, out=rounded).astype(np.int8), scales


def binary_codes(are_positive: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return the signs of each vector as words of 64 bits, word by word: (words, vectors)."""
    bits = np.packbits(are_positive, axis=1)
    padded = np.zeros((len(bits), (bits.shape[1] + 7) // 8 * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def hamming_distances(codes: NDArray[np.uint64], code: NDArray[np.uint64], total: NDArray[np.uint16]) -> None:
    """Write into `total` in how many bits each of the codes differs from one."""
    differing = np.empty_like(codes[0])
    some, count = np.empty((2, codes.shape[1]), dtype=np.uint8)
    total[:] = 0
    for start in range(0, len(codes), _WORDS_IN_A_BYTE):
        np.bitwise_count(np.bitwise_xor(codes[start], code[start], out=differing), out=some)
        for number in range(start + 1, min(start + _WORDS_IN_A_BYTE, len(codes))):
            some += np.bitwise_count(np.bitwise_xor(codes[number], code[number], out=differing), out=count)
        total += some


def smallest(distances: NDArray[np.uint16], wanted: int, highest: int) -> Rows:
    """Return the positions of the smallest distances, ascending: `wanted` of them and all that equal the last, but none
    above the highest."""
    low, high = (highest if wanted >= len(distances) else 0), highest
    while low < high:  # comparing all of them nine times takes a fifth of what a partition does
        middle = (low + high) // 2
        if np.count_nonzero(distances <= middle) >= wanted:
            high = middle
        else:
            low = middle + 1
    return np.flatnonzero(distances <= low)


def _lengths(vectors: Vectors) -> Vectors:
    """Return the length of each vector; 1 for one of zeros."""
    length = np.sqrt(np.vecdot(vectors, vectors))
    return np.where(length > 0, length, np.float32(1))
