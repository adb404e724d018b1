"""The store's vectors as dots on a plane, coloured by type or age; the dot under the mouse is named, as plain text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core import formatting
from inspector.gui import theme
from inspector.gui.models.plain_text import plain_tip, shortened

DOT = 8


class MapPoint(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def type(self) -> str: ...
    @property
    def age(self) -> str: ...
    @property
    def gist(self) -> str: ...


class EmbeddingMap(QWidget):
    """The map: drag to move, wheel to zoom, click to open a memory. By key: arrows go from dot to dot, Enter opens the
    current one, + - 0 zoom."""

    memory_wanted = Signal(object)

    def __init__(self, colour_of: Callable[[MapPoint], QColor], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colour_of = colour_of
        self._dots: Sequence[MapPoint] = ()
        self._plot = pg.PlotWidget()
        self._plot.setAccessibleName("Embedding map")
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.hideButtons()
        self._plot.setMenuEnabled(False)
        for side in ("left", "bottom"):
            self._plot.hideAxis(side)
        self._scatter = pg.ScatterPlotItem(size=DOT, hoverable=True, hoverSize=DOT + 5, tip=self._tip)
        self._scatter.sigClicked.connect(self._on_clicked)
        self._plot.addItem(self._scatter)
        self.current: MapPoint | None = None
        self._ring = pg.ScatterPlotItem(size=DOT + 8)
        self._words = pg.TextItem(anchor=(0.5, -0.6))
        for each in (self._ring, self._words):
            self._plot.addItem(each)
        self._plot.setAspectLocked(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Embedding map")
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._plot)
        self.retint()

    @property
    def dots(self) -> Sequence[MapPoint]:
        return self._dots

    def show_dots(self, dots: Sequence[MapPoint]) -> None:
        self._dots = tuple(dots)
        self.current = None
        self.setAccessibleDescription(f"{formatting.memories(len(self._dots))}; similar memories are close together")
        self.retint()
        self.show_all()

    def colour_by(self, colour_of: Callable[[MapPoint], QColor]) -> None:
        self._colour_of = colour_of
        self.retint()

    def retint(self) -> None:
        self._plot.setBackground(theme.colour("surface"))
        brushes = []
        for dot in self._dots:
            colour = QColor(self._colour_of(dot))
            colour.setAlpha(200)
            brushes.append(pg.mkBrush(colour))
        edge = pg.mkPen(theme.colour("surface"), width=1)
        self._scatter.setData(
            x=[dot.x for dot in self._dots], y=[dot.y for dot in self._dots], data=list(self._dots), brush=brushes,
            pen=edge, hoverPen=pg.mkPen(theme.colour("text"), width=1.5),
        )  # fmt: skip

        self._show_current()

    def walk(self, x: int, y: int) -> None:
        """Go to the nearest dot in a direction; the first time to the one nearest to the centre."""
        here = self.current
        middle = self._plot.getViewBox().viewRect().center()
        from_x, from_y = (here.x, here.y) if here is not None else (middle.x(), middle.y())

        def far(dot: MapPoint) -> float:
            ahead, aside = (dot.x - from_x) * x + (dot.y - from_y) * y, abs(dot.x - from_x) * abs(y)
            aside += abs(dot.y - from_y) * abs(x)
            if here is None:
                return abs(dot.x - from_x) + abs(dot.y - from_y)
            return ahead + 2 * aside if ahead > 0.3 * aside and dot is not here else math.inf

        found = min(self._dots, key=far, default=None)
        if found is not None and far(found) < math.inf:
            self.current = found
            self._show_current()

    def _show_current(self) -> None:
        dot = self.current
        self._words.setVisible(dot is not None)
        self._ring.setData(x=[] if dot is None else [dot.x], y=[] if dot is None else [dot.y],
                           pen=pg.mkPen(theme.colour("text"), width=2), brush=None)  # fmt: skip
        if dot is None:
            return
        text = f"{shortened(dot.gist, 60)} · {dot.type}, {dot.age}"
        self._words.setPlainText(text)
        self._words.setColor(theme.colour("text"))
        self._words.fill = pg.mkBrush(theme.colour("surface"))
        self._words.setPos(dot.x, dot.y)
        self.setAccessibleDescription(text)
        if not self._plot.getViewBox().viewRect().contains(dot.x, dot.y):
            self._plot.getViewBox().translateBy(*self._way_to(dot))

    def _way_to(self, dot: MapPoint) -> tuple[float, float]:
        middle = self._plot.getViewBox().viewRect().center()
        return dot.x - middle.x(), dot.y - middle.y()

    def show_all(self) -> None:
        self._plot.setRange(xRange=(-1.05, 1.05), yRange=(-1.05, 1.05), padding=0)
        if self._dots:
            self._plot.autoRange(padding=0.06)

    def tip(self, dot: MapPoint) -> str:
        return plain_tip(f"{dot.gist}\n{dot.type}, {dot.age}")

    def _tip(self, x: float, y: float, data: MapPoint) -> str:
        return self.tip(data)

    def _on_clicked(self, _: object, spots: Any, *__: object) -> None:
        if len(spots):
            self.memory_wanted.emit(spots[0].data().id)

    # Qt

    def keyPressEvent(self, event: Any) -> None:
        view = self._plot.getViewBox()
        nearer = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Equal: 0.8, Qt.Key.Key_Minus: 1.25}.get(event.key())
        ways = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
        if nearer is not None:
            view.scaleBy((nearer, nearer))
        elif event.key() in ways:
            self.walk(*ways[event.key()])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.memory_wanted.emit(self.current.id)
        elif event.key() == Qt.Key.Key_0:
            self.show_all()
        else:
            super().keyPressEvent(event)
