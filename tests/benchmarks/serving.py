"""Recall over HTTP among 10,000 memories: requests a second and latency at 1, 8 and 32 clients; what the wire costs.

A server in this process's own child, clients in another; everything on this machine's loopback and bounded in count.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.services import query
from core.services.query import Question
from core.services.workspace import Workspace
from inspector.serve.running import running
from inspector.serve.tokens import DEFAULT, Tokens
from tests.benchmarks import generator
from tests.benchmarks.tables import Table
from tests.benchmarks.timing import p50, p95

REQUESTS = 400
CLIENTS = (1, 8, 32)
WORKERS = (1, 2)
ROUNDS = 3
HOOKS = 21
MEMORIES = 10_000


def clients(port: int, token: str, queries: list[str], count: int) -> tuple[float, list[float]]:
    """Requests a second and each one's milliseconds, with so many clients at once."""
    times: list[float] = []
    share = REQUESTS // count
    ready = threading.Barrier(count + 1)

    def work(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "X-Client": "benchmark"}
        ready.wait()
        for n in range(share):
            body = json.dumps({"query": queries[(number * share + n) % len(queries)], "profile": "inspector"})
            began = time.perf_counter()
            connection.request("POST", "/api/v1/recall", body, headers)
            response = connection.getresponse()
            response.read()
            times.append((time.perf_counter() - began) * 1000)
            assert response.status == 200
        connection.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    ready.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return share * count / (time.perf_counter() - began), times


def measure() -> list[Table]:
    # A home of its own and no model: the background must not embed while we measure.
    names = ("MEMORY_INSPECTOR_HOME", "MEMORY_INSPECTOR_CACHE")
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(dict.fromkeys(names, folder))
        try:
            return [_measured(Path(folder) / "bench.db"), _hooks(Path(folder) / "bench.db")]
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


def _measured(store: Path) -> Table:
    queries = generator.queries(REQUESTS)
    with Workspace.create(store) as workspace:
        generator.fill(workspace, MEMORIES)
    inside = []
    with Workspace.open(store, read_only=True) as workspace:
        for text in queries:
            began = time.perf_counter()
            query.ask(workspace, Question(text=text, profile="inspector"))
            inside.append((time.perf_counter() - began) * 1000)
    inside = inside[REQUESTS // 2 :]
    rows: list[tuple[Any, ...]] = [
        ("in process", 1000 * len(inside) / sum(inside), "", p50(inside), p95(inside), 1, "")
    ]
    notes = []
    for workers in WORKERS:
        made, started = _served(store, workers, queries, inside)
        rows += made
        notes.append(f"{workers} processes" if workers > 1 else "One process")
        notes[-1] += f" started and answered after {started:.2f} s."
    columns = ("who", "requests a second", "/ 1 client", "p50 ms", "p95 ms", "p50 / in process", "CPU ms a request")
    title = f"Serving {MEMORIES:,} memories, {REQUESTS} recalls each, full text only, every call recorded"
    return Table(title, columns, rows, " ".join(notes))


def _hooks(store: Path) -> Table:
    """The hook of a prompt and of a session's start, end to end, with a running server and without."""
    program = [sys.executable, "-m", "inspector", "--db", str(store)]
    prompts = [json.dumps({"prompt": text}) for text in generator.queries(HOOKS)]
    start = json.dumps({"hook_event_name": "SessionStart"})

    def run(given: str, command: Sequence[str]) -> tuple[float, float]:
        before, began = os.times(), time.perf_counter()
        subprocess.run(command, input=given, text=True, check=True, capture_output=True)
        taken, after = time.perf_counter() - began, os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return taken * 1000, cpu * 1000

    seen: dict[str, list[tuple[float, float]]] = {}
    server = subprocess.Popen(
        [*program, "--serve", "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        while not server.stdout.readline().endswith("}\n"):
            pass
        while running(store) is None:  # its note is written once it serves
            assert server.poll() is None
        for prompt in prompts:
            seen.setdefault("python -c pass", []).append(run("", [sys.executable, "-c", "pass"]))
            seen.setdefault("a prompt, with a server", []).append(run(prompt, [*program, "hook"]))
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()
    for prompt in prompts:
        seen.setdefault("a prompt, without", []).append(run(prompt, [*program, "hook"]))
        seen.setdefault("a session's start", []).append(run(start, [*program, "hook"]))
    bare = p50([wall for wall, _ in seen["python -c pass"]])
    rows: list[tuple[Any, ...]] = []
    for name, taken in seen.items():
        walls = [wall for wall, _ in taken]
        rows.append((name, p50(walls), p95(walls), p50(walls) / bare, p50([cpu for _, cpu in taken])))
    columns = ("hook", "p50 ms", "p95 ms", "p50 / Python alone", "p50 ms of CPU")
    return Table(f"The hook, {MEMORIES:,} memories, end to end", columns, rows)


def _served(store: Path, workers: int, queries: list[str], inside: list[float]) -> tuple[list[tuple[Any, ...]], float]:
    """Rows of a server with so many processes, and the seconds until it answered."""
    token = Tokens().find(DEFAULT).secret
    began = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "inspector", "--db", str(store), "--serve", "--port", "0", "--json",
         "--workers", str(workers)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        reported = ""
        while not reported.endswith("}\n"):
            reported += server.stdout.readline()
        port = int(json.loads(reported)["url"].rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/health")
        connection.getresponse().read()
        started = time.perf_counter() - began
        connection.close()
        for count in CLIENTS:
            clients(port, token, queries, count)  # warm
        seen: dict[int, list[tuple[float, list[float], float]]] = {count: [] for count in CLIENTS}
        for _ in range(ROUNDS):  # in turns, so that what slows the machine slows them all
            for count in CLIENTS:
                before = _cpu_seconds(server.pid)
                rate, times = clients(port, token, queries, count)
                seen[count].append((rate, times, (_cpu_seconds(server.pid) - before) * 1000 / len(times)))
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()
    rows: list[tuple[Any, ...]] = []
    alone = p50([rate for rate, _, _ in seen[CLIENTS[0]]])
    for count, rounds in seen.items():
        rate, cpu = p50([each[0] for each in rounds]), p50([each[2] for each in rounds])
        times = [ms for each in rounds for ms in each[1]]
        who = f"{count} client{'s' * (count > 1)}" + (f", {workers} processes" if workers > 1 else "")
        rows.append((who, rate, rate / alone, p50(times), p95(times), p50(times) / p50(inside), cpu))
    return rows, started


def _cpu_seconds(pid: int) -> float:
    """CPU time so far of a process and of its children; its recorder may still be behind the answers."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    ticks = 0
    for each in (pid, *children):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
