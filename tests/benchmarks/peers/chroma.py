"""chromadb: vectors alone; its full text filters and does not rank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

INSTALL = ("chromadb",)
MODES = ("vectors",)
NOTE = "vectors alone: its full text filters and does not rank"


class Peer:
    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._memories = self._client.get_or_create_collection(
            "memories", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def load(self, texts: list[str], vectors: Any) -> None:
        most = min(5_000, self._client.get_max_batch_size())
        for start in range(0, len(texts), most):
            stop = min(start + most, len(texts))
            ids = [str(number) for number in range(start, stop)]
            self._memories.add(ids=ids, documents=texts[start:stop], embeddings=vectors[start:stop])

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        found = self._memories.query(query_embeddings=[vector], n_results=k, include=["documents", "distances"])
        return [int(id) for id in found["ids"][0]]

    def close(self) -> None:
        pass
