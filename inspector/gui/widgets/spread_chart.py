"""A histogram of the store by remaining score, from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core import formatting
from inspector.gui import theme
from inspector.gui.models.plain_text import plain_tip

LEFT, RIGHT, TOP, BOTTOM = 16, 16, 12, 26
GAP = 3


class SpreadChart(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Number of memories by remaining score")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._counts: tuple[int, ...] = ()

    def show_counts(self, counts: Sequence[int]) -> None:
        self._counts = tuple(counts)
        self.setAccessibleDescription("; ".join(self._tip_text(number) for number in range(len(counts))))
        self.update()

    def _bar(self, number: int) -> QRectF:
        width = (self.width() - LEFT - RIGHT) / len(self._counts)
        most = max(self._counts) or 1
        room = self.height() - TOP - BOTTOM
        height = room * self._counts[number] / most
        return QRectF(LEFT + number * width + GAP / 2, TOP + room - height, width - GAP, max(height, 1))

    def _tip_text(self, number: int) -> str:
        low, high = number / len(self._counts), (number + 1) / len(self._counts)
        return f"{low:.2f} to {high:.2f} remaining: {formatting.memories(self._counts[number])}"

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(400, 132)

    def paintEvent(self, event: object) -> None:
        if not self._counts:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(size=11))
        painter.setPen(Qt.PenStyle.NoPen)
        for number, count in enumerate(self._counts):
            painter.setBrush(theme.series(0) if count else theme.colour("hover"))
            painter.drawRoundedRect(self._bar(number), 2, 2)
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            x = LEFT + (self.width() - LEFT - RIGHT) * share
            painter.setPen(theme.colour("muted"))
            area = QRect(int(min(max(x - 30, 0), self.width() - 60)), self.height() - BOTTOM + 6, 60, 16)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), f"{share:g}")
        painter.end()

    def event(self, event: object) -> bool:
        if isinstance(event, QHelpEvent) and self._counts:
            for number in range(len(self._counts)):
                bar = self._bar(number)
                if bar.left() <= event.pos().x() <= bar.right():
                    QToolTip.showText(event.globalPos(), plain_tip(self._tip_text(number)), self)
                    return True
        return super().event(event)  # type: ignore[arg-type]
