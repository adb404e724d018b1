"""The workload of the benchmarks is the same for every peer, every time, and shaped as it says."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from tests.benchmarks import generator

SIZE = 3_000


@pytest.fixture(scope="module")
def vectors():
    return np.concatenate(list(generator.vectors(SIZE)))


def test_the_same_seed_makes_the_same_workload_and_another_seed_another():
    assert list(islice(generator.contents(), 50)) == list(islice(generator.contents(), 50))
    assert list(islice(generator.contents(8), 50)) != list(islice(generator.contents(), 50))
    first, again, other = (next(generator.vectors(50, seed)) for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    once, twice = generator.questions(500, 20), generator.questions(500, 20)
    assert [(each.text, each.answer) for each in once] == [(each.text, each.answer) for each in twice]
    assert all(np.array_equal(a.vector, b.vector) for a, b in zip(once, twice, strict=True))


def test_a_smaller_set_is_the_beginning_of_a_larger_one(vectors):
    chunks = list(generator.vectors(generator.CHUNK + 5))
    assert [len(chunk) for chunk in chunks] == [generator.CHUNK, 5]
    assert np.array_equal(chunks[0][:SIZE], vectors)


def test_memories_have_12_to_40_words_and_questions_3_to_12():
    lengths = {len(text.split()) for text in islice(generator.contents(), SIZE)}
    assert lengths == set(range(12, 41))
    assert {len(each.text.split()) for each in generator.questions(SIZE)} == set(range(3, 13))


def test_words_are_as_frequent_as_zipf_says():
    counts = Counter(word for text in islice(generator.contents(), SIZE) for word in text.split())
    assert counts["word0"] / counts["word9"] == pytest.approx(10, rel=0.2)
    assert counts["word9"] / counts["word99"] == pytest.approx(10, rel=0.4)
    assert len(counts) > generator.VOCABULARY / 3, "and most words are rare"


def test_vectors_are_of_length_1_and_lie_in_clusters_around_a_mean_that_all_share(vectors):
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    cosines = vectors[:200] @ vectors.T
    assert cosines.mean() == pytest.approx(0.66, abs=0.02)
    nearest = np.sort(cosines, axis=1)[:, -2]
    assert np.median(nearest) > 0.85, "a memory has neighbours of its own cluster"


def test_a_questions_answer_shares_words_with_it_and_is_usually_among_the_nearest(vectors):
    texts = list(islice(generator.contents(), SIZE))
    asked = generator.questions(SIZE)
    assert len({each.answer for each in asked}) == len(asked) == 200
    for each in asked:
        known = texts[each.answer].split()
        assert sum(word in known for word in each.text.split()) >= len(each.text.split()) / 2
    cosines = np.stack([each.vector for each in asked]) @ vectors.T
    own = cosines[np.arange(200), [each.answer for each in asked]]
    hits = ((cosines > own[:, None]).sum(axis=1) < 5).mean()
    assert 0.8 < hits < 1, "neither hopeless nor given away by vectors alone"


def test_one_memory_in_a_hundred_has_a_given_tag():
    tags = Counter(generator.fields(number, "x", SIZE)["tags"][0] for number in range(SIZE))
    assert set(tags.values()) == {SIZE // 100}
