"""Starting the program, opening a store, what memory and disk it takes, and embedding a query cold and warm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from core import folders
from core.embed import catalogue, places
from core.services.workspace import Workspace
from tests.benchmarks import generator
from tests.benchmarks.peers import harness
from tests.benchmarks.tables import Table
from tests.benchmarks.timing import interleaved, p50, p95, ratio
from tests.benchmarks.workload import Workload

STARTS = 11
OPENINGS = 5
EMBEDDED = 50
# In a process of its own, as it is for a user: the import of the runtime and the verified load are part of it.
EMBEDDING = """
import json, sys, time
from tests.benchmarks.peers.worker import resident_mb
from tests.benchmarks import generator
from core import folders
from core.embed import catalogue
before, times, texts = resident_mb(), [], generator.queries(int(sys.argv[1]) + 1)
begun = time.perf_counter()
from core.embed.onnx import OnnxEmbedder
embedder = OnnxEmbedder(catalogue.DEFAULT, folders.models())
embedder.embed_query(texts.pop())
cold = (time.perf_counter() - begun) * 1000
for text in texts:
    begun = time.perf_counter()
    embedder.embed_query(text)
    times.append((time.perf_counter() - begun) * 1000)
print(json.dumps({"cold": cold, "warm": times, "mb": resident_mb() - before}))
"""


def programs() -> list[Table]:
    """How long until the program does anything at all."""
    commands = {
        "python -c pass": ["-c", "pass"],
        "python -c 'import core'": ["-c", "import core"],
        "memory-inspector --help": ["-m", "inspector", "--help"],
    }

    def start(arguments: list[str]) -> Any:
        return lambda _: subprocess.run([sys.executable, *arguments], cwd=harness.ROOT, capture_output=True, check=True)

    times = interleaved({name: start(arguments) for name, arguments in commands.items()}, range(STARTS))
    bare = times["python -c pass"]
    rows: list[tuple[Any, ...]] = [(name, p50(taken), p95(taken), ratio(taken, bare)) for name, taken in times.items()]
    table = Table("Starting", ("program", "p50 ms", "p95 ms", "p50 / Python alone"), rows)
    return [table, _until_tools()]


def _until_tools() -> Table:
    """CPU time of a server over standard input until a client has its tools, and until a recall is answered."""
    taken: dict[str, list[float]] = {"python -c pass": [], "tools/list": [], "memory_recall": []}
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.db"
        with Workspace.create(store) as workspace:
            generator.fill(workspace, 100)
        for _ in range(STARTS):
            before = os.times()
            subprocess.run([sys.executable, "-c", "pass"], check=True)
            after = os.times()
            bare = after.children_user + after.children_system - before.children_user - before.children_system
            taken["python -c pass"].append(bare * 1000)
            for name, seconds in _session(store).items():
                taken[name].append(seconds * 1000)
    bare_times = taken["python -c pass"]
    rows: list[tuple[Any, ...]] = [(name, p50(ms), p95(ms), ratio(ms, bare_times)) for name, ms in taken.items()]
    columns = ("answered over standard input", "p50 ms of CPU", "p95 ms of CPU", "p50 / Python alone")
    return Table("Starting a server for one client", columns, rows, "CPU time of the process, from its start.")


def _session(store: Path) -> dict[str, float]:
    """CPU seconds of a server's process when it has answered each."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
    recall = {"name": "memory_recall", "arguments": {"query": generator.queries(1)[0]}}
    command = [sys.executable, "-m", "inspector", "--db", str(store), "--serve", "--stdio"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=harness.ROOT, **pipes) as process:

        def ask(method: str, params: Any, *after: Any) -> float:
            asked = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
            process.stdin.write("".join(json.dumps(each) + "\n" for each in (asked, *after)).encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == method
            return _cpu_seconds(process.pid)

        ask("initialize", hello, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        return {"tools/list": ask("tools/list", {}), "memory_recall": ask("tools/call", recall)}


def _cpu_seconds(pid: int) -> float:
    """CPU time so far, to the nanosecond: the clock ticks of `stat` are too coarse here."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in tasks) / 1e9


def embedding() -> list[Table]:
    if not places.is_installed(catalogue.DEFAULT, folders.models()):
        return [Table("Embedding a query", ("what", "why"), [("not measured", "the model is not here")])]
    runs = []
    for _ in range(3):
        command = [sys.executable, "-c", EMBEDDING, str(EMBEDDED)]
        made = subprocess.run(command, cwd=harness.ROOT, capture_output=True, text=True, check=True)
        runs.append(json.loads(made.stdout.splitlines()[-1]))
    cold, warm = [run["cold"] for run in runs], [ms for run in runs for ms in run["warm"]]
    rows: list[tuple[Any, ...]] = [
        ("cold: the runtime, the verified model, the first query", p50(cold), p95(cold), ratio(cold, warm)),
        ("warm", p50(warm), p95(warm), 1.0),
    ]
    note = f"The model adds {p50([run['mb'] for run in runs]):.0f} MB to the process."
    return [Table("Embedding a query", (catalogue.DEFAULT.name, "p50 ms", "p95 ms", "p50 / warm"), rows, note)]


def opening(workload: Workload) -> list[Table]:
    """Ours and the plain file in turn, each time in a new process: opened, asked once, asked many times."""
    columns = ("who", "open p50 ms", "first query p50 ms", "both / plain", "MB open", "MB after 200 queries", "disk MB")
    both: dict[str, list[float]] = {harness.OURS: [], harness.PLAIN: []}
    opens: dict[str, list[float]] = {name: [] for name in both}
    sizes: dict[str, tuple[float, float]] = {}
    for number in range(OPENINGS):
        for name in both:
            process = harness.Process(name, workload, harness.loaded(name, workload))
            try:
                opened = process.ask("open")
                first = process.ask("ask", start=number, stop=number + 1, k=harness.K, mode="hybrid")
                opens[name].append(opened["ms"])
                both[name].append(opened["ms"] + first["ms"][0])
                if number == 0:
                    asked = process.ask("ask", start=0, stop=200, k=harness.K, mode="hybrid", seconds=1_800.0)
                    sizes[name] = opened["rss_mb"], asked["rss_mb"]
            finally:
                process.end()
    rows: list[tuple[Any, ...]] = []
    for name, taken in both.items():
        firsts = [whole - opened for whole, opened in zip(taken, opens[name], strict=True)]
        disk = json.loads((harness.loaded(name, workload) / "loaded.json").read_text())["mb"]
        to_plain = ratio(taken, both[harness.PLAIN])
        rows.append((harness.NAMES[name], p50(opens[name]), p50(firsts), to_plain, *sizes[name], disk))
    note = "A new process each time; MB is the resident memory added to Python with numpy."
    return [Table(f"Opening a store of {workload.size:,} memories", columns, rows, note)]
