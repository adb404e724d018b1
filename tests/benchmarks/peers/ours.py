"""Memory Inspector itself, through its services, as every other peer is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import draft
from core.changes import Op
from core.clock import FixedClock
from core.model import Embedding, Space
from core.profiles import CC_V3, DEFAULT
from core.services import query
from core.services.embeddings import expected_space
from core.services.query import Question
from core.services.workspace import Workspace
from inspector import program, wire
from tests.benchmarks import generator

INSTALL = ()
# The default, and what other peers call hybrid: the ranks of words and of vectors, fused.
PROFILES = {"hybrid": DEFAULT.name, "hybrid by ranks": CC_V3.name}
MODES = tuple(PROFILES)
NOTE = f"as a server answers, with its explanation; the profile {DEFAULT.name}, and {CC_V3.name} by ranks"


class GivenVectors:
    """In place of the store's model, in its space: hands out the vectors that are made with the texts."""

    is_instant = True

    def __init__(self, space: Space) -> None:
        self.space = space
        self.vectors: dict[str, bytes] = {}

    def embed_query(self, text: str) -> Embedding:
        return Embedding(self.vectors[text])

    def embed_document(self, text: str) -> Embedding:
        return Embedding(self.vectors[text])


def opened(path: Path, *, read_only: bool = False) -> tuple[Workspace, GivenVectors]:
    """A store at the moment of the benchmark, with vectors given instead of computed."""
    workspace = Workspace.open(path, clock=FixedClock(generator.NOW), read_only=read_only)
    space = expected_space(workspace.model())
    assert space is not None
    given = GivenVectors(space)
    workspace.embeddings.use(given)
    return workspace, given


def fill(workspace: Workspace, texts: list[str], vectors: Any) -> None:
    """As an import does, some thousand memories an operation, each with its vector in the model's space."""
    space = expected_space(workspace.model())
    assert space is not None
    for start in range(0, len(texts), generator.CHUNK):
        with workspace.store.transact(Op.IMPORT, "benchmark") as transaction:
            for number in range(start, min(start + generator.CHUNK, len(texts))):
                memory = draft.memory(generator.fields(number, texts[number], len(texts)), transaction.now)
                saved = transaction.add_memory(memory, {space: Embedding(vectors[number].tobytes())})
                assert saved.id == number + 1


class Peer:
    def __init__(self, folder: Path) -> None:
        self._path = folder / "store.db"
        self._workspace, self._given = None, None
        if self._path.exists():
            self._workspace, self._given = opened(self._path)
            self._workspace.expect_questions()
            program.limit_garbage_collection()

    def load(self, texts: list[str], vectors: Any) -> None:
        clock = FixedClock(generator.NOW)
        Workspace.create_filled(self._path, lambda workspace: fill(workspace, texts, vectors), clock=clock)

    def query(self, text: str, vector: Any, k: int, mode: str) -> list[int]:
        self._given.vectors[text] = vector.tobytes()
        answer = query.ask(self._workspace, Question(text=text, profile=PROFILES[mode], k=k))
        return [result["id"] - 1 for result in wire.brief.recalled(answer)["results"]]

    def close(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
