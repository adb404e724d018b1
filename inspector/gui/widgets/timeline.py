"""Two lanes of dots over time: when each of two memories was written, edited and used."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from inspector.gui import theme
from inspector.gui.models.plain_text import absolute, day, plain_tip
from inspector.gui.widgets.cells import paint_text

LEFT, RIGHT, HEIGHT = 34, 24, 116
LANES = (38, 72)


class Event(Protocol):
    @property
    def at(self) -> datetime: ...
    @property
    def is_a(self) -> bool: ...
    @property
    def what(self) -> str: ...


class Timeline(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("When each memory was written, edited and used")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._events: tuple[Event, ...] = ()

    def show_events(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)
        self.setAccessibleDescription("; ".join(_tip_text(event) for event in events))
        self.update()

    def _at(self, event: Event) -> QPointF:
        first, last = self._events[0].at, self._events[-1].at
        span = (last - first).total_seconds() or 1.0
        share = (event.at - first).total_seconds() / span
        return QPointF(LEFT + (self.width() - LEFT - RIGHT) * share, LANES[0] if event.is_a else LANES[1])

    def _paint_labels(self, painter: QPainter) -> None:
        """Paint each word at its dot, moved aside where two would overlap."""
        painter.setFont(theme.font(size=11))
        taken: dict[bool, float] = {True: -1e9, False: -1e9}
        for event in self._events:
            at = self._at(event)
            width = painter.fontMetrics().horizontalAdvance(event.what) + 4
            x = max(min(at.x() - width / 2, self.width() - width - 4), taken[event.is_a] + 4)
            y = int(at.y()) - 26 if event.is_a else int(at.y()) + 8
            if x + width < self.width():
                paint_text(painter, QRect(int(x), y, int(width) + 2, 18), event.what, "muted")
                taken[event.is_a] = x + width

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def paintEvent(self, event: object) -> None:
        if not self._events:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, (name, y) in enumerate(zip("AB", LANES, strict=True)):
            painter.setFont(theme.font(size=12))
            painter.setPen(theme.series(number * 2))
            painter.drawText(QRect(0, y - 9, LEFT - 14, 18), int(Qt.AlignmentFlag.AlignRight), name)
            painter.setPen(QPen(theme.colour("border"), 2))
            painter.drawLine(QPointF(LEFT, y), QPointF(self.width() - RIGHT, y))
        for each in self._events:
            painter.setPen(QPen(theme.colour("surface"), 2))
            painter.setBrush(theme.series(0 if each.is_a else 2))
            painter.drawEllipse(self._at(each), 6, 6)
        self._paint_labels(painter)
        painter.setFont(theme.font(size=11))
        first, last = day(self._events[0].at), absolute(self._events[-1].at)[:10]
        paint_text(painter, QRect(LEFT, HEIGHT - 18, 120, 16), first, "muted")
        paint_text(painter, QRect(self.width() - RIGHT - 120, HEIGHT - 18, 120, 16), last, "muted", is_right=True)
        painter.end()

    def event(self, event: object) -> bool:
        if isinstance(event, QHelpEvent):
            near = [each for each in self._events if (self._at(each) - event.pos()).manhattanLength() < 12]
            if near:
                QToolTip.showText(event.globalPos(), plain_tip("\n".join(map(_tip_text, near))), self)
                return True
        return super().event(event)  # type: ignore[arg-type]


def _tip_text(event: Event) -> str:
    return f"{'A' if event.is_a else 'B'} {event.what} {absolute(event.at)}"
