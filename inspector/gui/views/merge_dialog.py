"""The preview of a merge: the merged memory, its confidence, and the memories that go into it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QPlainTextEdit, QScrollArea, QWidget

from core.model import Memory
from inspector.gui import theme
from inspector.gui.models.plain_text import excerpt, gist, plain_tip, shortened
from inspector.gui.viewmodels.curation import MergePreview
from inspector.gui.widgets import layout

SIZE = (640, 600)
MAX_LISTED = 20
LINE_CHARS = 200


class MergeDialog(QDialog):
    """A preview of a merge. `do` is the label of its button, `text` the edited text when it is accepted."""

    def __init__(self, preview: MergePreview, do: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preview = preview
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        merged = preview.merged
        self.setWindowTitle(f"Merge {len(preview.memories)} memories into memory {merged.id}")
        self.warning = layout.label(preview.warning, wraps=True)
        self.warning.setAccessibleName("Warning")
        self.warning_band = QFrame()
        self.warning_band.setObjectName("banner")
        self.warning_band.setLayout(layout.row(self.warning, margins=(theme.MEDIUM, theme.SMALL) * 2))
        self.warning_band.setVisible(bool(preview.warning))
        self.content = QPlainTextEdit(merged.content)
        self.content.setAccessibleName("Text of the merged memory")
        self.content.setTabChangesFocus(True)
        self.content.setMinimumHeight(96)
        self.content.textChanged.connect(self._show_confidence)
        self.confidence = layout.label("", wraps=True, selectable=True)
        self.others = layout.label(_others(merged), "muted", wraps=True, selectable=True)
        self.merge = layout.button(do, self.accept, kind="primary")
        buttons = layout.row(
            layout.label("One undo reverts it.", "muted"), 1, layout.button("Cancel", self.reject), self.merge
        )
        sources = self._sources()
        page = layout.column(
            self.warning_band,
            layout.label("TEXT OF THE MERGED MEMORY", "section"), self.content, self.confidence, self.others,
            layout.label("MADE OF", "section"), sources, buttons,
            space=theme.SMALL, margins=theme.LARGE,
        )  # fmt: skip
        page.setStretchFactor(self.content, 2)
        page.setStretchFactor(sources, 3)
        self.setLayout(page)
        self.resize(*SIZE)
        self._show_confidence()
        self.content.setFocus()

    @property
    def text(self) -> str | None:
        """Return the text, or None if it is that of the memory that stays."""
        typed = self.content.toPlainText().strip()
        return None if typed == self._preview.merged.content else typed

    def _sources(self) -> QScrollArea:
        rows = layout.column(space=theme.TIGHT, margins=theme.SMALL)
        for memory in self._preview.memories[:MAX_LISTED]:
            rows.addWidget(self._source(memory))
        left_out = len(self._preview.memories) - MAX_LISTED
        if left_out > 0:
            rows.addWidget(layout.label(f"and {left_out} more", "muted"))
        rows.addStretch(1)
        inner = layout.panel(rows)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        scroll.setMinimumHeight(120)
        return scroll

    def _source(self, memory: Memory) -> QWidget:
        stays = memory.id == self._preview.merged.id
        what = "stays, and has every link" if stays else "is superseded"
        title = layout.label(
            f"{memory.type.capitalize()} {memory.id} {what} · confidence {memory.confidence:.2f}", "muted"
        )
        text = layout.label(shortened(gist(memory), LINE_CHARS), wraps=True)
        text.setToolTip(plain_tip(excerpt(memory)))
        use = layout.button("Use its text", partial(self.content.setPlainText, memory.content), kind="link")
        use.setAccessibleName(f"Use the text of memory {memory.id}")
        made = QWidget()
        made.setLayout(layout.column(layout.row(title, 1, use), text, space=2))
        return made

    def _show_confidence(self) -> None:
        typed = self.content.toPlainText().strip()
        sure = self._preview.confidence(typed)
        self.confidence.setText(f"Confidence {sure.value:.2f}: {sure.reason}.")
        self.merge.setEnabled(bool(typed))


def _others(merged: Memory) -> str:
    """Return what else the merged memory would hold."""
    lines = [f"Tags: {', '.join(merged.tags) or 'none'}"]
    if merged.entities:
        lines.append(f"Entities: {', '.join(merged.entities)}")
    if merged.files:
        lines.append(f"Files: {', '.join(merged.files)}")
    lines.append(f"Importance: {merged.importance.value}{' · pinned' if merged.pinned else ''}")
    return "\n".join(lines)
