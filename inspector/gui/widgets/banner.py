"""A line above the views, visible only while it has a message."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QWidget

from inspector.gui import theme
from inspector.gui.widgets import layout


class Banner(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.text = layout.label("", wraps=True)
        self.setLayout(layout.row(self.text, margins=(theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)))
        self.hide()

    def say(self, sentence: str) -> None:
        self.text.setText(sentence)
        self.setVisible(bool(sentence))
