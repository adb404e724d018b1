"""milvus-lite: its own BM25 function and vectors, joined by its RRF ranker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

INSTALL = ("milvus-lite", "pymilvus")
MODES = ("hybrid", "vectors")
NOTE = "its BM25 function and RRF ranker"


class Peer:
    def __init__(self, folder: Path) -> None:
        from pymilvus import MilvusClient

        self._client = MilvusClient(str(folder / "milvus.db"))
        if self._client.has_collection("memories"):
            self._client.load_collection("memories")

    def load(self, texts: list[str], vectors: Any) -> None:
        from pymilvus import DataType, Function, FunctionType, MilvusClient

        schema = MilvusClient.create_schema()
        schema.add_field("number", DataType.INT64, is_primary=True)
        schema.add_field("text", DataType.VARCHAR, max_length=2_000, enable_analyzer=True)
        schema.add_field("meaning", DataType.FLOAT_VECTOR, dim=int(vectors.shape[1]))
        schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(
            Function("bm25", FunctionType.BM25, input_field_names=["text"], output_field_names=["words"])
        )
        index = self._client.prepare_index_params()
        index.add_index("meaning", index_type="AUTOINDEX", metric_type="COSINE")
        index.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
        self._client.create_collection("memories", schema=schema, index_params=index)
        for start in range(0, len(texts), 2_000):
            rows = [
                {"number": number, "text": texts[number], "meaning": vectors[number].tolist()}
                for number in range(start, min(start + 2_000, len(texts)))
            ]
            self._client.insert("memories", rows)
        self._client.flush("memories")

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        given = [vector.tolist()]
        if mode == "vectors":
            found = self._client.search("memories", given, anns_field="meaning", limit=k, output_fields=["text"])
        else:
            from pymilvus import AnnSearchRequest, RRFRanker

            lists = [
                AnnSearchRequest([text], "words", {"metric_type": "BM25"}, limit=20),
                AnnSearchRequest(given, "meaning", {"metric_type": "COSINE"}, limit=20),
            ]
            found = self._client.hybrid_search("memories", lists, RRFRanker(60), limit=k, output_fields=["text"])
        return [hit["number"] for hit in found[0]]

    def close(self) -> None:
        self._client.close()
