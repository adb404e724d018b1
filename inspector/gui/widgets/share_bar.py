"""A bar for a named number from 0 to 1."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.gui import theme
from inspector.gui.widgets.cells import paint_text

NAME, NUMBER, HEIGHT = 84, 46, 20


class ShareBar(QWidget):
    def __init__(self, name: str, series: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._series, self._share = name, series, 0.0
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_share(self, share: float) -> None:
        self._share = share
        self.setAccessibleDescription(f"{share:.3f}")
        self.update()

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def paintEvent(self, event: object) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(size=12))
        paint_text(painter, QRect(0, 0, NAME, HEIGHT), self._name, "muted")
        track = QRectF(NAME, HEIGHT / 2 - 3, self.width() - NAME - NUMBER - 8, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("hover"))
        painter.drawRoundedRect(track, 3, 3)
        painter.setBrush(theme.series(self._series))
        painter.drawRoundedRect(QRectF(track.x(), track.y(), track.width() * self._share, 6), 3, 3)
        paint_text(
            painter, QRect(self.width() - NUMBER, 0, NUMBER, HEIGHT), f"{self._share:.3f}", "text", is_right=True
        )
        painter.end()
