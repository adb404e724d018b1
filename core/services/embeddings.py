"""Loading the model and embedding memories, in the background.

The remaining work is read from the store (memories without a vector in the space of the model), so the process can be
killed at any point and any other can continue. Until a model is ready, full text answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core import formatting
from core.changes import Op
from core.embed import places, recipe
from core.embed.catalogue import Model
from core.embed.embedder import Embedder
from core.embed.ollama import OllamaEmbedder
from core.embed.onnx import OnnxEmbedder, space_of
from core.errors import UserError
from core.model import UNSAVED, Embedding, Memory, Space
from core.progress import Cancelled, Progress, silent
from core.store.protocol import Store

# A batch is one transaction: large enough to be cheap, small enough that other writers hardly wait.
BATCH = 16
RETRY_SECONDS = 2.0
MAX_CONSECUTIVE_FAILURES = 3


class EmbeddingState(StrEnum):
    OFF = "off"
    LOADING = "loading"
    READY = "ready"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """The state of the model; `sentence` says to the user what works now and why."""

    model: str
    state: EmbeddingState
    sentence: str
    waiting: int | None


class Embeddings:
    """Loads the store's model and keeps its memories embedded."""

    def __init__(self, store: Store, models: Path, selected_model: Callable[[], Model]) -> None:
        self._store = store
        self._models = models
        self._selected_model = selected_model
        self._embedder: Embedder | None = None
        self._state = EmbeddingState.OFF
        self._why_not = ""
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._loading = threading.Lock()

    # for other services

    def embedder(self) -> Embedder | None:
        """Return the store's model if it is loaded; never waits."""
        return self.embedder_of(self._selected_model())

    def embedder_of(self, model: Model) -> Embedder | None:
        """Return the embedder of a model if it is the one that is loaded; never waits."""
        embedder = self._embedder
        return embedder if embedder is not None and embedder.space.model == model.name else None

    @property
    def state(self) -> EmbeddingState:
        """Whether the store's model is there, without asking the store; never waits."""
        return EmbeddingState.READY if self._embedder is not None else self._state

    def status(self) -> EmbeddingStatus:
        model, embedder = self._selected_model(), self.embedder()
        if embedder is not None:
            waiting = self.count_waiting(embedder.space)
            sentence = (
                f"{formatting.memories(waiting)} still to be embedded." if waiting else "All memories are embedded."
            )
            if waiting and self._why_not:
                sentence += f" The last attempt failed: {self._why_not}"
            return EmbeddingStatus(model.name, EmbeddingState.READY, sentence, waiting)
        space = expected_space(model)
        waiting_for_it = None if space is None else self.count_waiting(space)
        return EmbeddingStatus(model.name, self._state, self.why_unloaded(model), waiting_for_it)

    def why_unloaded(self, model: Model) -> str:
        """Return why a model that is not loaded is not; asks no store, since every recall without vectors says it."""
        if self._state is EmbeddingState.LOADING:
            return f"{model.name} is being loaded; until then full text answers alone."
        if self._state is EmbeddingState.UNAVAILABLE:
            return f"Full text answers alone: {self._why_not}"
        if model.is_served_by_ollama or places.is_installed(model, self._models):
            return f"{model.name} is ready to be loaded."
        return f"{model.name} is not here yet; `memory-inspector model fetch {model.name}` gets it."

    def count_waiting(self, space: Space) -> int:
        with self._store.read() as reader:
            return reader.count_not_embedded(space)

    def embed(self, memory: Memory) -> dict[Space, Embedding]:
        """Return the vector of a new memory if the model is loaded, else nothing: it is embedded in the background."""
        embedder = self.embedder()
        if embedder is None or not embedder.is_instant:
            return {}
        try:
            return {embedder.space: embedder.embed_document(recipe.embedded_text(memory))}
        except UserError as error:  # a failing model must not prevent storing a memory
            self._why_not = str(error)
            return {}

    # in the foreground: for a command that waits

    def load(self) -> Embedder:
        """Load the store's model now and return it; UserError if that is impossible."""
        with self._loading:
            embedder = self.embedder()
            if embedder is None:
                self._state = EmbeddingState.LOADING
                try:
                    embedder = load(self._selected_model(), self._models)
                except Exception as error:
                    self._state, self._why_not = EmbeddingState.UNAVAILABLE, str(error)
                    raise
                self._embedder, self._state = embedder, EmbeddingState.READY
            return embedder

    def prove(self, model: Model) -> None:
        """Load a model that is about to be selected, and try it; UserError if it cannot be used."""
        with self._loading:
            embedder = load(model, self._models)
            embedder.embed_query("Does it answer?")
            self._embedder, self._state = embedder, EmbeddingState.READY

    def use(self, embedder: Embedder) -> None:
        """Use an embedder that is already loaded."""
        self._embedder, self._state = embedder, EmbeddingState.READY

    def release(self) -> None:
        """Use no embedder any more, until one is loaded."""
        self._embedder, self._state = None, EmbeddingState.OFF

    def catch_up(self, progress: Progress = silent) -> int:
        """Embed all memories that wait, and return how many; if cancelled, finished ones stay embedded.

        A text that the model cannot embed is skipped and waits; a model that fails repeatedly is reported.
        """
        embedder = self.load()
        total = self.count_waiting(embedder.space)
        done, last = 0, UNSAVED
        while True:
            with self._store.read() as reader:
                batch = reader.not_embedded(embedder.space, after=last, limit=BATCH)
            if not batch:
                return done
            done += self._store_vectors(embedder, batch, progress, done, total)
            last = batch[-1].id

    # in the background: for a program that keeps running

    def start(self, *, only_load: bool = False) -> None:
        """Load and embed in a background thread; return at once. With `only_load`, memories are left to another
        process that embeds the same store."""
        if self._thread is None:
            self._state = EmbeddingState.LOADING
            self._thread = threading.Thread(target=self._work, args=(only_load,), name="embedding", daemon=True)
            self._thread.start()

    def notify(self) -> None:
        """Wake the background thread: there may be memories to embed."""
        self._wake.set()

    def stop(self) -> None:
        self._stopping.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._stopping.clear()

    def _work(self, only_load: bool) -> None:
        def stop_when_asked(*_: object) -> None:
            if self._stopping.is_set():
                raise Cancelled("Embedding was stopped.")

        seen = None
        while not self._stopping.is_set():
            try:
                commits = self._store.other_commits()
                if seen != commits or self._wake.is_set() or self.embedder() is None:
                    self._wake.clear()
                    if only_load:
                        self.load()
                    else:
                        self.catch_up(stop_when_asked)
                    seen = commits
            except Cancelled:
                return
            except Exception as error:  # any error: the next attempt may find the model or free space
                self._why_not = str(error)
            self._wake.wait(RETRY_SECONDS)

    def _store_vectors(
        self, embedder: Embedder, batch: list[Memory], progress: Progress, done: int = 0, total: int = 0
    ) -> int:
        """Embed and store a batch; return how many got a vector."""
        vectors: list[tuple[Memory, Embedding]] = []
        failures = 0
        for memory in batch:
            progress("embedding", done + len(vectors), max(total, done + len(batch)))
            try:
                vectors.append((memory, embedder.embed_document(recipe.embedded_text(memory))))
                failures = 0
            except UserError as error:
                self._why_not = str(error)
                failures += 1
                if failures == MAX_CONSECUTIVE_FAILURES or len(batch) == 1:
                    raise
        with self._store.transact(Op.EMBED, "embedding") as transaction:
            present = transaction.reader().memories(memory.id for memory in batch)
            for memory, vector in vectors:
                now = present.get(memory.id)
                # The text may have changed, or the memory gone, while its vector was computed.
                if now is not None and recipe.embedded_text(now) == recipe.embedded_text(memory):
                    transaction.put_embedding(memory.id, embedder.space, vector)
        progress("embedding", done + len(vectors), max(total, done + len(vectors)))
        return len(vectors)


def load(model: Model, models: Path) -> Embedder:
    return OllamaEmbedder(model) if model.is_served_by_ollama else OnnxEmbedder(model, models)


def expected_space(model: Model) -> Space | None:
    """Return the space of a model, known before it is loaded; of a model of Ollama only Ollama knows it."""
    return None if model.is_served_by_ollama else space_of(model)
