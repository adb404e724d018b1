"""The rank-flow chart: each memory's rank in every list and after every stage, as a line from left to right."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QMouseEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.pipeline.run_report import RankPath, RankPaths, label
from inspector.gui import theme
from inspector.gui.models.plain_text import one_line
from inspector.gui.widgets.cells import paint_text

TOP, BOTTOM, LEFT = 44, 14, 40
NAMES = 300
MAX_RANKS = 14
NEAR = 9.0


class RankFlow(QWidget):
    """The chart; the line under the mouse is highlighted, a click emits its memory."""

    memory_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Rank of each memory from stage to stage")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self._flow = RankPaths((), ())
        self._near: RankPath | None = None

    def show_flow(self, flow: RankPaths) -> None:
        self._flow = flow
        self._near = None
        self.setAccessibleDescription("; ".join(f"{one_line(line.content)[:60]}: {line.ranks}" for line in flow.lines))
        self.update()

    # where things are

    def _lowest(self) -> int:
        ranks = [rank for line in self._flow.lines for rank in line.ranks if rank is not None]
        return min(max(ranks, default=1), MAX_RANKS)

    def _x(self, stop: int) -> float:
        room = self.width() - LEFT - NAMES - theme.LARGE
        return LEFT + 24 + room * stop / max(len(self._flow.stops) - 1, 1)

    def _y(self, rank: int) -> float:
        room = self.height() - TOP - BOTTOM
        lowest = self._lowest()
        return TOP + room * (min(rank, lowest + 1) - 0.5) / (lowest + 1)

    def _points(self, line: RankPath) -> list[QPointF]:
        return [QPointF(self._x(stop), self._y(rank)) for stop, rank in enumerate(line.ranks) if rank is not None]

    # painting

    def _paint_axes(self, painter: QPainter) -> None:
        lowest = self._lowest()
        painter.setFont(theme.font(size=11))
        for rank in range(1, lowest + 2):
            y = self._y(rank)
            painter.setPen(QPen(theme.colour("hover"), 1))
            painter.drawLine(QPointF(LEFT, y), QPointF(self._x(len(self._flow.stops) - 1), y))
            words = str(rank) if rank <= lowest else f"{lowest}+"
            paint_text(painter, QRect(0, int(y) - 8, LEFT - 10, 16), words, "muted", is_right=True)
        painter.setFont(theme.font(size=11, weight=QFont.Weight.DemiBold))
        painter.setPen(theme.colour("muted"))
        measure, apart = painter.fontMetrics(), self._x(1) - self._x(0)
        is_crowded = any(measure.horizontalAdvance(label(name)) + 8 > apart for name in self._flow.stops)
        wide = 2 * apart if is_crowded else apart
        for stop, name in enumerate(self._flow.stops):  # where they would run into each other, every second one lower
            area = QRectF(self._x(stop) - wide / 2, 20 if is_crowded and stop % 2 else 6, wide, 16)
            words = measure.elidedText(label(name), Qt.TextElideMode.ElideRight, int(wide) - 8)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), words)

    def _paint_line(self, painter: QPainter, line: RankPath, number: int) -> None:
        points = self._points(line)
        if not points:
            return
        colour = theme.series(number) if line.is_result else theme.colour("muted")
        is_near = line is self._near
        if self._near is not None and not is_near:
            colour.setAlphaF(0.22)
        pen = QPen(colour, 3.2 if is_near else 2.0)
        if not line.is_result:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        path = QPainterPath(points[0])
        for before, now in pairwise(points):
            middle = (before.x() + now.x()) / 2
            path.cubicTo(QPointF(middle, before.y()), QPointF(middle, now.y()), now)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for point in points:
            painter.drawEllipse(point, 3.4, 3.4)
        if line.ranks[-1] is not None:
            painter.setFont(theme.font(size=12))
            area = QRect(
                int(points[-1].x()) + 10,
                int(points[-1].y()) - 9,
                self.width() - int(points[-1].x()) - 10 - theme.MEDIUM,
                18,
            )
            paint_text(painter, area, one_line(line.content), "text" if is_near or self._near is None else "muted")

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(640, 320)

    def minimumSizeHint(self) -> QSize:
        return QSize(420, 220)

    def paintEvent(self, event: object) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._flow.lines:
            self._paint_axes(painter)
            for number, line in enumerate(self._flow.lines):
                self._paint_line(painter, line, number)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        near = None
        for line in self._flow.lines:
            if any((point - at).manhattanLength() < NEAR for point in self._points(line)):
                near = line
        last = self._x(len(self._flow.stops) - 1) if self._flow.stops else 0
        if near is None and at.x() > last:
            ends = ((line, line.ranks[-1]) for line in self._flow.lines)
            near = next((line for line, end in ends if end is not None and abs(self._y(end) - at.y()) < NEAR), None)
        if near is not self._near:
            self._near = near
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._near is not None:
            self.memory_wanted.emit(self._near.id)

    def leaveEvent(self, event: object) -> None:
        self._near = None
        self.update()
