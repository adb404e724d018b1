"""Metrics as bars: a group for each metric, in it a bar for each profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.models.plain_text import plain_tip

Series = tuple[str, Mapping[str, float]]
GROUP = 0.82  # of the room of a metric; the rest is space between groups
NUMBERED = 21  # as many bars have room for their number above them


class MetricBars(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._metrics: tuple[str, ...] = ()
        self._series: tuple[Series, ...] = ()
        self.setAccessibleName("Metrics of each profile")
        self._plot = pg.PlotWidget()
        self._plot.setAccessibleName("Metrics of each profile")
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.hideButtons()
        self._plot.setMenuEnabled(False)
        self._plot.setMouseEnabled(x=False, y=False)
        self._plot.getPlotItem().showGrid(x=False, y=True, alpha=0.16)
        self._plot.scene().sigMouseMoved.connect(self._on_moved)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._plot)
        self.retint()

    def show_series(self, metrics: Sequence[str], series: Sequence[Series]) -> None:
        self._metrics, self._series = tuple(metrics), tuple(series)
        sentences = (
            f"{name}: " + ", ".join(f"{metric} {values[metric]:.3f}" for metric in metrics) for name, values in series
        )
        self.setAccessibleDescription("; ".join(sentences))
        self.retint()

    def tip(self, x: float) -> str:
        """Return the text for the bar at a place of the plot."""
        group = round(x)
        if not self._series or not 0 <= group < len(self._metrics):
            return ""
        number = int((x - group + GROUP / 2) / self._width)
        if not 0 <= number < len(self._series) or x < group - GROUP / 2:
            return ""
        name, values = self._series[number]
        metric = self._metrics[group]
        return plain_tip(f"{name}\n{metric} {values[metric]:.4f}")

    @property
    def _width(self) -> float:
        return GROUP / max(len(self._series), 1)

    def retint(self) -> None:
        self._plot.clear()
        self._plot.setBackground(theme.colour("surface"))
        for side in ("left", "bottom"):
            axis = self._plot.getAxis(side)
            axis.setPen(pg.mkPen(theme.colour("border")))
            axis.setTextPen(pg.mkPen(theme.colour("muted")))
            axis.setTickFont(theme.font(size=11))
            axis.setStyle(tickLength=0, tickTextOffset=6)
        self._plot.getAxis("bottom").setTicks([list(enumerate(self._metrics))])
        self._plot.getAxis("left").setTicks([[(step / 4, f"{step / 4:g}") for step in range(5)]])
        for number, (_, values) in enumerate(self._series):
            self._draw(number, [values[metric] for metric in self._metrics])
        self._plot.setRange(xRange=(-0.5, max(len(self._metrics), 1) - 0.5), yRange=(0, 1.08), padding=0)

    def _draw(self, number: int, heights: list[float]) -> None:
        places = [group - GROUP / 2 + (number + 0.5) * self._width for group in range(len(heights))]
        colour = theme.series_of_many(number)
        self._plot.addItem(
            pg.BarGraphItem(x=places, height=heights, width=self._width * 0.88, brush=pg.mkBrush(colour), pen=None)
        )
        if len(heights) * len(self._series) > NUMBERED:
            return
        for place, height in zip(places, heights, strict=True):
            label = pg.TextItem(f"{height:.2f}", color=theme.colour("muted"), anchor=(0.5, 1.0))
            label.setFont(theme.font(size=10))
            label.setPos(place, height)
            self._plot.addItem(label)

    def _on_moved(self, at: QPointF) -> None:
        inside = self._plot.getViewBox().mapSceneToView(at)
        self._plot.setToolTip(self.tip(inside.x()))
