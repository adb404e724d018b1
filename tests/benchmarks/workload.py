"""The workload of one size on disk, so that every process and every peer is given the very same one.

Everything here can be made again; it lies in the cache folder, never in the checkout.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core import folders
from tests.benchmarks import generator
from tests.benchmarks.generator import BenchmarkQuestion


@dataclass(frozen=True)
class Workload:
    """`name` says of what size and of which generator it is."""

    size: int
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    def questions(self) -> list[BenchmarkQuestion]:
        texts = json.loads((self.folder / "questions.json").read_text("utf-8"))
        answers = json.loads((self.folder / "answers.json").read_text("utf-8"))
        vectors = np.load(self.folder / "question_vectors.npy")
        return [BenchmarkQuestion(*each) for each in zip(texts, vectors, answers, strict=True)]


def cache() -> Path:
    return folders.cache() / "benchmarks"


def workload(size: int) -> Workload:
    """Made on first use; a change of the generator makes another one."""
    source = hashlib.sha256(Path(generator.__file__).read_bytes()).hexdigest()[:8]
    folder = cache() / f"{size}-{source}"
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        _write(size, unfinished)
        unfinished.rename(folder)
    return Workload(size, folder)


def _write(size: int, folder: Path) -> None:
    with (folder / "texts.txt").open("w", encoding="utf-8") as file:
        file.writelines(f"{text}\n" for text in itertools.islice(generator.contents(), size))
    shape = (size, generator.DIMENSION)
    vectors = np.lib.format.open_memmap(folder / "vectors.npy", mode="w+", dtype=np.float32, shape=shape)
    done = 0
    for chunk in generator.vectors(size):
        vectors[done : done + len(chunk)] = chunk
        done += len(chunk)
    vectors.flush()
    asked = generator.questions(size)
    (folder / "questions.json").write_text(json.dumps([each.text for each in asked]), "utf-8")
    (folder / "answers.json").write_text(json.dumps([each.answer for each in asked]), "utf-8")
    np.save(folder / "question_vectors.npy", np.stack([each.vector for each in asked]))
