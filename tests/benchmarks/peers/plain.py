"""The plain query a user would write by hand, and the yardstick of every table: FTS5, vec0 and reciprocal ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import sqlite_vec

INSTALL = ()
MODES = ("hybrid",)
NOTE = "20 matches of any word by FTS5's rank, 20 neighbours by vec0 (float32), RRF (k = 60), in a file of its own"
LIMIT = 20


class Peer:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._connection = apsw.Connection(str(folder / "plain.db"))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())

    def load(self, texts: list[str], vectors: Any) -> None:
        self._connection.execute("pragma journal_mode = wal").fetchall()
        self._connection.execute("create virtual table words using fts5 (content)")
        self._connection.execute(
            f"create virtual table meaning using vec0 (embedding float[{vectors.shape[1]}] distance_metric=cosine)"
        )
        with self._connection:
            self._connection.executemany("insert into words (rowid, content) values (?, ?)", enumerate(texts))
            self._connection.executemany(
                "insert into meaning (rowid, embedding) values (?, ?)",
                ((number, vector.tobytes()) for number, vector in enumerate(vectors)),
            )
        self._connection.execute("insert into words (words) values ('optimize')")

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        expression = " OR ".join(f'"{word}"' for word in dict.fromkeys(text.split()))
        by_words = self._connection.execute(
            "select rowid from words where words match ? order by rank limit ?", (expression, LIMIT)
        ).fetchall()
        by_meaning = self._connection.execute(
            "select rowid from meaning where embedding match ? and k = ? order by distance", (vector.tobytes(), LIMIT)
        ).fetchall()
        scores: dict[int, float] = {}
        for found in (by_words, by_meaning):
            for rank, (number,) in enumerate(found, 1):
                scores[number] = scores.get(number, 0.0) + 1 / (60 + rank)
        best = sorted(scores, key=lambda number: (-scores[number], number))[:k]
        texts = [self._connection.execute("select content from words where rowid = ?", (id,)).get for id in best]
        return best[: len(texts)]

    def close(self) -> None:
        self._connection.close()
