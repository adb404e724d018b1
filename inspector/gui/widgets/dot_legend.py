"""A legend of colours: dots with their names, in as many lines as needed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.gui import theme
from inspector.gui.widgets.cells import paint_text

LINE, GAP, DOT = 20, 16, 8


class DotLegend(QWidget):
    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._entries: tuple[tuple[str, QColor], ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_entries(self, entries: Sequence[tuple[str, QColor]]) -> None:
        self._entries = tuple(entries)
        self.setAccessibleDescription(", ".join(name for name, _ in entries))
        self.updateGeometry()
        self.update()

    def _places(self, width: int) -> list[QRect]:
        metrics = QFontMetrics(theme.font(size=12))
        x = y = 0
        found = []
        for name, _ in self._entries:
            wide = DOT + 6 + metrics.horizontalAdvance(name) + 2
            if x and x + wide > width:
                x, y = 0, y + LINE
            found.append(QRect(x, y, wide, LINE))
            x += wide + GAP
        return found

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return places[-1].bottom() + 1 if places else LINE

    def paintEvent(self, event: object) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(size=12))
        for place, (name, colour) in zip(self._places(self.width()), self._entries, strict=True):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(QRectF(place.x(), place.center().y() - DOT / 2 + 1, DOT, DOT))
            paint_text(painter, place.adjusted(DOT + 6, 0, 4, 0), name, "muted")
        painter.end()
