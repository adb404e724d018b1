"""Evaluation › Results: metrics of each profile with p values, as bars, and by category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.plain_table import VALUE_ROLE, PlainTable, TableColumn
from inspector.gui.viewmodels.evaluation import DEFAULT_METRICS, ComparisonLine, Report
from inspector.gui.viewmodels.model import by_menu
from inspector.gui.widgets import layout
from inspector.gui.widgets.cells import PADDING, paint_background, paint_text
from inspector.gui.widgets.tables import set_up_table

if TYPE_CHECKING:
    from inspector.gui.widgets.metric_bars import MetricBars

CHANCE = 0.05  # a difference with a smaller p value is marked
MIN_P = "< 0.0005"  # not once among the resampled sets
ABOUT = {
    "ndcg": "Gain by rank, as a share of the best possible order",
    "recall": "Share of all relevant memories that are among the first k",
    "p": "Share of the first k results that are relevant",
    "hit": "Share of queries with a relevant result among the first k",
    "mrr": "Mean of 1 / rank of the first relevant result",
    "map": "Mean of the precision at each relevant result",
}
MAX_LINES = 6  # profiles visible at once; more are scrolled to
P_ABOUT = (
    "Paired bootstrap over the queries: the share of resampled sets in which the difference to the first profile goes "
    "the other way, or there is none. Below 0.05 the difference is significant."
)


def about(metric: str) -> str:
    return f"{metric}: {ABOUT[metric.partition('@')[0]]}; 1 is perfect"


def _mean(metric: str) -> TableColumn[ComparisonLine]:
    return TableColumn[ComparisonLine](metric, lambda each: f"{each.means[metric]:.4f}", is_number=True, width=84,
                     tip=lambda _: about(metric))  # fmt: skip


def _difference(line: ComparisonLine) -> str:
    return "first" if line.difference is None and line.category is None else f"{line.difference or 0:+.4f}"


def _p(line: ComparisonLine) -> str:
    return "" if line.p is None else f"{line.p:.4f}" if line.p else MIN_P


QUERIES = TableColumn[ComparisonLine]("Queries", lambda each: f"{each.queries:,}", is_number=True, width=74)
LINES = (
    TableColumn[ComparisonLine]("Profile", lambda each: each.profile),
    QUERIES,
    *map(_mean, DEFAULT_METRICS),
    TableColumn[ComparisonLine](
        "Difference", _difference, is_number=True, width=92, tip=lambda _: "To the first profile, by the metric"
    ),
    TableColumn[ComparisonLine]("p", _p, is_number=True, width=80, tip=lambda _: P_ABOUT),
)
CATEGORIES = (
    TableColumn[ComparisonLine]("Category", lambda each: each.category or "no category", width=150),
    TableColumn[ComparisonLine]("Profile", lambda each: each.profile),
    QUERIES,
    *map(_mean, DEFAULT_METRICS),
)


class ResultsPage(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines = PlainTable(LINES, self)
        self.table = QTableView()
        set_up_table(self.table, self.lines, "Metrics of each profile", stretched=0)
        self.table.setItemDelegate(_LineDelegate(self.table))
        self.categories = PlainTable(CATEGORIES, self)
        self._categories = QTableView()
        set_up_table(self._categories, self.categories, "Metrics by category", stretched=1)
        self._categories.setItemDelegate(_LineDelegate(self._categories))
        self.verdict = layout.label("", "muted", wraps=True)
        self.bars: MetricBars | None = None
        self._bars_place = QStackedWidget()
        self._bars_place.setMinimumHeight(190)
        inset = (theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
        self._category_panel = self._panel("By category", self._categories)
        top = layout.panel(
            layout.column(layout.row(self.table, margins=(theme.SMALL, 0, theme.SMALL, 0)),
                          layout.row(self.verdict, margins=inset), space=0)
        )  # fmt: skip
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self._bars_place)
        split.addWidget(self._category_panel)
        split.setSizes([300, 300])
        split.setChildrenCollapsible(False)
        whole = layout.column(top, layout.line(), split, space=0)
        whole.setStretch(2, 1)
        self.setLayout(whole)

    def show_report(self, report: Report) -> None:
        numbers = {line.profile: number for number, line in enumerate(report.lines)}
        for delegate in (self.table.itemDelegate(), self._categories.itemDelegate()):
            if isinstance(delegate, _LineDelegate):
                delegate.numbers = numbers
        self.lines.show_rows(report.lines)
        shown = min(len(report.lines), MAX_LINES)
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + shown * theme.ROW_HEIGHT + 2)
        self.table.selectRow(0)
        self.categories.show_rows(report.by_category)
        self._category_panel.setVisible(bool(report.by_category))
        self.verdict.setText(_verdict(report))
        if self.bars is None:
            from inspector.gui.widgets.metric_bars import (
                MetricBars,
            )  # slow to import: only for a plot

            self.bars = MetricBars()
            self._bars_place.addWidget(self.bars)
        self.bars.show_series(DEFAULT_METRICS, [(line.profile, line.means) for line in report.lines])

    def _panel(self, title: str, table: QTableView) -> QFrame:
        head = layout.row(layout.label(title, "heading"), 1, margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, 0))
        inside = layout.row(table, margins=(theme.SMALL, 0, theme.SMALL, 0))
        return layout.panel(layout.column(head, inside, space=theme.TIGHT))


def _verdict(report: Report) -> str:
    """Return in words which profile is best, and which differ significantly from the first."""
    best = max(report.lines, key=lambda line: line.means[report.metric])
    sentences = [f"Best by {report.metric}: {best.profile} with {best.means[report.metric]:.3f}."]
    sure = [line for line in report.lines if line.p is not None and line.p < CHANCE and line.difference]
    for word, sign in (("Better", 1), ("Worse", -1)):
        names = ", ".join(line.profile for line in sure if sign * (line.difference or 0) > 0)
        if names:
            sentences.append(f"{word} than {report.lines[0].profile} significantly: {names}.")
    if not sure and len(report.lines) > 1:
        sentences.append(f"No difference to {report.lines[0].profile} is significant.")
    if report.measured.note:
        sentences.append(by_menu(report.measured.note))
    return " ".join(sentences)


class _LineDelegate(QStyledItemDelegate):
    """Paints a profile with its colour in the plot, and a significant difference in green or red."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.numbers: dict[str, int] = {}

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        paint_background(painter, option)
        line: ComparisonLine = index.data(VALUE_ROLE)
        area: QRect = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(option.font)
        title = index.model().headerData(index.column(), Qt.Orientation.Horizontal)
        is_right = bool(int(index.data(Qt.ItemDataRole.TextAlignmentRole)) & int(Qt.AlignmentFlag.AlignRight))
        tint = "text"
        if title == "Profile":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.series_of_many(self.numbers.get(line.profile, 0)))
            painter.drawRoundedRect(QRectF(area.x(), area.center().y() - 4, 10, 10), 2, 2)
            area = area.adjusted(18, 0, 0, 0)
        elif title in ("Difference", "p"):
            is_sure = line.p is not None and line.p < CHANCE and line.difference
            tint = ("good" if (line.difference or 0) > 0 else "danger") if is_sure else "muted"
        paint_text(painter, area, str(index.data() or ""), tint, is_right=is_right)
        painter.restore()
