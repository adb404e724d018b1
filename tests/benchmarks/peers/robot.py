"""robotmem: full text and vec0 joined by reciprocal ranks; its recall also writes down what it returned."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

INSTALL = ("robotmem",)
MODES = ("hybrid",)
NOTE = "its recall writes access counts; texts are cut at 300 characters, as it does; no model, the vectors are given"


class Given:
    """In place of its model: hands out the vector of the moment."""

    available, unavailable_reason, model, dim = True, "", "given", 384

    def __init__(self) -> None:
        self.vector: list[float] = []

    def embed_one_sync(self, text: str) -> list[float]:
        return self.vector


class Peer:
    def __init__(self, folder: Path) -> None:
        os.environ["ROBOTMEM_HOME"] = str(folder)
        from robotmem.sdk import RobotMemory

        self._given = Given()
        self._memory = RobotMemory(folder / "memory.db", embed_backend="none")
        self._memory._embedder = self._given
        if not self._memory._db.vec_loaded:
            raise RuntimeError("it cannot load sqlite-vec here, and would answer by words alone")

    def load(self, texts: list[str], vectors: Any) -> None:
        from robotmem.ops.memories import insert_memory

        # As `learn` stores, without its search for copies, which other peers do not do either.
        database = self._memory._db
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
            fields = {"content": text, "collection": "default", "embedding": vector.tobytes(), "confidence": 0.9}
            if insert_memory(database.conn, fields, vec_loaded=database.vec_loaded) != number + 1:
                raise RuntimeError(f"memory {number} was not stored")

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        self._given.vector = vector.tolist()
        return [found["id"] - 1 for found in self._memory.recall(text, n=k)]

    def close(self) -> None:
        self._memory.close()
