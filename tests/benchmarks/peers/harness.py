"""Peers side by side: an environment each, a process each, blocks of queries in turn."""

from __future__ import annotations

import importlib
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from core.store.sqlite import migrate
from tests.benchmarks.tables import Table
from tests.benchmarks.timing import p50, p95
from tests.benchmarks.workload import Workload, cache

ROOT = Path(__file__).parents[3]
OURS, PLAIN = "ours", "plain"
PEERS = ("qdrant", "chroma", "lance", "milvus", "mcp_memory", "robot", "openmem")
NAMES = {
    OURS: "Memory Inspector", PLAIN: "plain FTS5 + vec0", "qdrant": "qdrant-edge", "chroma": "chromadb",
    "lance": "lancedb", "milvus": "milvus-lite", "mcp_memory": "mcp-memory-service", "robot": "robotmem",
    "openmem": "openmem-engine",
}  # fmt: skip
BLOCK = 20
K = 5
MAX_SECONDS = 120.0
MAX_LOAD_SECONDS = 1_800.0
# On a machine that does other things too, a short call ends before it is interrupted and a long one does not, so the
# ratio of what a clock shows flatters the short one; the processor's time does not depend on who else is running.
NOTES = """\
- CPU: the time of all threads of its process. Where it and the clock give different ratios, the machine was busy.
- Load: when it was filled, on its own. RSS: what it added to Python with numpy."""
# No telemetry, and no model is fetched.
QUIET = {
    "ANONYMIZED_TELEMETRY": "False", "DO_NOT_TRACK": "1", "LANCEDB_TELEMETRY": "0", "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1", "ORT_DISABLE_TELEMETRY": "1", "OTEL_SDK_DISABLED": "true", "TQDM_DISABLE": "1",
}  # fmt: skip


class CannotRun(Exception):
    """Why a peer is not measured."""


