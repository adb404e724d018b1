"""A deterministic replacement for tests that need vectors fast: it knows letters, not meaning. Never offered to
users."""

from __future__ import annotations

import hashlib

from core import text as words
from core.embed import recipe
from core.embed.embedder import packed_unit_vector
from core.model import Embedding, Space


class HashingEmbedder:
    is_instant = True

    def __init__(self, dimension: int = 32, model: str = "test/hashing") -> None:
        self.space = Space(model, "1", dimension, "", recipe.RECIPE)

    def embed_document(self, text: str) -> Embedding:
        numbers = [1e-3] * self.space.dimension
        for word in words.query_words(text):
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            numbers[int.from_bytes(digest[:4], "big") % self.space.dimension] += 1 if digest[4] % 2 else -1
        return Embedding(packed_unit_vector(numbers, self.space.dimension))

    def embed_query(self, text: str) -> Embedding:
        return self.embed_document(text)
