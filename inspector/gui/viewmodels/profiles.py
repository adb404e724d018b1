"""The profiles to select from: the published ones, and those saved in the open store."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.pipeline.run import Profile
from core.services import profiles
from inspector.gui.ops import Tickets
from inspector.gui.viewmodels.open_store import OpenStore


class Profiles(QObject):
    """The known profiles. `changed` is emitted when a saved profile is added or removed."""

    changed = Signal()

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._loads = Tickets()
        self._saved: tuple[Profile, ...] = ()
        store.opened.connect(self._load)
        store.changed.connect(self._on_changed)

    @property
    def every(self) -> tuple[Profile, ...]:
        return (*self.published, *self._saved)

    @property
    def published(self) -> tuple[Profile, ...]:
        return profiles.published()

    def named(self, name: str) -> Profile:
        """Return the profile of a name, or the default where there is none."""
        return next((each for each in self.every if each.name == name), self.published[0])

    def _load(self) -> None:
        self._store.read(profiles.saved, self._on_loaded, wanted=self._loads.take())

    def _on_loaded(self, saved: list[Profile]) -> None:
        if tuple(saved) != self._saved:
            self._saved = tuple(saved)
            self.changed.emit()

    def _on_changed(self, changes: Changes | None) -> None:
        if changes is None or changes.settings:
            self._load()
