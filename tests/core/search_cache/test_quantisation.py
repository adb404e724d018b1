"""Quantised vectors: binary codes for candidates, bytes for approximate cosines."""

from __future__ import annotations

import numpy as np
import pytest

from core.search_cache.quantisation import (
    NO_DIRECTION,
    binary_codes,
    hamming_distances,
    normalised,
    quantised,
    smallest,
)

RANDOM = np.random.default_rng(7)


def some(count, dimension=70):
    return RANDOM.normal(size=(count, dimension)).astype(np.float32)


def test_normalised_vectors_have_length_one_and_zeros_stay():
    vectors = np.vstack([some(3), np.zeros((1, 70), dtype=np.float32)])
    assert np.linalg.norm(normalised(vectors), axis=1).tolist() == pytest.approx([1, 1, 1, 0])


def test_bytes_times_their_scale_are_close_to_the_centred_vectors():
    vectors, centre = some(20), np.full(70, 0.01, dtype=np.float32)
    _, numbers, scales = quantised(vectors, centre)
    exact = normalised(vectors) - centre
    assert np.abs(numbers * scales[:, None] - exact).max() <= scales.max() / 2 + 1e-6


def test_a_vector_of_zeros_or_of_no_numbers_has_no_direction():
    vectors = some(3)
    vectors[1], vectors[2, 0] = 0, np.nan
    with np.errstate(invalid="ignore"):
        _, numbers, scales = quantised(vectors, np.zeros(70, dtype=np.float32))
    assert (scales == NO_DIRECTION).tolist() == [False, True, True]
    assert not numbers[1:].any()


def test_hamming_distances_are_the_signs_that_differ():
    signs = some(30, 300) > 0
    codes = binary_codes(signs)
    assert codes.shape == (5, 30)
    total = np.zeros(30, dtype=np.uint16)
    hamming_distances(codes, codes[:, 4], total)
    assert total.tolist() == (signs != signs[4]).sum(axis=1).tolist()


def test_the_smallest_distances_come_with_all_that_equal_the_last():
    distances = np.array([5, 1, 3, 3, 9], dtype=np.uint16)
    assert smallest(distances, 2, 100).tolist() == [1, 2, 3]
    assert smallest(distances, 99, 100).tolist() == [0, 1, 2, 3, 4]
    assert smallest(distances, 99, 4).tolist() == [1, 2, 3], "none above the highest"
