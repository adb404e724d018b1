"""One memory of the graph: its dot, and its text below it."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from core.model import Memory
from inspector.gui import theme
from inspector.gui.models.plain_text import gist, plain_tip, shortened
from inspector.gui.widgets.cells import type_colour

SCALE = 110.0
LABEL = 26


class NodePosition(Protocol):
    """A memory and its place on the canvas."""

    @property
    def memory(self) -> Memory: ...
    @property
    def hop(self) -> int: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def links(self) -> int: ...
    @property
    def hidden(self) -> int: ...


class NodeLabel(QGraphicsItem):
    """The text of a memory, below its dot and behind all dots; shown where it has room, and on hover."""

    def __init__(self, spot: NodePosition, radius: float) -> None:
        super().__init__()
        self._words = shortened(gist(spot.memory), LABEL)
        self._is_centre = spot.hop == 0
        wide = min(196, QFontMetrics(theme.font(size=11)).horizontalAdvance(self._words) + 8)
        self.area = QRectF(-wide / 2, radius + 4, wide, 17)
        self._has_room, self._is_strong = False, False
        self.setPos(spot.x * SCALE, spot.y * SCALE)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.show_for(is_strong=False)

    def show_for(self, *, is_strong: bool, is_raised: bool = False) -> None:
        self._is_strong = is_strong
        self.setZValue(4 if is_raised else 1)
        self.setVisible(self._has_room or is_strong)
        self.update()

    def give_room(self, has_room: bool) -> None:
        self._has_room = has_room
        self.setVisible(has_room or self._is_strong)

    # Qt

    def boundingRect(self) -> QRectF:
        return self.area.adjusted(-1, -1, 1, 1)

    def shape(self) -> QPainterPath:
        return QPainterPath()  # what is below it can be clicked

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setFont(theme.font(size=11))
        back = theme.colour("surface")
        back.setAlpha(215)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(self.area, 3, 3)
        painter.setPen(theme.colour("text" if self._is_strong or self._is_centre else "muted"))
        painter.drawText(self.area, int(Qt.AlignmentFlag.AlignCenter), self._words)


class GraphNode(QGraphicsItem):
    """The dot of a memory, of one size at any zoom."""

    def __init__(self, spot: NodePosition, *, is_in_crowd: bool) -> None:
        super().__init__()
        self.spot = spot
        self.glow = 0.0
        self.is_current = False
        size = 5.0 + min(spot.links, 12) * 0.5 + (3.0 if spot.hop == 0 else 0.0)
        self._radius = size * 0.6 if is_in_crowd and spot.hop else size
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setPos(spot.x * SCALE, spot.y * SCALE)
        self.words = NodeLabel(spot, self._radius)
        self.setZValue(2 if spot.hop else 3)
        self.setAcceptHoverEvents(True)
        more = f"\n{spot.hidden} more links: double click expands it" if spot.hidden else ""
        memory = spot.memory
        self.setToolTip(plain_tip(f"{memory.content[:600]}\n{memory.type}, {memory.status.value}{more}"))

    def set_current(self, is_current: bool) -> None:
        self.is_current = is_current
        self.words.show_for(is_strong=is_current)
        self.update()

    # Qt

    def boundingRect(self) -> QRectF:
        reach = self._radius + 14
        return QRectF(-reach, -reach, 2 * reach, 2 * reach)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addEllipse(QPointF(0, 0), self._radius + 3, self._radius + 3)
        return path

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if self.glow > 0:
            halo = theme.colour("accent")
            halo.setAlpha(round(30 + 110 * self.glow))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(halo)
            size = self._radius + 3 + 9 * self.glow
            painter.drawEllipse(QPointF(0, 0), size, size)
        colour = type_colour(self.spot.memory.type)
        if self.spot.memory.status.value != "active":
            colour = theme.colour("muted")
        edge = theme.colour("text") if self.is_current or self.spot.hop == 0 else theme.colour("surface")
        painter.setPen(QPen(edge, 2.4 if self.is_current or self.spot.hop == 0 else 1.2))
        painter.setBrush(QBrush(colour))
        painter.drawEllipse(QPointF(0, 0), self._radius, self._radius)
        if self.spot.hidden:
            painter.setPen(QPen(colour, 1.2, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(0, 0), self._radius + 4, self._radius + 4)

    def hoverEnterEvent(self, event: object) -> None:
        self.words.show_for(is_strong=True, is_raised=True)

    def hoverLeaveEvent(self, event: object) -> None:
        self.words.show_for(is_strong=self.is_current)