class Process:
    """A worker and the pipe to it."""

    def __init__(self, peer: str, workload: Workload, folder: Path) -> None:
        worker, adapter = Path(__file__).with_name("worker.py"), Path(__file__).with_name(f"{peer}.py")
        self._complaints = (folder / "complaints.log").open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            # -P: else the adapters' own folder is where Python looks first, and some are called as their peers are.
            [str(python_of(peer)), "-P", str(worker), str(adapter), str(workload.folder), str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints, text=True, cwd=folder,
            env={**os.environ, **QUIET, "PYTHONPATH": str(ROOT) if is_at_home(peer) else ""},
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(json.dumps({"error": "its process ended"}))

    def ask(self, do: str, *, seconds: float = MAX_SECONDS, **fields: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
            self._process.stdin.flush()
        try:
            answer: dict[str, Any] = json.loads(self._lines.get(timeout=seconds))
        except queue.Empty:
            self._process.kill()
            answer = {"error": f"no answer to {do!r} within {seconds:.0f} s"}
        if "error" in answer:
            raise CannotRun(" ".join(str(answer["error"]).split())[:200])
        return answer

    def end(self) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reading.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._complaints.close()


@dataclass
class Runner:
    """One way to ask one peer, and what came of it."""

    peer: str
    mode: str
    process: Process
    times: list[float] = field(default_factory=list)
    cpu_times: list[float] = field(default_factory=list)
    hits: list[bool] = field(default_factory=list)
    rss_mb: float = 0.0


def adapter_of(peer: str) -> ModuleType:
    return importlib.import_module(f"tests.benchmarks.peers.{peer}")


def is_at_home(peer: str) -> bool:
    """Whether it runs in the project's own environment."""
    return not adapter_of(peer).INSTALL


def python_of(peer: str) -> Path:
    if is_at_home(peer):
        return Path(sys.executable)
    return cache() / "peers" / peer / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(peer: str) -> str:
    """Its version, in an environment of its own, which is made on first use."""
    wanted = adapter_of(peer).INSTALL
    if not wanted:
        return ""
    python, done = python_of(peer), cache() / "peers" / peer / "installed"
    if not done.exists():
        subprocess.run([_base_python(), "-m", "venv", "--clear", str(done.parent)], capture_output=True, check=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted, "numpy"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            complaints = [line for line in made.stderr.splitlines() if line.startswith("ERROR")]
            raise CannotRun(f"does not install: {(complaints or ['pip failed'])[0][:160]}")
        asked = f"from importlib.metadata import version; print(version({wanted[0]!r}))"
        version = subprocess.run([str(python), "-c", asked], capture_output=True, text=True, check=True).stdout.strip()
        done.write_text(version)
    return done.read_text()


def _base_python() -> str:
    """Ours, or the system's where ours was built without SQLite's extensions, which two of the peers need."""
    needed = (
        "import ensurepip, sqlite3, sys; sqlite3.Connection.enable_load_extension; assert sys.version_info >= (3, 11)"
    )
    for python in (sys.executable, shutil.which("python3", path=os.defpath)):
        if python and subprocess.run([python, "-c", needed], capture_output=True, check=False).returncode == 0:
            return python
    return sys.executable


def loaded(peer: str, workload: Workload) -> Path:
    """The folder in which a peer holds the workload; filled on first use, by a process of its own."""
    version = install(peer) or (f"schema-{migrate.newest_version()}" if peer == OURS else "1")
    folder = cache() / "filled" / f"{peer}-{version}-{workload.name}"
    if not (folder / "loaded.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        process = Process(peer, workload, folder)
        try:
            seconds = process.ask("load", seconds=MAX_LOAD_SECONDS)["seconds"]
        finally:
            process.end()
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20
        (folder / "loaded.json").write_text(json.dumps({"seconds": seconds, "mb": size, "version": install(peer)}))
    return folder


def opened(peer: str, workload: Workload) -> Process:
    process = Process(peer, workload, loaded(peer, workload))
    try:
        process.ask("open")
        for mode in adapter_of(peer).MODES:
            process.ask("ask", start=0, stop=BLOCK, k=K, mode=mode)  # warm
    except CannotRun:
        process.end()
        raise
    return process


def measure(workload: Workload, peers: Sequence[str] = PEERS) -> list[Table]:
    """The same queries for every peer, a block each in turn; ratios are of this one run."""
    runners: list[Runner] = []
    missing: list[tuple[str, str]] = []
    try:
        for peer in (OURS, PLAIN, *peers):
            try:
                process = opened(peer, workload)
            except CannotRun as why:
                missing.append((NAMES[peer], str(why)))
            else:
                runners += [Runner(peer, mode, process) for mode in adapter_of(peer).MODES]
        missing += _take_turns(runners, workload)
    finally:
        for process in {id(runner.process): runner.process for runner in runners}.values():
            process.end()
    ran = [runner for runner in runners if runner.times]
    title = f"Peers at {workload.size:,} memories"
    columns = ("who", "version", "asked by", "p50 ms", "p95 ms", "p50 / ours", "p50 / plain", "CPU p50 ms",
               "CPU / ours", "CPU / plain", f"hit@{K}", "load s", "disk MB", "RSS MB")  # fmt: skip
    rows = [_row(runner, ran, loaded(runner.peer, workload)) for runner in ran]
    notes = "\n".join(f"- {NAMES[peer]}: {adapter_of(peer).NOTE}." for peer in dict.fromkeys(each.peer for each in ran))
    tables = [Table(title, columns, rows, f"{notes}\n{NOTES}")]
    if missing:
        tables.append(Table(f"{title}: not measured", ("who", "why"), missing))
    return tables


def _take_turns(runners: list[Runner], workload: Workload) -> list[tuple[str, str]]:
    questions = workload.questions()
    failed: dict[int, tuple[str, str]] = {}
    for block, start in enumerate(range(0, len(questions), BLOCK)):
        for place in range(len(runners)):
            at = (place + block) % len(runners)
            runner = runners[at]
            if at in failed:
                continue
            stop = min(start + BLOCK, len(questions))
            try:
                answer = runner.process.ask("ask", start=start, stop=stop, k=K, mode=runner.mode)
            except CannotRun as why:
                failed[at] = (f"{NAMES[runner.peer]}, {runner.mode}", str(why))
                runner.times.clear()
                continue
            runner.times += answer["ms"]
            runner.cpu_times += answer["cpu_ms"]
            runner.rss_mb = answer["rss_mb"]
            runner.hits += [
                asked.answer in found for asked, found in zip(questions[start:stop], answer["found"], strict=True)
            ]
    return list(failed.values())


def _row(runner: Runner, ran: list[Runner], folder: Path) -> tuple[Any, ...]:
    def to(peer: str, of: str) -> float | None:
        other = next((each for each in ran if each.peer == peer), None)
        return None if other is None else p50(getattr(runner, of)) / p50(getattr(other, of))

    load = json.loads((folder / "loaded.json").read_text())
    hits = sum(runner.hits) / len(runner.hits)
    wall = p50(runner.times), p95(runner.times), to(OURS, "times"), to(PLAIN, "times")
    cpu = p50(runner.cpu_times), to(OURS, "cpu_times"), to(PLAIN, "cpu_times")
    return (NAMES[runner.peer], load["version"], runner.mode, *wall, *cpu, hits, load["seconds"], load["mb"],
            runner.rss_mb)  # fmt: skip
