"""lancedb: BM25 and vectors, joined by its reciprocal-rank reranker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

INSTALL = ("lancedb", "pyarrow", "pandas")
MODES = ("hybrid", "vectors")
NOTE = "its RRF reranker; an IVF-PQ index from 100,000 memories on, as its manual advises, with 20 probes and refined"
INDEXED_FROM = 100_000


class Peer:
    def __init__(self, folder: Path) -> None:
        import lancedb
        from lancedb.rerankers import RRFReranker

        self._database = lancedb.connect(str(folder))
        self._reranker = RRFReranker()
        self._table = self._database.open_table("memories") if (folder / "memories.lance").exists() else None
        self._is_indexed = self._table is not None and self._table.count_rows() >= INDEXED_FROM

    def load(self, texts: list[str], vectors: Any) -> None:
        import pyarrow as pa

        def rows(start: int, stop: int) -> Any:
            flat = pa.array(vectors[start:stop].reshape(-1))
            return pa.table(
                {
                    "number": pa.array(range(start, stop), pa.int64()),
                    "text": texts[start:stop],
                    "vector": pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
                }
            )

        step = 50_000
        self._table = self._database.create_table("memories", rows(0, min(step, len(texts))))
        for start in range(step, len(texts), step):
            self._table.add(rows(start, min(start + step, len(texts))))
        self._table.create_fts_index("text")
        if len(texts) >= INDEXED_FROM:
            self._table.create_index(metric="cosine", vector_column_name="vector")
        self._table.optimize()

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        if mode == "hybrid":
            asked = self._table.search(query_type="hybrid").vector(vector).text(text).rerank(self._reranker)
        else:
            asked = self._table.search(vector)
        asked = asked.distance_type("cosine")
        if self._is_indexed:
            asked = asked.nprobes(20).refine_factor(10)
        found = asked.limit(20).to_arrow() if mode == "hybrid" else asked.limit(k).to_arrow()
        texts, numbers = found["text"].to_pylist(), found["number"].to_pylist()
        return numbers[: min(k, len(texts))]

    def close(self) -> None:
        pass
