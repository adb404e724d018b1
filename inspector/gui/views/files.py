"""The file actions: create and open stores, import and export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core import folders
from inspector.gui.viewmodels.open_store import ImportPlan, OpenStore
from inspector.gui.views.dialogs import file_dialog, import_question

STORES = "Memory stores (*.db);;All files (*)"
FILES = "Memories (*.jsonl *.ndjson *.csv *.md);;All files (*)"


class Files(QObject):
    """The file actions; each public method without arguments is the action of its name."""

    ACTIONS = frozenset(("new_store", "open_store", "import_file", "import_first", "export_file"))

    def __init__(self, store: OpenStore, window: QWidget) -> None:
        super().__init__(window)
        self._store, self._window = store, window
        self._import_when_open: Path | None = None
        store.opened.connect(self._on_opened)

    def new_store(self) -> None:
        self.ask("New store", self._store.create, save=True, filter=STORES, suffix="db")

    def open_store(self) -> None:
        self.ask("Open store", self._store.open, filter=STORES)

    def import_file(self) -> None:
        self.ask("Import", self.bring_in, filter=FILES)

    def import_first(self) -> None:
        """Import a file from the first page into the user's own store, which is created if needed."""

        def import_file(path: Path) -> None:
            self._import_when_open = path
            own = folders.default_store()
            (self._store.open if own.exists() else self._store.create)(own)

        self.ask("Import", import_file, filter=FILES)

    def export_file(self) -> None:
        self.ask("Export", self._store.export_file, save=True, filter=FILES, suffix="jsonl")

    def take(self, path: Path) -> None:
        """Handle a dropped file: open a store, import anything else."""
        (self._store.open if path.suffix == ".db" else self.bring_in)(path)

    def bring_in(self, path: Path) -> None:
        """Show what a file would import, then import it."""
        self._store.plan_import(path, lambda plan: self._ask_import(path, plan))

    def _ask_import(self, path: Path, plan: ImportPlan) -> None:
        box, can_import = import_question(self._window, path, plan)
        if can_import:
            has_conflicts = bool(plan.conflicting)
            box.accepted.connect(lambda: self._store.import_file(path, skip_conflicts=has_conflicts))
        box.open()

    def _on_opened(self) -> None:
        if self._import_when_open is not None:
            file, self._import_when_open = self._import_when_open, None
            self.bring_in(file)

    def ask(
        self, title: str, then: Callable[[Path], None], *, filter: str, save: bool = False, suffix: str = ""
    ) -> None:
        """Show a file dialog, and call a function with the selected file."""
        folder = self._store.path.parent if self._store.path else Path.home()
        dialog = file_dialog(self._window, title, folder, filter, save=save, suffix=suffix)
        dialog.fileSelected.connect(lambda path: then(Path(path)))
        dialog.open()
