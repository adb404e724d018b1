"""Decay: curves of the selected memories by a profile's decay model, their order at any moment, and the whole store."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.pipeline.decay_curves import THRESHOLDS, Curve
from inspector.gui import theme
from inspector.gui.models.plain_table import VALUE_ROLE, PlainTable, TableColumn
from inspector.gui.models.plain_text import absolute, day, excerpt, gist
from inspector.gui.viewmodels.decay import HALF_LIVES, HORIZONS, Chart, CurveReading, DecayViewModel, Spread
from inspector.gui.widgets import layout
from inspector.gui.widgets.cells import paint_background
from inspector.gui.widgets.decay_chart import DecayChart
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.flow import FlowLayout
from inspector.gui.widgets.help_button import HelpButton
from inspector.gui.widgets.spread_chart import SpreadChart
from inspector.gui.widgets.tables import set_up_table


def _crossing(threshold: float) -> TableColumn[Curve]:
    def text(curve: Curve) -> str:
        at = dict(curve.crossings)[threshold]
        return "never" if at is None else day(at)

    def tip(curve: Curve) -> str:
        at = dict(curve.crossings)[threshold]
        return "Never falls below." if at is None else f"Below {threshold:g} from {absolute(at)} on"

    return TableColumn[Curve](f"Below {threshold:g}", text, is_number=True, tip=tip, width=100)


CURVES = (
    TableColumn[Curve]("", lambda _: "", width=26),
    TableColumn[Curve]("Memory", lambda each: gist(each.memory),
               tip=lambda each: excerpt(each.memory)),
    TableColumn[Curve]("Remaining", lambda each: f"{each.now:.3f}", is_number=True, width=84),
    *(_crossing(threshold) for threshold in THRESHOLDS),
)  # fmt: skip
STANDINGS = (
    TableColumn[tuple[int, CurveReading]]("#", lambda each: str(each[0]), is_number=True, width=36),
    TableColumn[tuple[int, CurveReading]]("Memory", lambda each: gist(each[1].memory)),
    TableColumn[tuple[int, CurveReading]]("Remaining", lambda each: f"{each[1].value:.3f}", is_number=True, width=84),
)
CONTROLS_HEIGHT = 32


class DecayView(QWidget):
    memory_wanted = Signal(object)

    def __init__(self, viewmodel: DecayViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self._build_controls()
        self.chart = DecayChart()
        self.curves = PlainTable(CURVES, self)
        self.table = QTableView()
        set_up_table(self.table, self.curves, "Curves and when they cross each threshold", stretched=1)
        self.table.setItemDelegateForColumn(0, _CurveDelegate(self.table))
        self.table.setFixedHeight(theme.ROW_HEIGHT * 6 + 44)
        self.table.activated.connect(lambda index: self._open(index.row()))
        self.standings = PlainTable(STANDINGS, self)
        self.order = QTableView()
        set_up_table(self.order, self.standings, "Order at this moment", stretched=1)
        self.when = layout.label("", "heading")
        self.spread = SpreadChart()
        self.pinned = layout.label("", "muted")
        below = layout.row(self.table, margins=(theme.SMALL, 0, 0, 0))
        left = layout.panel(layout.column(self.chart, layout.line(), below, space=0))
        hint = layout.label("Drag the line or use the arrow keys: equal matches would rank in this order.",
                            "muted", wraps=True)  # fmt: skip
        margins = (theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
        right = layout.panel(
            layout.column(
                layout.column(self.when, hint, space=theme.TIGHT, margins=margins),
                layout.row(self.order, margins=(theme.SMALL, 0, theme.SMALL, 0)), layout.line(),
                layout.column(layout.label("The whole store by remaining score", "heading"), self.pinned, self.spread,
                              space=theme.TIGHT, margins=margins), space=0,
            )
        )  # fmt: skip
        self.split = QSplitter()
        self.split.addWidget(left)
        self.split.addWidget(right)
        self.split.setSizes([930, 420])
        self.split.setStretchFactor(0, 1)
        self.split.setChildrenCollapsible(False)
        self.nothing = EmptyState("decay", "No curves yet", "Curves of the memories selected in Browse are drawn here.")
        self.stack = QStackedWidget()
        self.stack.addWidget(self.nothing)
        self.stack.addWidget(self.split)
        self.setLayout(layout.column(self._head, layout.line(), self.stack, space=0))
        self.chart.moment_dragged.connect(self._on_dragged)
        viewmodel.charted.connect(self._show)
        viewmodel.cleared.connect(self._clear)
        viewmodel.ranked.connect(self._show_order)
        viewmodel.spread_changed.connect(self._show_spread)

    def _build_controls(self) -> None:
        do = self._viewmodel
        self.profile = QComboBox()
        self.profile.setAccessibleName("Decay model")
        for name, words in do.laws():
            self.profile.addItem(f"{name}:  {words}", name)
        self.profile.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.profile.setMinimumContentsLength(44)
        self.profile.currentIndexChanged.connect(lambda number: do.set_profile(self.profile.itemData(number)))
        self.ahead = QComboBox()
        self.ahead.setAccessibleName("How far ahead")
        for days, words in HORIZONS:
            self.ahead.addItem(words, days)
        self.ahead.setCurrentIndex(2)
        self.ahead.currentIndexChanged.connect(lambda number: do.set_ahead(self.ahead.itemData(number)))
        self.half_lives = {days: QCheckBox(f"{days:g} d") for days in HALF_LIVES}
        for days, box in self.half_lives.items():
            box.setAccessibleName(f"Compare with a half-life of {days:g} days")
            box.toggled.connect(
                lambda _: do.set_half_lives([d for d, each in self.half_lives.items() if each.isChecked()])
            )
        self.as_if_pinned = QCheckBox("pinned")
        self.as_if_pinned.setAccessibleName("Compare with pinned")
        self.as_if_pinned.toggled.connect(do.set_as_if_pinned)
        first = layout.row(
            layout.label("Decay model", "muted"), HelpButton("decay model", "glossary#decay"), self.profile, self.ahead
        )
        second = layout.row(
            layout.label("Compare the first with half-life", "muted"), *self.half_lives.values(), self.as_if_pinned
        )
        flow = FlowLayout(space=theme.MEDIUM)
        for row in (first, second):
            group = QWidget()
            group.setLayout(row)
            group.setMinimumHeight(CONTROLS_HEIGHT)
            flow.addWidget(group)
        head = layout.row(space=theme.SMALL, margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.MEDIUM))
        head.addLayout(flow, 1)
        help_button = HelpButton("Decay", "desktop#decay")
        help_button.setMinimumHeight(CONTROLS_HEIGHT)
        head.addWidget(help_button, 0, Qt.AlignmentFlag.AlignTop)
        self._head = layout.panel(head)
        self._head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    # showing

    def _show(self, chart: Chart) -> None:
        self.stack.setCurrentWidget(self.split if chart.curves else self.nothing)
        moment = self._viewmodel.moment or chart.now
        self.chart.show_curves(chart.curves, chart.overlays, (chart.begin, chart.now, chart.end), moment)
        self.curves.show_rows(chart.curves)
        self._say_when(moment)

    def _clear(self) -> None:
        self.stack.setCurrentWidget(self.nothing)
        self.curves.show_rows(())
        self.standings.show_rows(())

    def _show_order(self, standings: list[CurveReading]) -> None:
        self.standings.show_rows(list(enumerate(standings, 1)))

    def _show_spread(self, spread: Spread) -> None:
        self.spread.show_counts(spread.counts)
        self.pinned.setText(f"From 0 to 1; {spread.pinned:,} pinned never decay.")

    def _on_dragged(self, moment: datetime) -> None:
        self._say_when(moment)
        self._viewmodel.set_moment(moment)

    def _say_when(self, moment: datetime) -> None:
        self.when.setText(f"Order on {day(moment)}")

    def _open(self, row: int) -> None:
        curve = self.curves.row(row)
        if curve is not None:
            self.memory_wanted.emit(curve.memory.id)


class _CurveDelegate(QStyledItemDelegate):
    """Paints each curve's name with its colour."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        paint_background(painter, option)
        if index.data(VALUE_ROLE) is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.series(index.row()))
        middle = option.rect.center()
        painter.drawRoundedRect(QRectF(middle.x() - 6, middle.y() - 2, 13, 5), 2.5, 2.5)
        painter.restore()
