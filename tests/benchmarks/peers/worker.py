"""One peer in a process of its own: a JSON line asks, a JSON line answers; it times its own calls.

Run by `harness.py` with the peer's own Python, so nothing of the project may be imported here.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np


def adapter(path: Path) -> Any:
    """By its path, not by its name, which may be that of the very package it adapts."""
    spec = importlib.util.spec_from_file_location(f"adapter_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Worker:
    def __init__(self, module: Any, work: Path, folder: Path) -> None:
        self.module, self.work, self.folder = module, work, folder
        self.peer: Any = None
        self.before_mb = resident_mb()

    def load(self) -> dict[str, Any]:
        vectors = np.load(self.work / "vectors.npy", mmap_mode="r")
        texts = (self.work / "texts.txt").read_text("utf-8").splitlines()
        begun = time.perf_counter()
        peer = self.module.Peer(self.folder)
        peer.load(texts, vectors)
        peer.close()
        return {"seconds": time.perf_counter() - begun}

    def open(self) -> dict[str, Any]:
        self.questions = json.loads((self.work / "questions.json").read_text("utf-8"))
        self.vectors = np.load(self.work / "question_vectors.npy")
        begun = time.perf_counter()
        self.peer = self.module.Peer(self.folder)
        return {"ms": (time.perf_counter() - begun) * 1000}

    def ask(self, start: int, stop: int, k: int, mode: str) -> dict[str, Any]:
        times, cpu_times, found = [], [], []
        for text, vector in zip(self.questions[start:stop], self.vectors[start:stop], strict=True):
            begun, cpu_begun = time.perf_counter(), time.process_time()
            numbers = self.peer.query(text, vector, k, mode)
            times.append((time.perf_counter() - begun) * 1000)
            cpu_times.append((time.process_time() - cpu_begun) * 1000)
            found.append([int(number) for number in numbers])
        return {"ms": times, "cpu_ms": cpu_times, "found": found}

    def close(self) -> dict[str, Any]:
        self.peer.close()
        return {}


def resident_mb() -> float:
    """The memory of this process now; where that cannot be read, the most it ever had."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main(path: str, work: str, folder: str) -> None:
    # The pipe is ours alone: whatever a peer prints goes where its complaints go.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = Worker(adapter(Path(path)), Path(work), Path(folder))
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = getattr(worker, asked.pop("do"))(**asked)
            answer["rss_mb"] = resident_mb() - worker.before_mb
        except Exception as error:  # whatever a peer raises is its reason
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4])
