"""mcp-memory-service: its sqlite-vec storage, asked as its hybrid search asks it, with the vectors given."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

INSTALL = ("mcp-memory-service",)
MODES = ("hybrid", "vectors")
NOTE = "its own weights of words and vectors; no model, the vectors are given"


class Given:
    """In place of its model: hands out the vector that belongs to the text."""

    def __init__(self) -> None:
        self.vectors: dict[str, Any] = {}

    def encode(self, texts: list[str], convert_to_numpy: bool = False) -> list[Any]:
        return [self.vectors[text] for text in texts]


class Peer:
    def __init__(self, folder: Path) -> None:
        for name in ("MCP_MEMORY_BASE_DIR", "HOME"):
            os.environ[name] = str(folder)
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        given = self._given = Given()

        class Storage(SqliteVecMemoryStorage):
            async def _initialize_embedding_model(self) -> None:
                self.embedding_model, self.embedding_dimension = given, 384

        self._loop = asyncio.new_event_loop()
        self._storage = Storage(str(folder / "memories.db"))
        self._storage.enable_cache = False
        self._loop.run_until_complete(self._storage.initialize())

    def load(self, texts: list[str], vectors: Any) -> None:
        from mcp_memory_service.models.memory import Memory

        for start in range(0, len(texts), 1_000):
            numbers = range(start, min(start + 1_000, len(texts)))
            self._given.vectors = {texts[number]: vectors[number] for number in numbers}
            memories = [
                Memory(content=texts[number], content_hash=f"{number:064d}", tags=[], metadata={}) for number in numbers
            ]
            stored = self._loop.run_until_complete(self._storage.store_batch(memories))
            if not all(is_stored for is_stored, _ in stored):
                raise RuntimeError(next(why for is_stored, why in stored if not is_stored))

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        self._given.vectors = {text: vector}
        ask = self._storage.retrieve_hybrid if mode == "hybrid" else self._storage.retrieve
        return [int(each.memory.content_hash) for each in self._loop.run_until_complete(ask(text, k))]

    def close(self) -> None:
        pass
