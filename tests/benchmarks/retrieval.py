"""How long a recall takes, profile by profile, without embedding the query; run by `make bench`.

Each profile is told as a ratio to the plain query a user would write by hand: FTS5's bm25() over the same words and
vec0's nearest neighbours, taken in the same run. A seeded Zipf vocabulary; queries of 3 to 12 words.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import generator

from core.embed.hashing import HashingEmbedder
from core.model import Filter
from core.search import FIELDS, TextSearch
from core.services import query
from core.services.query import Question
from core.services.workspace import Workspace

QUERIES = 60


def main(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.create(Path(folder) / "store.db")
        embedder = HashingEmbedder(384, workspace.model().name)
        workspace.embeddings._embedder = embedder
        generator.fill(workspace, size, embedder)
        asked = generator.queries(QUERIES)
        times: dict[str, list[float]] = {"plain FTS5 + vec0": []}
        for text in asked:
            vector = embedder.embed_query(text).vector
            search = TextSearch(tuple(dict.fromkeys(text.split())), False, dict.fromkeys(FIELDS, 1.0))
            with workspace.store.read() as reader:
                begun = time.perf_counter()
                reader.search_text(search, Filter(), 50)
                reader.search_vectors(vector, embedder.space, Filter(), 50)
                times["plain FTS5 + vec0"].append(time.perf_counter() - begun)
            for profile in query.all_profiles():
                answer = query.ask(workspace, Question(text=text, profile=profile.name))
                times.setdefault(profile.name, []).append(answer.ranking.trace.elapsed_ms / 1000)
        workspace.close()
    plain = statistics.median(times["plain FTS5 + vec0"])
    print(f"\n{size:,} memories, {QUERIES} queries\n\n| profile | p50 | p95 | p50 / plain |\n|---|---|---|---|")
    for name, taken in times.items():
        p50, p95 = statistics.median(taken), statistics.quantiles(taken, n=20)[-1]
        print(f"| {name} | {p50 * 1000:.1f} ms | {p95 * 1000:.1f} ms | {p50 / plain:.2f} |")


if __name__ == "__main__":
    for count in map(int, sys.argv[1:] or ["10000"]):
        main(count)
