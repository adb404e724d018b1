"""Seeded memories and queries for every benchmark: a Zipf vocabulary, 12 to 40 words a memory, 3 to 12 a query.

The memories are turns of sessions, a minute apart, each about one of a few hundred names."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from datetime import timedelta

from core import draft
from core.changes import Op
from core.embed.embedder import Embedder
from core.services.workspace import Workspace

VOCABULARY = 30_000
SESSION = 20
NAMES = 200
_WORDS = [f"word{n}" for n in range(VOCABULARY)]
_WEIGHTS = list(itertools.accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))


def contents(seed: int = 7) -> Iterator[str]:
    rng = random.Random(seed)
    while True:
        yield " ".join(rng.choices(_WORDS, cum_weights=_WEIGHTS, k=rng.randint(12, 40)))


def queries(count: int, seed: int = 11) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(_WORDS, cum_weights=_WEIGHTS, k=rng.randint(3, 12))) for _ in range(count)]


def fill(workspace: Workspace, size: int, embedder: Embedder | None = None) -> None:
    """So many memories in one operation, with vectors if somebody makes them."""
    with workspace.store.transact(Op.IMPORT, "benchmark") as transaction:
        for number, content in enumerate(itertools.islice(contents(), size)):
            vectors = {embedder.space: embedder.embed_document(content)} if embedder else None
            fields = {
                "content": content,
                "session": f"session {number // SESSION}",
                "entities": [f"Name{number % NAMES}"],
                "created_at": transaction.now - timedelta(minutes=size - number),
            }
            transaction.add_memory(draft.memory(fields, transaction.now), vectors)
