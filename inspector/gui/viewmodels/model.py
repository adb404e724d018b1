"""The viewmodel of the embedding model's download: offered once, fetched with progress, or put off."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from core.errors import UserError
from core.progress import Progress
from core.services import models
from core.services.workspace import Workspace
from inspector.gui.settings import Settings
from inspector.gui.tasks import Task
from inspector.gui.viewmodels.open_store import OpenStore, StoreStatus

LATER = "model_offer"


@dataclass(frozen=True, slots=True)
class ModelOfferState:
    """A model that can be downloaded; `trouble` is why the last attempt failed."""

    name: str
    size: int
    trouble: str = ""


def by_menu(sentence: str) -> str:
    """Return a sentence about a missing model with the menu's action in place of the command."""
    return re.sub(r"`memory-inspector model fetch \S+`", "Help, Download the Model", sentence)


class ModelViewModel(QObject):
    """The offer of a missing model. `offered` carries an offer, or None when there is none; `put_off` whether a model
    is missing that was put off."""

    offered = Signal(object)
    put_off = Signal(bool)

    def __init__(self, store: OpenStore, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._settings = store, settings
        self._task: Task | None = None
        self._trouble = ""
        self._missing: ModelOfferState | None = None
        store.status_changed.connect(self._on_status)
        store.work_ended.connect(self._on_ended)
        store.closed.connect(self.stop)

    def fetch(self) -> None:
        """Download the open store's model and load it; the status bar shows the progress and can stop it."""
        if self._task is not None:
            return
        if self._missing is None:
            self._store.message.emit("The model is installed already.")
            return
        name, self._trouble = self._missing.name, ""

        def work(workspace: Workspace, progress: Progress) -> str:
            models.fetch(name, progress=progress)
            workspace.embeddings.load()
            workspace.embeddings.notify()
            return name

        self._task = self._store.long("Downloading the model", work, self._on_here, failed=self._on_failed)
        self._tell()

    def later(self) -> None:
        """Put the offer off; the Help menu still has it."""
        self._settings.set_text(LATER, "later")
        self._trouble = ""
        self._tell()

    def stop(self) -> None:
        """End a download when the store or the window closes; the next one resumes it."""
        self._missing = None
        if self._task is not None:
            self._task.cancel()
        self._tell()

    def _on_status(self, status: StoreStatus) -> None:
        self._missing = (
            ModelOfferState(status.model, status.missing_model_bytes) if status.missing_model_bytes else None
        )
        self._tell()

    def _on_here(self, name: str) -> None:
        self._store.message.emit(f"{name} is installed; vector search is on.")
        self._missing = None
        self._store.ask_status()

    def _on_failed(self, error: UserError) -> None:
        self._trouble = str(error)

    def _on_ended(self, task: Task) -> None:
        if task is self._task:
            self._task = None
            self._store.ask_status()

    def _tell(self) -> None:
        is_wanted = self._settings.text(LATER) != "later" or self._trouble
        offer = self._missing if is_wanted and self._task is None else None
        self.offered.emit(None if offer is None else ModelOfferState(offer.name, offer.size, self._trouble))
        self.put_off.emit(self._missing is not None and offer is None and self._task is None)
