"""What stands where there is nothing yet: an icon, a sentence, perhaps what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from inspector.gui import icons, theme
from inspector.gui.widgets import layout


class Empty(QWidget):
    def __init__(self, icon: str, title: str, sentence: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = icon
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.title = layout.label(title, "heading")
        self.title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sentence = layout.label(sentence, "muted", wraps=True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setLayout(
            layout.column(1, self._picture, self.title, self.sentence, 2, space=theme.SMALL, margins=theme.LARGE)
        )
        self.retint()

    def say(self, title: str, sentence: str = "", icon: str = "") -> None:
        if icon and icon != self._icon:
            self._icon = icon
            self.retint()
        self.title.setText(title)
        self.sentence.setText(sentence)

    def retint(self) -> None:
        self._picture.setPixmap(icons.pixmap(self._icon, 36, "muted", self.devicePixelRatioF()))
