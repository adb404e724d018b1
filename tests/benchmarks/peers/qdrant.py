"""qdrant-edge: its own BM25 as sparse vectors and an HNSW index, joined by reciprocal ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

INSTALL = ("qdrant-edge-py",)
MODES = ("hybrid", "vectors")
NOTE = "its own BM25 and RRF (k = 60)"


class Peer:
    def __init__(self, folder: Path) -> None:
        import qdrant_edge as edge

        self._edge = edge
        self._bm25 = edge.Bm25(edge.Bm25Config(avg_len=26.0))
        shard = folder / "shard"
        if shard.exists():
            self._shard = edge.EdgeShard.load(str(shard))
        else:
            shard.mkdir(parents=True)
            config = edge.EdgeConfig(
                vectors={"meaning": edge.EdgeVectorParams(size=384, distance=edge.Distance.Cosine)},
                sparse_vectors={"words": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            )
            self._shard = edge.EdgeShard.create(str(shard), config)

    def load(self, texts: list[str], vectors: Any) -> None:
        edge = self._edge
        for start in range(0, len(texts), 2_000):
            points = [
                edge.Point(
                    number,
                    {"meaning": vectors[number].tolist(), "words": self._bm25.embed_document(texts[number])},
                    {"text": texts[number]},
                )
                for number in range(start, min(start + 2_000, len(texts)))
            ]
            self._shard.update(edge.UpdateOperation.upsert_points(points))
        self._shard.optimize()
        self._shard.flush()

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        edge = self._edge
        meaning = edge.Query.Nearest(vector.tolist(), using="meaning")
        if mode == "vectors":
            asked = edge.QueryRequest(limit=k, query=meaning, with_payload=True)
        else:
            words = edge.Query.Nearest(self._bm25.embed_query(text), using="words")
            lists = [edge.Prefetch(limit=20, query=words), edge.Prefetch(limit=20, query=meaning)]
            asked = edge.QueryRequest(limit=k, query=edge.Fusion.Rrf(k=60), prefetches=lists, with_payload=True)
        return [point.id for point in self._shard.query(asked)]

    def close(self) -> None:
        self._shard.close()
