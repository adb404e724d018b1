"""The dialogs of the main window: a new memory, the import question, file dialogs, About."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QFileDialog, QMessageBox, QPlainTextEdit, QWidget

from inspector.gui import icons, theme
from inspector.gui.viewmodels.open_store import ImportPlan
from inspector.gui.widgets import layout
from inspector.gui.widgets.cells import TYPES


class RememberDialog(QDialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("New memory")
        self.content = QPlainTextEdit()
        self.content.setAccessibleName("Text of the memory")
        self.content.setPlaceholderText("One statement to remember…")
        self.content.setTabChangesFocus(True)
        self.type = QComboBox()
        self.type.setAccessibleName("Type")
        self.type.addItems(TYPES)
        self.type.setEditable(True)
        self.keep = layout.button("Keep", self.accept, kind="primary")
        self.keep.setEnabled(False)
        self.content.textChanged.connect(lambda: self.keep.setEnabled(bool(self.content.toPlainText().strip())))
        sentence = "It is compared with known memories: duplicates are recognised, contradictions are flagged."
        hint = layout.label(sentence, "muted", wraps=True)
        buttons = layout.row(
            layout.label("Type", "muted"), self.type, 1, layout.button("Cancel", self.reject), self.keep
        )
        self.setLayout(layout.column(self.content, hint, buttons, space=theme.MEDIUM, margins=theme.LARGE))
        self.resize(560, 300)


def import_question(parent: QWidget, path: Path, plan: ImportPlan) -> tuple[QDialog, bool]:
    """Return a dialog that shows what a file would import, and asks whether to."""
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(f"Import {path.name}")
    counts = layout.column(space=theme.TIGHT)
    for count, words in (
        (len(plan.new), "new memories"),
        (len(plan.links), "links"),
        (len(plan.duplicate), "known already, skipped"),
        (len(plan.conflicting), "exist with another text, skipped"),
        (len(plan.rejected), "rows that cannot be read"),
    ):
        if count:
            counts.addWidget(layout.label(f"{count:,} {words}"))
    can_import = bool(plan.new) and not plan.rejected
    verdict = "One undo reverts all of it." if can_import else "Nothing new in this file."
    if plan.rejected:
        verdict = f"Nothing is imported until every row is readable. The first that is not: {plan.rejected[0]}"
    accept = layout.button("Import", dialog.accept, kind="primary")
    accept.setEnabled(can_import)
    buttons = layout.row(1, layout.button("Cancel" if can_import else "Close", dialog.reject), accept)
    dialog.setLayout(
        layout.column(
            layout.label(path.name, "heading"), counts, layout.label(verdict, "muted", wraps=True), buttons,
            space=theme.MEDIUM, margins=theme.LARGE,
        )
    )  # fmt: skip
    dialog.setMinimumWidth(420)
    return dialog, can_import


def file_dialog(
    parent: QWidget, title: str, folder: Path, filter: str, *, save: bool = False, suffix: str = ""
) -> QFileDialog:
    dialog = QFileDialog(parent, title, str(folder), filter)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # nothing is ever overwritten: it is refused instead
    dialog.setFileMode(QFileDialog.FileMode.AnyFile if save else QFileDialog.FileMode.ExistingFile)
    if save:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
    return dialog


def about_box(parent: QWidget, version: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("About Memory Inspector")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIconPixmap(icons.app_icon().pixmap(64, 64))
    box.setText(f"Memory Inspector {version}")
    box.setInformativeText("See, query, explain and correct what agents remember.\nApache-2.0. No telemetry.")
    return box
