"""How long the foundation takes: starting, embedding, writing. Run by `make bench`; prints a Markdown table.

Every row is the median of interleaved runs and is also told as a ratio to a yardstick taken in the same run
(starting Python itself, embedding one text, one bare SQLite commit), since seconds alone say little about
another machine.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import apsw

from core import draft, folders
from core.changes import Op
from core.embed import catalogue
from core.services import remember
from core.services.workspace import Workspace
from core.store.store import Store

ROOT = Path(__file__).parents[2]
TEXT = "Migrations on the orders table hang in production because a long transaction holds the lock we wait for."


def main() -> None:
    print("| what | median | ratio |\n|---|---|---|")
    starting()
    writing()
    embedding()


def row(what: str, seconds: float, yardstick: float, of: str) -> None:
    print(f"| {what} | {seconds * 1000:.2f} ms | {seconds / yardstick:.2f} × {of} |")


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def starting() -> None:
    programs = {
        "python -c pass": ["-c", "pass"],
        "python -c 'import core'": ["-c", "import core"],
        "memory-inspector --help": ["-m", "inspector", "--help"],
    }
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(15):
        for name, arguments in programs.items():
            command = [sys.executable, *arguments]
            times[name].append(timed(lambda c=command: subprocess.run(c, cwd=ROOT, capture_output=True, check=True)))
    bare = statistics.median(times["python -c pass"])
    for name, taken in times.items():
        row(name, statistics.median(taken), bare, "starting Python")


def writing() -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = apsw.Connection(f"{folder}/plain.db")
        plain.execute("pragma journal_mode = wal").fetchall()
        plain.execute("pragma synchronous = full; create table t (x)")
        store = Store.create(Path(folder) / "store.db", backups=Path(folder))
        bare, one = [], []
        for n in range(300):
            bare.append(timed(lambda n=n: plain.execute("insert into t values (?)", (f"{TEXT} {n}",))))
            one.append(timed(lambda n=n: add(store, n, n + 1)))
        yardstick = statistics.median(bare)
        row("one bare insert, synced", yardstick, yardstick, "one bare insert")
        row("one memory in the store, synced", statistics.median(one), yardstick, "one bare insert")
        bulk = [timed(lambda n=n: add(store, n, n + 1000)) / 1000 for n in range(1000, 5000, 1000)]
        row("one memory of a thousand in one operation", statistics.median(bulk), yardstick, "one bare insert")
        store.close()
        for size in (1_000, 16_000):
            row(f"remembering, judged among {size:,}", remembering(folder, size), yardstick, "one bare insert")


def remembering(folder: str, size: int) -> float:
    """All that `remember` does without a model: secrets, duplicates, contradictions, links, the durable write."""
    rng = random.Random(7)
    words, weights = [f"word{n}" for n in range(30_000)], [1 / (rank + 1) for rank in range(30_000)]

    def text() -> str:
        return " ".join(rng.choices(words, weights, k=rng.randint(12, 40)))

    with Workspace.create(Path(folder) / f"remember-{size}.db") as workspace:
        with workspace.store.transact(Op.IMPORT, "benchmark") as transaction:
            for _ in range(size):
                transaction.add_memory(draft.memory({"content": text()}, transaction.now))
        texts = [text() for _ in range(60)]
        taken = [
            timed(lambda t=t: remember.remember(workspace, {"content": t, "session": "s"}, actor="b")) for t in texts
        ]
    return statistics.median(taken)


def add(store: Store, start: int, stop: int) -> None:
    with store.transact(Op.REMEMBER, "benchmark") as transaction:
        for n in range(start, stop):
            transaction.add_memory(draft.memory({"content": f"{TEXT} {n}", "tags": ["a", "b"]}, transaction.now))


def embedding() -> None:
    before = resident_mb()
    from core.embed.onnx import OnnxEmbedder

    loaded: list[OnnxEmbedder] = []
    load = timed(lambda: loaded.append(OnnxEmbedder(catalogue.DEFAULT, folders.models())))
    embedder = loaded[0]
    single = [timed(lambda: embedder.embed_query("why do migrations hang?")) for _ in range(50)]
    batch = timed(lambda: [embedder.embed_document(f"{TEXT} {n}") for n in range(200)]) / 200
    yardstick = statistics.median(single)
    row("the model: cold load with the runtime's import", load, yardstick, "embedding a query")
    row("embedding a query, warm", yardstick, yardstick, "embedding a query")
    row("embedding a memory, one of 200", batch, yardstick, "embedding a query")
    print(f"\nMemory the model adds: {resident_mb() - before:.0f} MB; {1 / batch:.0f} memories a second on one thread.")


def resident_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
