"""The content of an empty page: an icon, a sentence, and buttons with next steps."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from inspector.gui import icons, theme
from inspector.gui.widgets import layout


class EmptyState(QWidget):
    def __init__(
        self,
        icon: str,
        title: str,
        sentence: str = "",
        buttons: Sequence[QPushButton] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.title = layout.label(title, "heading")
        self.title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sentence = layout.label(sentence, "muted", wraps=True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        words = layout.column(self._picture, self.title, self.sentence, space=theme.SMALL)
        next_steps = layout.row(1, *buttons, 1)
        self.setLayout(layout.column(1, words, next_steps, 2, space=theme.LARGE, margins=theme.LARGE))
        self.retint()

    def say(self, title: str, sentence: str = "", icon: str = "") -> None:
        if icon and icon != self._icon:
            self._icon = icon
            self.retint()
        self.title.setText(title)
        self.sentence.setText(sentence)

    def retint(self) -> None:
        self._picture.setPixmap(icons.pixmap(self._icon, 36, "muted", self.devicePixelRatioF()))
