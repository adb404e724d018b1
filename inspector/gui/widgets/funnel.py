"""The funnel: for each source and stage the candidates that remain, those dropped and why, and the time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.pipeline.run_report import FunnelStep, label
from inspector.gui import theme
from inspector.gui.models.plain_text import plain_tip
from inspector.gui.widgets.cells import paint_text

ROW = 30
NAME, COUNT, TIME = 150, 92, 84


class Funnel(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Funnel of stages")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self._steps: tuple[FunnelStep, ...] = ()

    def show_steps(self, gates: Sequence[FunnelStep]) -> None:
        self._steps = tuple(gates)
        self.setAccessibleDescription("; ".join(_tip_text(step) for step in gates))
        self.updateGeometry()
        self.update()

    def _row(self, number: int) -> QRect:
        return QRect(theme.LARGE, theme.LARGE + ROW * (number + 1), self.width() - 2 * theme.LARGE, ROW)

    def _paint_head(self, painter: QPainter) -> None:
        painter.setFont(theme.font(size=11, weight=QFont.Weight.DemiBold))
        row = self._row(-1)
        paint_text(painter, QRect(row.x(), row.y(), NAME, ROW), "STEP", "muted")
        paint_text(painter, QRect(row.x() + NAME, row.y(), row.width(), ROW), "CANDIDATES", "muted")
        end = row.right() - TIME
        paint_text(painter, QRect(end - COUNT, row.y(), COUNT, ROW), "REMAINING", "muted", is_right=True)
        paint_text(painter, QRect(end, row.y(), TIME, ROW), "MS", "muted", is_right=True)

    def _paint_gate(self, painter: QPainter, row: QRect, step: FunnelStep, most: int) -> None:
        painter.setFont(theme.font())
        paint_text(painter, QRect(row.x(), row.y(), NAME - 8, ROW), _name(step), "text")
        room = row.width() - NAME - COUNT - TIME - theme.LARGE
        scale = room / most
        left = row.x() + NAME
        middle = row.center().y()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("border"))
        painter.drawRoundedRect(QRectF(left, middle - 7, max(step.entered, step.remaining) * scale, 15), 3, 3)
        painter.setBrush(theme.series(1) if step.is_source else theme.series(0))
        if step.remaining:
            painter.drawRoundedRect(QRectF(left, middle - 7, max(step.remaining * scale, 3), 15), 3, 3)
        painter.setFont(theme.font(size=11))
        words = _why(step)
        if words:  # after the bar of the remaining candidates
            at = left + int(step.remaining * scale) + 8
            paint_text(painter, QRect(at, row.y(), row.right() - TIME - COUNT - at, ROW), words, "muted")
        painter.setFont(theme.font())
        end = row.right() - TIME
        count = f"{step.remaining:,}" if step.is_source else f"{step.entered:,} → {step.remaining:,}"
        paint_text(painter, QRect(end - COUNT, row.y(), COUNT, ROW), count, "text", is_right=True)
        paint_text(painter, QRect(end, row.y(), TIME, ROW), f"{step.elapsed_ms:.2f}", "muted", is_right=True)

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(400, 2 * theme.LARGE + ROW * (len(self._steps) + 1))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: object) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        most = max((max(step.entered, step.remaining) for step in self._steps), default=0)
        if most:
            self._paint_head(painter)
        for number, step in enumerate(self._steps):
            self._paint_gate(painter, self._row(number), step, max(most, 1))
        painter.end()

    def event(self, event: object) -> bool:
        if isinstance(event, QHelpEvent):
            for number, step in enumerate(self._steps):
                if self._row(number).contains(event.pos()):
                    QToolTip.showText(event.globalPos(), plain_tip(_tip_text(step)), self)
                    return True
        return super().event(event)  # type: ignore[arg-type]


def _why(step: FunnelStep) -> str:
    kept_back = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in step.lost.items())
    return kept_back or step.note


def _tip_text(step: FunnelStep) -> str:
    counted = f"found {step.remaining:,}" if step.is_source else f"{step.entered:,} in, {step.remaining:,} out"
    words = " ".join(filter(None, (_why(step), step.note if step.lost else "")))
    return f"{_name(step)} ({step.name}): {counted}, {step.elapsed_ms:.2f} ms. {words}".strip()


def _name(step: FunnelStep) -> str:
    """Return the label of a step; that of a source says so, since a stage may be called after the list it reads."""
    return f"{label(step.name)} list" if step.is_source else label(step.name)
