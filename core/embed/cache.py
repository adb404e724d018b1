"""Vectors cached on disk by model and text, so that repeated measurements are fast.

One file a space, of records of one size: 32 bytes that identify the text, one that says whether it was cut, the vector.
A record that a crash left incomplete is skipped. The cache can be deleted at any time.
"""

from __future__ import annotations

import hashlib
from dataclasses import astuple
from pathlib import Path

from core import safe_files
from core.embed.embedder import Embedder
from core.model import Embedding, Space

_NAME = 32


class CachedEmbedder:
    """An embedder that computes only what is not in its cache."""

    is_instant = False

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self.space: Space = embedder.space
        named = hashlib.sha256(repr(astuple(self.space)).encode()).hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / f"{named}.vectors"
        self._known = self._read()

    def embed_document(self, text: str) -> Embedding:
        return self._cached("document", text)

    def embed_query(self, text: str) -> Embedding:
        return self._cached("query", text)

    def _cached(self, kind: str, text: str) -> Embedding:
        name = hashlib.sha256(f"{kind}\0{text}".encode()).digest()
        known = self._known.get(name)
        if known is None:
            embed = self._embedder.embed_query if kind == "query" else self._embedder.embed_document
            known = self._known[name] = embed(text)
            with safe_files.appending(self._file) as file:
                file.write(name + bytes([known.truncated]) + known.vector)
        return known

    def _read(self) -> dict[bytes, Embedding]:
        size = _NAME + 1 + 4 * self.space.dimension
        content = self._file.read_bytes() if self._file.exists() else b""
        whole = len(content) - len(content) % size
        if whole < len(content):
            safe_files.truncate(self._file, whole)
        records = (content[start : start + size] for start in range(0, whole, size))
        return {each[:_NAME]: Embedding(each[_NAME + 1 :], bool(each[_NAME])) for each in records}
