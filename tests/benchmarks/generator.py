"""Seeded memories, vectors and queries for every benchmark.

Texts: a Zipf vocabulary, 12 to 40 words a memory, 3 to 12 a query. The memories are turns of sessions, a minute apart,
each about one of a few hundred names; one in a hundred has a given tag. A smaller set is the beginning of a larger one.

Vectors: 384 numbers in clusters, shaped like those of the models in use. They share a large mean (unrelated memories
have a cosine of 0.66), and the variance falls from direction to direction as 1 / rank, for vectors that spread alike
in all directions would be far too easy to tell apart.

Every question is made of one memory, its only right answer: some of its words among others, and its vector moved.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np

from core import draft
from core.changes import Op
from core.services.workspace import Workspace

SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000, "1M": 1_000_000}
NOW = datetime(2026, 1, 1, tzinfo=UTC)
VOCABULARY = 30_000
SESSION = 20
NAMES = 200
TAGS = 100
DIMENSION = 384
CLUSTERS = 1_000
CHUNK = 10_000
_UNRELATED_COSINE = 0.66
_SPREAD_OF_A_CLUSTER = 0.5
_NOISE_OF_A_QUESTION = 1.4
_SHARE_OF_ITS_WORDS = 0.6
_WORDS = [f"word{n}" for n in range(VOCABULARY)]
_WEIGHTS = list(itertools.accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))
_SPECTRUM = np.sqrt(1 / np.arange(1, DIMENSION + 1))


@dataclass(frozen=True)
class BenchmarkQuestion:
    """A question and the number of the one memory that answers it, counted from 0."""

    text: str
    vector: np.ndarray
    answer: int


def contents(seed: int = 7) -> Iterator[str]:
    rng = random.Random(seed)
    while True:
        yield " ".join(rng.choices(_WORDS, cum_weights=_WEIGHTS, k=rng.randint(12, 40)))


def queries(count: int, seed: int = 11) -> list[str]:
    """Words alone, for what is measured without a right answer."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(_WORDS, cum_weights=_WEIGHTS, k=rng.randint(3, 12))) for _ in range(count)]


def vectors(size: int, seed: int = 7) -> Iterator[np.ndarray]:
    """Unit vectors as float32, so many rows at a time that a million never need to be in memory at once."""
    for chunk in range(-(-size // CHUNK)):
        yield _placed(_latent(seed, chunk)[: size - chunk * CHUNK], seed)


def questions(size: int, count: int = 200, seed: int = 7) -> list[BenchmarkQuestion]:
    rng, count = random.Random(f"questions {seed}"), min(count, size)
    answers = sorted(rng.sample(range(size), count))
    wanted = set(answers)
    texts = {number: text for number, text in enumerate(itertools.islice(contents(seed), size)) if number in wanted}
    noise = np.random.default_rng([seed, 1 << 32]).standard_normal((count, DIMENSION)) * _SPECTRUM
    made = []
    for chunk, of_chunk in itertools.groupby(answers, lambda answer: answer // CHUNK):
        latent = _latent(seed, chunk)
        for answer in of_chunk:
            moved = latent[answer % CHUNK] + _NOISE_OF_A_QUESTION * noise[len(made)]
            made.append(BenchmarkQuestion(_question(texts[answer], rng), _placed(moved[None], seed)[0], answer))
    rng.shuffle(made)
    return made


def fields(number: int, content: str, size: int) -> dict[str, Any]:
    """A memory as it is remembered, before anything is checked."""
    return {
        "content": content,
        "session": f"session {number // SESSION}",
        "entities": [f"Name{number % NAMES}"],
        "tags": [tag(number)],
        "created_at": NOW - timedelta(minutes=size - number),
    }


def tag(number: int) -> str:
    return f"tag{number % TAGS}"


def fill(workspace: Workspace, size: int) -> None:
    """So many memories in one operation, without vectors."""
    with workspace.store.transact(Op.IMPORT, "benchmark") as transaction:
        for number, content in enumerate(itertools.islice(contents(), size)):
            transaction.add_memory(draft.memory(fields(number, content, size), transaction.now))


def _question(text: str, rng: random.Random) -> str:
    known = text.split()
    count = rng.randint(3, 12)
    own = rng.sample(known, round(count * _SHARE_OF_ITS_WORDS))
    others = rng.choices(_WORDS, cum_weights=_WEIGHTS, k=count - len(own))
    asked = [*own, *others]
    rng.shuffle(asked)
    return " ".join(asked)


@cache
def _directions(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The centres of the clusters, how the directions lie among the coordinates, and the mean that all share."""
    rng = np.random.default_rng([seed, 2 << 32])
    centres = rng.standard_normal((CLUSTERS, DIMENSION)) * _SPECTRUM
    rotation = np.linalg.qr(rng.standard_normal((DIMENSION, DIMENSION)))[0]
    mean = rng.standard_normal(DIMENSION)
    return centres, rotation, mean / np.linalg.norm(mean)


def _latent(seed: int, chunk: int) -> np.ndarray:
    rng = np.random.default_rng([seed, chunk])
    centres = _directions(seed)[0][rng.integers(CLUSTERS, size=CHUNK)]
    return centres + _SPREAD_OF_A_CLUSTER * _SPECTRUM * rng.standard_normal((CHUNK, DIMENSION))


def _placed(latent: np.ndarray, seed: int) -> np.ndarray:
    _, rotation, mean = _directions(seed)
    turned = latent @ rotation
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    placed = np.sqrt(_UNRELATED_COSINE) * mean + np.sqrt(1 - _UNRELATED_COSINE) * turned
    return (placed / np.linalg.norm(placed, axis=1, keepdims=True)).astype(np.float32)
