"""Memories as dots and links as lines: drag to move, the wheel to come closer, arrows to walk from dot to dot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsLineItem,
    QGraphicsScene,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QWidget,
)

from core.model import Link, LinkKind, LinkStatus, Memory
from inspector.gui import theme
from inspector.gui.models.memory_table import plain_tip, shortened
from inspector.gui.widgets.cells import type_colour

SCALE = 110.0
LABEL = 26
MOST_LABELS = 16
CROWD = 120
BESIDE = 5.0
CLOSEST, FARTHEST = 3.0, 0.1

_KIND_COLOURS = {
    LinkKind.CONTRADICTS: "danger", LinkKind.SUPPORTS: "good", LinkKind.SUPERSEDES: "warning",
    LinkKind.TEMPORAL: "muted",
}  # fmt: skip
_KIND_SERIES = {
    LinkKind.RELATES: 0, LinkKind.TOPIC: 1, LinkKind.REFERENCE: 3, LinkKind.DEPENDS_ON: 2, LinkKind.SAME_AS: 5,
}  # fmt: skip


def kind_colour(kind: LinkKind) -> QColor:
    return theme.colour(_KIND_COLOURS[kind]) if kind in _KIND_COLOURS else theme.series(_KIND_SERIES[kind])


class Spot(Protocol):
    """A memory on the picture."""

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


class Words(QGraphicsItem):
    """What a memory says, below its dot and behind all dots."""

    def __init__(self, spot: Spot, radius: float, is_always: bool) -> None:
        super().__init__()
        self._words = shortened(spot.memory.summary or spot.memory.content, LABEL)
        self._top, self._is_always, self._is_centre = radius + 4, is_always, spot.hop == 0
        self._is_strong = False
        self.setPos(spot.x * SCALE, spot.y * SCALE)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.show_for(is_strong=False)

    def show_for(self, *, is_strong: bool, is_raised: bool = False) -> None:
        self._is_strong = is_strong
        self.setZValue(4 if is_raised else 1)
        self.setVisible(self._is_always or is_strong)
        self.update()

    # Qt

    def boundingRect(self) -> QRectF:
        return QRectF(-100, self._top, 200, 18)

    def shape(self) -> QPainterPath:
        return QPainterPath()  # what is below it can be clicked

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setFont(theme.font(size=11))
        wide = min(196, painter.fontMetrics().horizontalAdvance(self._words) + 8)
        area = QRectF(-wide / 2, self._top, wide, 17)
        back = theme.colour("surface")
        back.setAlpha(215)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(area, 3, 3)
        painter.setPen(theme.colour("text" if self._is_strong or self._is_centre else "muted"))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), self._words)


class Dot(QGraphicsItem):
    """Of one size however close one comes, so that its words can be read."""

    def __init__(self, spot: Spot, *, has_label: bool, is_in_crowd: bool) -> None:
        super().__init__()
        self.spot = spot
        self.glow = 0.0
        self.is_current = False
        size = 5.0 + min(spot.links, 12) * 0.5 + (3.0 if spot.hop == 0 else 0.0)
        self._radius = size * 0.6 if is_in_crowd and spot.hop else size
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setPos(spot.x * SCALE, spot.y * SCALE)
        self.words = Words(spot, self._radius, has_label)
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


class GraphCanvas(QGraphicsView):
    chosen = Signal(object)
    expand_wanted = Signal(object)
    centre_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = QGraphicsScene(self)
        self.setScene(self._scene)
        self.setAccessibleName("Graph of memories")
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self._spots: Sequence[Spot] = ()
        self._links: Sequence[Link] = ()
        self._active: Mapping[Any, float] = {}
        self._centre: int | None = None
        self.dots: dict[int, Dot] = {}
        self.current: int | None = None
        self.retint()

    def show_graph(self, spots: Sequence[Spot], links: Sequence[Link]) -> None:
        centre = next((spot.memory.id for spot in spots if spot.hop == 0), None)
        is_another = centre != self._centre
        self._spots, self._links, self._active, self._centre = spots, links, {}, centre
        if is_another or self.current not in {spot.memory.id for spot in spots}:
            self.current = centre
        self.setAccessibleDescription(f"{len(spots):,} memories and {len(links):,} links")
        self._draw()
        if is_another:
            self.show_all()

    def show_activation(self, active: Mapping[Any, float]) -> None:
        self._active = active
        for id, dot in self.dots.items():
            dot.glow = active.get(id, 0.0)
            dot.update()

    def choose(self, id: int) -> None:
        if id not in self.dots or id == self.current:
            return
        for each in (self.current, id):
            if each in self.dots:
                self.dots[each].set_current(each == id)
        self.current = id
        self.ensureVisible(self.dots[id], 20, 20)
        self.chosen.emit(id)

    def retint(self) -> None:
        self.setBackgroundBrush(theme.colour("surface"))
        self._draw()

    def show_all(self) -> None:
        area = self._area()
        self.fitInView(area.adjusted(-60, -30, 60, 50), Qt.AspectRatioMode.KeepAspectRatio)
        if self.transform().m11() > 1.4:
            self.resetTransform()
            self.scale(1.4, 1.4)
            self.centerOn(area.center())

    def _area(self) -> QRectF:
        """Where the dots lie; they have a size on the screen only."""
        places = [dot.pos() for dot in self.dots.values()] or [QPointF()]
        left, right = min(place.x() for place in places), max(place.x() for place in places)
        top, bottom = min(place.y() for place in places), max(place.y() for place in places)
        return QRectF(left, top, right - left, bottom - top)

    def _draw(self) -> None:
        self._scene.clear()
        near = sorted(self._spots, key=lambda spot: (spot.hop, -spot.links))[:MOST_LABELS]
        labelled = {spot.memory.id for spot in near}
        is_crowd = len(self._spots) > CROWD
        self.dots = {
            spot.memory.id: Dot(spot, has_label=spot.memory.id in labelled, is_in_crowd=is_crowd)
            for spot in self._spots
        }
        beside: Counter[frozenset[int]] = Counter()
        for link in self._links:
            pair = frozenset((link.source_id, link.target_id))
            self._scene.addItem(self._line(link, beside[pair] * BESIDE))
            beside[pair] += 1
        for id, dot in self.dots.items():
            dot.glow = self._active.get(id, 0.0)
            dot.set_current(id == self.current)
            self._scene.addItem(dot.words)
            self._scene.addItem(dot)
        self._scene.setSceneRect(self._area().adjusted(-900, -600, 900, 600))

    def _line(self, link: Link, aside: float) -> QGraphicsLineItem:
        """Several links between the same two lie beside each other."""
        way = QLineF(self.dots[link.source_id].pos(), self.dots[link.target_id].pos())
        if link.source_id > link.target_id:
            aside = -aside
        across = way.normalVector().unitVector()
        line = QGraphicsLineItem(way.translated(across.dx() * aside, across.dy() * aside))
        colour = kind_colour(link.kind)
        colour.setAlpha(170)
        style = Qt.PenStyle.DashLine if link.status is LinkStatus.OPEN else Qt.PenStyle.SolidLine
        pen = QPen(colour, 0.8 + 2.6 * min(max(link.weight, 0.0), 1.0), style)
        pen.setCosmetic(True)
        line.setPen(pen)
        words = link.kind.value.replace("_", " ")
        line.setToolTip(plain_tip(f"{words}, weight {link.weight:.2f}, {link.status.value}"))
        return line

    def _zoom(self, factor: float) -> None:
        if FARTHEST < self.transform().m11() * factor < CLOSEST:
            self.scale(factor, factor)

    def _walk(self, x: int, y: int) -> None:
        """To the nearest dot in a direction."""
        if self.current not in self.dots:
            return
        here = self.dots[self.current].pos()
        best, least = None, float("inf")
        for id, dot in self.dots.items():
            way = dot.pos() - here
            ahead, aside = way.x() * x + way.y() * y, abs(way.x() * y) + abs(way.y() * x)
            if id != self.current and ahead > abs(aside) * 0.3 and ahead + 2 * aside < least:
                best, least = id, ahead + 2 * aside
        if best is not None:
            self.choose(best)

    def _dot_at(self, event: QMouseEvent) -> Dot | None:
        item = self.itemAt(event.position().toPoint())
        return item if isinstance(item, Dot) else None

    # Qt

    def mousePressEvent(self, event: QMouseEvent) -> None:
        dot = self._dot_at(event)
        if dot is not None and event.button() is Qt.MouseButton.LeftButton:
            self.choose(dot.spot.memory.id)
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        dot = self._dot_at(event)
        if dot is not None:
            self.expand_wanted.emit(dot.spot.memory.id)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._zoom(1.15 if event.angleDelta().y() > 0 else 1 / 1.15)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ways = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
        key = event.key()
        if key in ways:
            self._walk(*ways[Qt.Key(key)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._zoom(1.25)
        elif key == Qt.Key.Key_Minus:
            self._zoom(0.8)
        elif key == Qt.Key.Key_0:
            self.show_all()
        elif key == Qt.Key.Key_Space and self.current is not None:
            self.expand_wanted.emit(self.current)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.centre_wanted.emit(self.current)
        else:
            super().keyPressEvent(event)
