"""The canvas of the graph: memories as dots, links as lines; drag to move, wheel to zoom, arrows to go from dot to
dot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsLineItem, QGraphicsScene, QGraphicsView, QWidget

from core import formatting
from core.model import Link, LinkKind, LinkStatus
from inspector.gui import theme
from inspector.gui.models.plain_text import plain_tip
from inspector.gui.ops import once
from inspector.gui.widgets.graph_dot import GraphNode, NodePosition

MAX_LABELS = 24
SETTLED_MS = 120
CROWD = 120
LINK_SPACING = 5.0
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


class GraphCanvas(QGraphicsView):
    memory_selected = Signal(object)
    expand_wanted = Signal(object)
    centre_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = QGraphicsScene(self)
        self.setScene(self._scene)
        self.setAccessibleName("Graph of memories")
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self._spots: Sequence[NodePosition] = ()
        self._links: Sequence[Link] = ()
        self._active: Mapping[Any, float] = {}
        self._centre: int | None = None
        self.dots: dict[int, GraphNode] = {}
        self.current: int | None = None
        self._settling = once(self, SETTLED_MS, self._settle)
        self.retint()

    def show_graph(self, spots: Sequence[NodePosition], links: Sequence[Link]) -> None:
        centre = next((spot.memory.id for spot in spots if spot.hop == 0), None)
        is_another = centre != self._centre
        self._spots, self._links, self._active, self._centre = spots, links, {}, centre
        if is_another or self.current not in {spot.memory.id for spot in spots}:
            self.current = centre
        self.setAccessibleDescription(f"{formatting.memories(len(spots))} and {formatting.counted(len(links), 'link')}")
        middle = self.mapToScene(self.viewport().rect().center())
        self._draw()
        if is_another:
            self.show_all()
        else:  # a larger graph has other bounds, and the visible part must not move
            self.centerOn(middle)
            self._settle()

    def show_activation(self, active: Mapping[Any, float]) -> None:
        self._active = active
        for id, dot in self.dots.items():
            dot.glow = active.get(id, 0.0)
            dot.update()

    def select_memory(self, id: int) -> None:
        if id not in self.dots or id == self.current:
            return
        for each in (self.current, id):
            if each in self.dots:
                self.dots[each].set_current(each == id)
        self.current = id
        self.ensureVisible(self.dots[id], 20, 20)
        self._settling.start()
        self.memory_selected.emit(id)

    def retint(self) -> None:
        self.setBackgroundBrush(theme.colour("surface"))
        self._draw()

    def show_all(self) -> None:
        """Zoom so that every dot is visible with its text, which has one size at any zoom."""
        area = self._area()
        widest = max((dot.words.area.width() for dot in self.dots.values()), default=0.0)
        room = QRectF(self.viewport().rect()).adjusted(widest / 2, 30, -widest / 2, -50)
        scale = min(max(room.width(), 1) / max(area.width(), 1), max(room.height(), 1) / max(area.height(), 1), 1.4)
        self.resetTransform()
        self.scale(scale, scale)
        self.centerOn(area.center() + QPointF(0, 10 / scale))
        self._settle()

    def _area(self) -> QRectF:
        """Return the rectangle of the dots' centres; their size is in pixels."""
        places = [dot.pos() for dot in self.dots.values()] or [QPointF()]
        left, right = min(place.x() for place in places), max(place.x() for place in places)
        top, bottom = min(place.y() for place in places), max(place.y() for place in places)
        return QRectF(left, top, right - left, bottom - top)

    def _draw(self) -> None:
        self._scene.clear()
        is_crowd = len(self._spots) > CROWD
        self.dots = {
            spot.memory.id: GraphNode(spot, is_in_crowd=is_crowd)
            for spot in sorted(self._spots, key=lambda spot: (spot.hop, -spot.links))
        }
        beside: Counter[frozenset[int]] = Counter()
        for link in self._links:
            pair = frozenset((link.source_id, link.target_id))
            self._scene.addItem(self._line(link, beside[pair] * LINK_SPACING))
            beside[pair] += 1
        for id, dot in self.dots.items():
            dot.glow = self._active.get(id, 0.0)
            dot.set_current(id == self.current)
            self._scene.addItem(dot.words)
            self._scene.addItem(dot)
        self._scene.setSceneRect(self._area().adjusted(-900, -600, 900, 600))
        self._settle()

    def _settle(self) -> None:
        """Draw smooth lines again when nothing moves, and texts where they cover no other: that of the selected memory
        first, then the nearest and most linked."""
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen, taken = QRectF(self.viewport().rect()), list[QRectF]()
        for dot in sorted(self.dots.values(), key=lambda dot: not dot.is_current):
            area = dot.words.area.translated(self.mapFromScene(dot.pos()))
            has_room = len(taken) < MAX_LABELS and area.intersects(seen) and not any(map(area.intersects, taken))
            dot.words.give_room(has_room)
            if has_room:
                taken.append(area)

    def _line(self, link: Link, aside: float) -> QGraphicsLineItem:
        """Return the line of a link; several links between the same two memories are drawn side by side."""
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
        scale = self.transform().m11() * factor
        if scale < CLOSEST if factor > 1 else scale > FARTHEST:  # a wide graph may start at a smaller scale
            # Antialiasing is most of the work and is not visible during zooming.
            self.setRenderHint(QPainter.RenderHint.Antialiasing, len(self._links) < CROWD)
            self.scale(factor, factor)
            self._settling.start()

    def _walk(self, x: int, y: int) -> None:
        """Go to the nearest dot in a direction."""
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
            self.select_memory(best)

    def _dot_at(self, event: QMouseEvent) -> GraphNode | None:
        item = self.itemAt(event.position().toPoint())
        return item if isinstance(item, GraphNode) else None

    # Qt

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self._settling.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._settling.start()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        dot = self._dot_at(event)
        if dot is not None and event.button() is Qt.MouseButton.LeftButton:
            self.select_memory(dot.spot.memory.id)
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
