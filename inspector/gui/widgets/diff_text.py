"""A text before and after as one word diff: removed words struck out, new ones underlined, not by colour alone."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QColor, QTextCharFormat
from PySide6.QtWidgets import QTextEdit, QWidget

from core.word_diff import Piece
from inspector.gui import theme


class DiffText(QTextEdit):
    """A read-only word diff. Words are inserted as plain text with a format, so that no markup in them is read."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setProperty("kind", "reading")
        self._pieces: tuple[Piece, ...] = ()

    def show_diff(self, pieces: Iterable[Piece]) -> None:
        self._pieces = tuple(pieces)
        self.retint()

    def retint(self) -> None:
        """Show the diff again in the colours of the current theme."""
        self.clear()
        cursor = self.textCursor()
        for kind, words in self._pieces:
            cursor.insertText(words, _format(kind))


def _format(kind: str) -> QTextCharFormat:
    colours = theme.current()
    made = QTextCharFormat()
    made.setForeground(QColor(colours.text))
    if kind == "gone":
        made.setForeground(QColor(colours.danger))
        made.setBackground(QColor(colours.danger_back))
        made.setFontStrikeOut(True)
    elif kind == "differs":
        made.setForeground(QColor(colours.warning))
        made.setBackground(QColor(colours.warning_back))
        made.setFontUnderline(True)
    elif kind == "new":
        made.setForeground(QColor(colours.good))
        made.setBackground(QColor(colours.good_back))
        made.setFontUnderline(True)
    return made
