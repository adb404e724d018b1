"""A label that takes no more width than there is: text that does not fit ends in dots."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

MIN_WIDTH = 40


class ElidedLabel(QLabel):
    """A label whose `text` is always the full text, as screen readers read it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._whole = ""

    def text(self) -> str:
        return self._whole

    def setText(self, text: str) -> None:
        self._whole = text
        self.setAccessibleName(text)
        self._fit()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        frame = hint.width() - self.fontMetrics().horizontalAdvance(super().text())
        return QSize(self.fontMetrics().horizontalAdvance(_line(self._whole)) + frame + 2, hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH if self._whole else 0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        frame = super().sizeHint().width() - self.fontMetrics().horizontalAdvance(super().text())
        room = max(0, self.width() - frame)
        super().setText(self.fontMetrics().elidedText(_line(self._whole), Qt.TextElideMode.ElideRight, room))


def _line(text: str) -> str:
    return " ".join(text.split())
