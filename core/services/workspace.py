"""One open store with its model, passed to every service."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from core import folders
from core.clock import Clock, SystemClock
from core.embed import catalogue
from core.model import Setting, Space
from core.services.embeddings import Embeddings, expected_space
from core.store import engines
from core.store.protocol import Reader, Store

if TYPE_CHECKING:
    from core.services.recall_plan import RecallPlan


def _without_secrets(value: Any, name: str = "") -> Any:
    """Return what is to be written without its secrets. Their patterns are compiled on demand: that takes 20 ms, and a
    hook only reads."""
    from core.write import secrets

    return secrets.clean(value, name)


class Workspace:
    """An open store with its model. Opening does not wait for the model; `embeddings` loads it on request. A model may
    be shared with another workspace, which closes it."""

    def __init__(self, store: Store, models: Path, shared: Embeddings | None = None) -> None:
        self.store = store
        store.clean = _without_secrets
        self.models = models
        self.embeddings = shared or Embeddings(store, models, self.model)
        self.plans: dict[tuple[Any, ...], RecallPlan] = {}  # of the questions that were asked last, by their kind

    @classmethod
    def open(
        cls, location: str | Path, *, clock: Clock | None = None, read_only: bool = False, rehearsing: bool = False
    ) -> Workspace:
        store = engines.open_store(
            location,
            backups=folders.backups(),
            clock=clock or SystemClock(),
            read_only=read_only,
            rehearsing=rehearsing,
        )
        return cls(store, folders.models())

    @classmethod
    def create(cls, location: str | Path, *, clock: Clock | None = None) -> Workspace:
        store = engines.create_store(location, backups=folders.backups(), clock=clock or SystemClock())
        return cls(store, folders.models())

    @classmethod
    def create_filled(
        cls, location: str | Path, fill: Callable[[Workspace], None], *, clock: Clock | None = None
    ) -> None:
        """Create a store that gets its name only after it is filled, so that no reader sees a partial one."""

        def fill_store(store: Store) -> None:
            with cls(store, folders.models()) as workspace:
                fill(workspace)

        engines.create_filled(location, fill_store, backups=folders.backups(), clock=clock or SystemClock())

    def model(self) -> catalogue.Model:
        """Return the model of this store; it is a setting of the store, so that all its users agree."""
        with self.store.read() as reader:
            return self.model_in(reader)

    @staticmethod
    def model_in(reader: Reader) -> catalogue.Model:
        """Return the same, read from a snapshot that is already open."""
        selected = reader.setting(Setting.MODEL)
        return catalogue.model(selected) if selected else catalogue.DEFAULT

    def space(self) -> Space | None:
        """Return the space of the model's vectors: known beforehand or, for a model of Ollama, that of the newest
        vectors."""
        model = self.model()
        with self.store.read() as reader:
            known = [use.space for use in reader.spaces() if use.space.model == model.name]
        return expected_space(model) or (known[-1] if known else None)

    def expect_questions(self) -> None:
        """Start filling the search cache of a large store, since many queries will follow."""
        with self.store.read() as reader:
            reader.expect_questions(expected_space(self.model()))

    def other_commits(self) -> int:
        """Return a number that changes whenever another connection has written."""
        with self.store.read():  # refused when another file has taken the store's place
            return self.store.other_commits()

    def close(self) -> None:
        self.embeddings.stop()
        self.store.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
