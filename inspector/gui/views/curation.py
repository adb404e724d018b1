"""The actions on memories, called by menus, keys, palette and buttons; each acts on the selection."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from inspector.gui.viewmodels.curation import CurationViewModel, MergePreview, Targets
from inspector.gui.views.merge_dialog import MergeDialog


class Curation:
    """The actions on memories. `targets` returns the selection of the visible view when an action is called."""

    ACTIONS = frozenset(("pin", "reinforce", "archive", "forget", "restore", "merge"))

    def __init__(self, viewmodel: CurationViewModel, targets: Callable[[], Targets], window: QWidget) -> None:
        self._viewmodel, self._targets, self._window = viewmodel, targets, window
        viewmodel.confirmation_wanted.connect(self._confirm)
        viewmodel.merge_previewed.connect(self._show_merge)

    def _confirm(self, question: str, sample: str, go_on: Callable[[], object]) -> None:
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle("Change many memories")
        box.setText(question)
        box.setInformativeText(f"The first of them:\n{sample}")
        box.setStandardButtons(QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        box.accepted.connect(go_on)
        box.open()

    def _show_merge(self, preview: MergePreview) -> None:
        dialog = MergeDialog(preview, "Merge", self._window)
        dialog.accepted.connect(lambda: self._viewmodel.merge(preview, dialog.text))
        dialog.open()

    def pin(self) -> None:
        self._viewmodel.pin(self._targets())

    def reinforce(self) -> None:
        self._viewmodel.reinforce(self._targets())

    def archive(self) -> None:
        self._viewmodel.archive(self._targets())

    def forget(self) -> None:
        self._viewmodel.forget(self._targets())

    def restore(self) -> None:
        self._viewmodel.restore(self._targets())

    def merge(self) -> None:
        self._viewmodel.preview_merge(self._targets())

    def add_tag(self, tag: str) -> None:
        self._viewmodel.add_tag(self._targets(), tag)
