"""A question within the page: what would be done, Confirm and Cancel."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from inspector.gui import theme
from inspector.gui.widgets import layout


class ConfirmBar(QFrame):
    """A bar that is hidden until a question is asked; it also shows the outcome."""

    confirmed = Signal()
    cancelled = Signal()

    def __init__(self, do: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.sentence = layout.label("", wraps=True)
        self.sentence.setAccessibleName("Question")
        self.yes = layout.button(do, self.confirmed.emit, kind="primary", about="Do it (Ctrl+Return)")
        self.no = layout.button("Cancel", self.cancelled.emit, about="Change nothing (Esc)")
        margins = (theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)
        row = layout.row(self.sentence, self.no, self.yes, margins=margins)
        row.setStretch(0, 1)
        self.setLayout(row)
        self.hide()

    @property
    def is_asking(self) -> bool:
        return not self.isHidden() and not self.yes.isHidden()

    def ask(self, question: str) -> None:
        self._show(question, is_question=True)
        self.yes.setFocus()

    def show_message(self, sentence: str) -> None:
        """Show the outcome; an empty one hides the bar."""
        self._show(sentence, is_question=False)

    def _show(self, sentence: str, *, is_question: bool) -> None:
        self.sentence.setText(sentence)
        self.yes.setVisible(is_question)
        self.no.setVisible(is_question)
        self.setVisible(bool(sentence))
