"""Adding one memory durably, adding many, and seeing what another process has added."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from core import draft
from core.changes import Op
from core.model import Embedding
from core.services import query, remember
from core.services.query import Question
from core.services.workspace import Workspace
from inspector import program
from tests.benchmarks import generator
from tests.benchmarks.peers import harness, ours, plain
from tests.benchmarks.recalling import PLAIN
from tests.benchmarks.tables import Table
from tests.benchmarks.timing import p50, p95, ratio, timed
from tests.benchmarks.workload import Workload

ONES = 60
BULK = 1_000
BULKS = 9
ALL_NEW = 6_000
FILLED = 9
OTHERS = 100
CATCH_UPS = 40
BARE = "one bare insert, synced"


@dataclass(frozen=True, slots=True)
class Adds:
    """How many milliseconds a memory took, by the clock and of the processor."""

    clock: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def take(self, add: Callable[[], object], memories: int = 1) -> None:
        begun = time.thread_time()
        self.clock.append(timed(add) / memories)
        self.cpu.append((time.thread_time() - begun) * 1000 / memories)


class New:
    """Memories that are not in the store yet, with their vectors."""

    def __init__(self, given: ours.GivenVectors, seed: int = 8) -> None:
        self._given = given
        self._texts = generator.contents(seed)
        self._vectors = _endless(seed)

    def one(self) -> dict[str, Any]:
        """Without names, so that what is embedded is the very content, by which its vector is known."""
        content = next(self._texts)
        self._given.vectors[content] = next(self._vectors).tobytes()
        return {"content": content}

    def some(self, count: int) -> list[tuple[dict[str, Any], Embedding]]:
        made = [self.one() for _ in range(count)]
        return [(fields, Embedding(self._given.vectors.pop(fields["content"]))) for fields in made]

    def add(self, workspace: Workspace, some: list[tuple[dict[str, Any], Embedding]]) -> None:
        with workspace.store.transact(Op.IMPORT, "benchmark") as transaction:
            for fields, vector in some:
                transaction.add_memory(draft.memory(fields, transaction.now), {self._given.space: vector})


def _endless(seed: int) -> Iterator[np.ndarray]:
    while True:
        for chunk in generator.vectors(generator.CHUNK, seed):
            yield from chunk


def measure(workload: Workload) -> list[Table]:
    source = harness.loaded(harness.OURS, workload) / "store.db"
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.db"
        shutil.copyfile(source, store)
        bare = apsw.Connection(f"{folder}/bare.db")
        bare.execute("pragma journal_mode = wal").fetchall()
        bare.execute("pragma synchronous = full; create table t (x)")
        workspace, given = ours.opened(store)
        program.limit_garbage_collection()
        asked = workload.questions()
        given.vectors.update({each.text: each.vector.tobytes() for each in asked})
        new = New(given)
        times: dict[str, Adds] = defaultdict(Adds)
        for turn in range(ONES):
            # Making them up is no part of adding them, here and below.
            some, fields = new.some(1), {**new.one(), "session": "benchmark"}
            times[BARE].take(partial(bare.execute, "insert into t values (?)", (f"{turn} {asked[0].text}",)))
            times["one memory with its vector, synced"].take(partial(new.add, workspace, some))
            times["one remembered: judged for copies and contradictions, linked, synced"].take(
                partial(remember.remember, workspace, fields, actor="benchmark")
            )
        workspace.store.wait_for_search_cache()  # remembering asks; loading goes on beside what is timed next
        for _ in range(BULKS):
            some = new.some(BULK)
            times[f"one of {BULK:,} in one operation"].take(partial(new.add, workspace, some), BULK)
        for number in range(FILLED):
            some = new.some(ALL_NEW)
            with Workspace.create(Path(folder) / f"new-{number}.db") as empty:
                filled = times[f"one of {ALL_NEW:,} in one operation, in a new store"]
                filled.take(partial(new.add, empty, some), ALL_NEW)
        rows: list[tuple[Any, ...]] = [  # beside all bare ones: many at once take no turns with them
            (
                name,
                len(adds.clock),
                p50(adds.clock),
                p95(adds.clock),
                p50(adds.cpu),
                p50(adds.clock) / p50(times[BARE].clock),
            )
            for name, adds in times.items()
        ]
        columns = ("adding", "times", "p50 ms", "p95 ms", "p50 of CPU, ms", "p50 / a bare insert")
        by_hand = plain.Peer(harness.loaded(harness.PLAIN, workload))
        caught_up = _catching_up(workload, workspace, by_hand)
        tables = [Table(f"Adding to {workload.size:,} memories", columns, rows), caught_up]
        by_hand.close()
        workspace.close()
        bare.close()
    return tables


def _catching_up(workload: Workload, workspace: Workspace, by_hand: plain.Peer) -> Table:
    """Taking in what another process has added, and the first recall then. The cheapest question, how many memories
    there are, is answered once all of it is taken in. Both are asked as well after another process has added as much to
    a store of its own: having waited for another process costs a recall, too. The plain query is the yardstick."""

    def count() -> None:
        with workspace.store.read() as reader:
            reader.count()

    elsewhere = workspace.store.path.with_name("elsewhere.db")
    Workspace.create(elsewhere).close()
    with _another(elsewhere) as add_elsewhere, _another(workspace.store.path) as add_here:
        times: dict[str, list[float]] = {}
        questions = workload.questions()
        for asked in questions[:2]:
            query.ask(workspace, Question(text=asked.text))
        workspace.store.wait_for_search_cache()
        for asked, another in zip(questions[:CATCH_UPS], questions[CATCH_UPS : 2 * CATCH_UPS], strict=True):
            question = Question(text=asked.text)

            def ask(question: Question = question) -> None:
                query.ask(workspace, question)

            plainly = timed(lambda asked=asked: by_hand.query(asked.text, asked.vector, 5, "hybrid"))
            times.setdefault(PLAIN, []).append(plainly)
            for where, add in (("elsewhere", add_elsewhere), ("here", add_here)):
                ask()
                ask(Question(text=another.text))  # so that none is answered by what the same question has left
                add()
                times.setdefault(f"added {where}: the cheapest question", []).append(timed(count))
                times.setdefault(f"added {where}: then a recall", []).append(timed(ask))
    _, count_before, recall_before, count_after, recall_after = map(np.array, times.values())
    taking_in = count_after - count_before
    times["taking in"] = list(taking_in)
    times["taking in, and all that the recall then takes longer"] = list(taking_in + recall_after - recall_before)
    return Table(
        f"Catching up at {workload.size:,} memories, after another process added {OTHERS}",
        ("asked", "times", "p50 ms", "p95 ms", "p50 / plain"),
        [(name, len(each), p50(each), p95(each), ratio(each, times[PLAIN])) for name, each in times.items()],
    )


@contextmanager
def _another(path: Path) -> Iterator[Callable[[], None]]:
    """Another process that has a store open, and what makes it add to that."""
    command = [sys.executable, "-m", "tests.benchmarks.writing", str(path)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=harness.ROOT)
    assert other.stdin is not None
    assert other.stdout is not None
    asked, answered = other.stdin, other.stdout

    def add() -> None:
        asked.write("add\n")
        asked.flush()
        if answered.readline() != "added\n":
            raise RuntimeError("the other process could not add")

    try:
        yield add
    finally:
        asked.close()
        other.wait(60)
        answered.close()


def _be_the_other(path: Path) -> None:
    workspace, given = ours.opened(path)
    new = New(given, seed=9)
    for _ in sys.stdin:
        new.add(workspace, new.some(OTHERS))
        print("added", flush=True)
    workspace.close()


if __name__ == "__main__":
    _be_the_other(Path(sys.argv[1]))
