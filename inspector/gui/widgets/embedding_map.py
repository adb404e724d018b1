"""The store's vectors on a plane, coloured by type or by age; what is pointed at is named, as plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.models.memory_table import plain_tip

DOT = 8


class Dot(Protocol):
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
    """Drag to move, turn the wheel to come closer, click a dot to open its memory; + - 0 and the arrows do it too."""

    memory_wanted = Signal(object)

    def __init__(self, colour_of: Callable[[Dot], QColor], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colour_of = colour_of
        self._dots: Sequence[Dot] = ()
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
        self._plot.setAspectLocked(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Embedding map")
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._plot)
        self.retint()

    @property
    def dots(self) -> Sequence[Dot]:
        return self._dots

    def show_dots(self, dots: Sequence[Dot]) -> None:
        self._dots = tuple(dots)
        self.setAccessibleDescription(f"{len(self._dots):,} memories; what is alike lies close together")
        self.retint()
        self.show_all()

    def colour_by(self, colour_of: Callable[[Dot], QColor]) -> None:
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

    def show_all(self) -> None:
        self._plot.setRange(xRange=(-1.05, 1.05), yRange=(-1.05, 1.05), padding=0)
        if self._dots:
            self._plot.autoRange(padding=0.06)

    def tip(self, dot: Dot) -> str:
        return plain_tip(f"{dot.gist}\n{dot.type}, {dot.age}")

    def _tip(self, x: float, y: float, data: Dot) -> str:
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
            x, y = ways[event.key()]
            area = view.viewRect()
            view.translateBy(x * area.width() / 10, y * area.height() / 10)
        elif event.key() == Qt.Key.Key_0:
            self.show_all()
        else:
            super().keyPressEvent(event)
