"""Decay curves over time with events, thresholds, and a line for the moment that can be dragged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.pipeline.decay_curves import THRESHOLDS, Curve, CurveEvent
from inspector.gui import theme
from inspector.gui.models.plain_text import absolute, day, plain_tip, shortened
from inspector.gui.widgets.cells import paint_text

LEFT, RIGHT, TOP, BOTTOM = 48, 20, 30, 34
LINES = (1.0, 0.75, 0.0)
KEY_STEPS = 100
NEAR = 10.0


class DecayChart(QWidget):
    """The chart; `moment_dragged` follows the line, which the arrow keys move too."""

    moment_dragged = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Decay curves; the arrow keys move the moment")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self._curves: tuple[Curve, ...] = ()
        self._overlays: tuple[tuple[str, Curve], ...] = ()
        self._span: tuple[datetime, datetime, datetime] | None = None
        self._moment: datetime | None = None
        self._is_dragging = False

    def show_curves(
        self,
        curves: Sequence[Curve],
        overlays: Sequence[tuple[str, Curve]],
        span: tuple[datetime, datetime, datetime],
        moment: datetime,
    ) -> None:
        """Show curves; the span is begin, now and end."""
        self._curves, self._overlays = tuple(curves), tuple(overlays)
        self._span, self._moment = span, moment
        self.update()

    @property
    def moment(self) -> datetime | None:
        return self._moment

    # where things are

    def _x(self, at: datetime) -> float:
        assert self._span is not None
        begin, _, end = self._span
        return LEFT + (self.width() - LEFT - RIGHT) * ((at - begin) / (end - begin))

    def _y(self, value: float) -> float:
        return TOP + (self.height() - TOP - BOTTOM) * (1 - value)

    def _moment_at(self, x: float) -> datetime:
        assert self._span is not None
        begin, _, end = self._span
        share = (x - LEFT) / max(self.width() - LEFT - RIGHT, 1)
        return begin + (end - begin) * min(max(share, 0.0), 1.0)

    def _move_to(self, moment: datetime) -> None:
        self._moment = moment
        self.update()
        self.moment_dragged.emit(moment)

    # painting

    def _paint_grid(self, painter: QPainter) -> None:
        painter.setFont(theme.font(size=11))
        for value in sorted({*LINES, *THRESHOLDS}):
            y = self._y(value)
            is_threshold = value in THRESHOLDS
            pen = QPen(theme.colour("border" if is_threshold else "hover"), 1)
            if is_threshold:
                pen.setStyle(Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawLine(QPointF(LEFT, y), QPointF(self.width() - RIGHT, y))
            paint_text(painter, QRect(0, int(y) - 8, LEFT - 8, 16), f"{value:g}", "muted", is_right=True)
        assert self._span is not None
        begin, now, end = self._span
        steps = 6
        for number in range(steps + 1):
            at = begin + (end - begin) * (number / steps)
            x = int(self._x(at))
            area = QRect(min(max(x - 45, 0), self.width() - 90), self.height() - BOTTOM + 8, 90, 16)
            painter.setPen(theme.colour("muted"))
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), day(at))
        painter.setPen(QPen(theme.colour("muted"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(self._x(now), TOP), QPointF(self._x(now), self.height() - BOTTOM))

    def _paint_curve(self, painter: QPainter, curve: Curve, pen: QPen) -> None:
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([QPointF(self._x(at), self._y(value)) for at, value in curve.points]))

    def _paint_happenings(self, painter: QPainter, curve: Curve, colour: QColor) -> None:
        for each in curve.happenings:
            if self._is_inside(each):
                at = self._point(each)
                painter.setPen(QPen(theme.colour("surface"), 1.5))
                painter.setBrush(colour)
                if each.what in ("edited", "reinforced", "merged", "restored", "pinned", "unpinned", "archived"):
                    painter.drawRect(QRectF(at.x() - 4.5, at.y() - 4.5, 9, 9))
                else:
                    painter.drawEllipse(at, 5, 5)

    def _paint_overlay(self, painter: QPainter, number: int, name: str, curve: Curve) -> None:
        colour = theme.colour("muted")
        self._paint_curve(painter, curve, QPen(colour, 1.4, Qt.PenStyle.DashDotLine))
        if curve.points:
            at = curve.points[len(curve.points) * (5 + number) // 12]
            painter.setFont(theme.font(size=11))
            place = QRect(int(self._x(at[0])) + 4, int(self._y(at[1])) - 18, 120, 16)
            paint_text(painter, place, name, "muted")

    def _paint_moment(self, painter: QPainter) -> None:
        assert self._moment is not None
        x = self._x(self._moment)
        painter.setPen(QPen(theme.colour("accent"), 2))
        painter.drawLine(QPointF(x, TOP - 4), QPointF(x, self.height() - BOTTOM))
        words = day(self._moment)
        painter.setFont(theme.font(size=11))
        width = painter.fontMetrics().horizontalAdvance(words) + 16
        left = min(max(x - width / 2, 2), self.width() - width - 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent"))
        painter.drawRoundedRect(QRectF(left, 4, width, 20), 10, 10)
        painter.setPen(theme.colour("on_accent"))
        painter.drawText(QRectF(left, 4, width, 20), int(Qt.AlignmentFlag.AlignCenter), words)

    def _point(self, happening: CurveEvent) -> QPointF:
        return QPointF(self._x(happening.at), self._y(happening.value))

    def _is_inside(self, happening: CurveEvent) -> bool:
        return self._span is not None and self._span[0] <= happening.at <= self._span[2]

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(700, 380)

    def minimumSizeHint(self) -> QSize:
        return QSize(400, 240)

    def paintEvent(self, event: object) -> None:
        if self._span is None or self._moment is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_grid(painter)
        for number, (name, overlay) in enumerate(self._overlays):
            self._paint_overlay(painter, number, name, overlay)
        for number, curve in enumerate(self._curves):
            self._paint_curve(painter, curve, QPen(theme.series(number), 2.2))
        for number, curve in enumerate(self._curves):
            self._paint_happenings(painter, curve, theme.series(number))
        self._paint_moment(painter)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._span is not None and event.button() is Qt.MouseButton.LeftButton:
            self._is_dragging = True
            self._move_to(self._moment_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._span is None or self._moment is None:
            return
        if self._is_dragging:
            self._move_to(self._moment_at(event.position().x()))
        is_near = abs(event.position().x() - self._x(self._moment)) < NEAR
        self.setCursor(Qt.CursorShape.SplitHCursor if is_near or self._is_dragging else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._is_dragging = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        way = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if way is None or self._span is None or self._moment is None:
            super().keyPressEvent(event)
            return
        begin, _, end = self._span
        moved = self._moment + (end - begin) / KEY_STEPS * way
        self._move_to(min(max(moved, begin), end))

    def event(self, event: object) -> bool:
        if isinstance(event, QHelpEvent) and self._span is not None:
            for curve in self._curves:
                for each in curve.happenings:
                    if self._is_inside(each) and (self._point(each) - event.pos()).manhattanLength() < NEAR:
                        lines = (
                            shortened(curve.memory.content, 80),
                            f"{each.what} {absolute(each.at)}",
                            f"{each.value:.3f} remaining",
                        )
                        words = "\n".join(lines)
                        QToolTip.showText(event.globalPos(), plain_tip(words), self)
                        return True
        return super().event(event)  # type: ignore[arg-type]
