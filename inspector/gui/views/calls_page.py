"""Activity › Calls, the recorder: recorded calls as they arrive, their statistics, and one call in detail."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QSplitter, QStackedWidget, QTableView, QWidget

from inspector.gui import theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import absolute, lately, one_line
from inspector.gui.viewmodels.calls import PERIODS, ActivityPeriod, Call, Calls, CallsViewModel, Figures
from inspector.gui.views.call_detail import CallDetail
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.facet_button import FacetButton
from inspector.gui.widgets.figures import FigureStrip
from inspector.gui.widgets.tables import go_to_row, set_up_table


def _asked(call: Call) -> str:
    if call.question is not None:
        return one_line(str(call.question.get("query", "")))
    return one_line(call.complaint) or ("" if call.operation is None else f"wrote operation {call.operation}")


CALLS = (
    TableColumn[Call]("When", lambda each: lately(each.at), tip=lambda each: absolute(each.at), width=112),
    TableColumn[Call]("Client", lambda each: each.client, width=100),
    TableColumn[Call]("Tool", lambda each: each.tool, width=126),
    TableColumn[Call]("Question", _asked),
    TableColumn[Call](
        "Results", lambda each: "" if each.question is None else str(each.returned), is_number=True, width=62
    ),
    TableColumn[Call]("ms", lambda each: f"{each.elapsed_ms:,.1f}", is_number=True, width=58),
    TableColumn[Call](
        "Outcome", lambda each: each.outcome.value, tip=lambda each: each.complaint or each.outcome.value, width=84
    ),
)
NAMES = (
    ("Calls", "Recorded calls that match the filter"),
    ("Recalls", "Answered recalls; the statistics to the right are theirs"),
    ("Median ms", "Median time of a recall"),
    ("p95 ms", "95th percentile of the time of a recall"),
    ("p99 ms", "99th percentile of the time of a recall"),
    ("No results", "Share of recalls without results"),
    ("Full text alone", "Share of recalls without vectors although the profile uses them"),
    ("Refused", "Calls answered with an error message"),
    ("Failed", "Calls that hit an internal error"),
)
CONNECT = "File, Serve Agents… lets agents use this store, and `memory-inspector connect CLIENT` configures a "
"client to start it; every call is shown here as it arrives."


class CallsPage(QWidget):
    memory_wanted = Signal(object)

    def __init__(self, viewmodel: CallsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.figures = FigureStrip(NAMES)
        self._build_filters()
        self.model = PlainTable(CALLS, self)
        self.table = QTableView()
        set_up_table(self.table, self.model, "Calls of agents, newest first", stretched=3)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._on_row(now.row()))
        self.more = layout.button("Show older calls", viewmodel.show_more, kind="link")
        self.more.hide()
        self.detail = CallDetail(viewmodel)
        self.detail.memory_wanted.connect(self.memory_wanted)
        self.split = QSplitter()
        older = layout.row(self.more, 1, margins=(theme.LARGE, theme.TIGHT, theme.LARGE, theme.TIGHT))
        listed = layout.column(layout.row(self.table, margins=(theme.SMALL, 0, 0, 0)), older, space=0)
        self.split.addWidget(layout.panel(listed))
        self.split.addWidget(self.detail)
        self.split.setSizes([850, 500])
        self.split.setStretchFactor(0, 1)
        self.split.setChildrenCollapsible(False)
        self.nothing = EmptyState("activity", "No agent has called yet", CONNECT)
        self.stack = QStackedWidget()
        self.stack.addWidget(layout.panel(layout.column(self.nothing)))
        self.stack.addWidget(self.split)
        head = layout.panel(layout.column(self.figures, layout.line(), self._filters, layout.line(), space=0))
        column = layout.column(head, self.stack, space=0)
        column.setStretch(1, 1)
        self.setLayout(column)
        layout.shortcut(self, "R", self.detail.start_replay)
        viewmodel.listed.connect(self._show)
        viewmodel.unfiltered.connect(self._unfilter)
        viewmodel.cleared.connect(self._clear)

    def _build_filters(self) -> None:
        self.client, self.tool = FacetButton("Client"), FacetButton("Tool")
        self.period = QComboBox()
        self.period.setAccessibleName("Period")
        for period, words in PERIODS:
            self.period.addItem(words, period)
        self.period.setCurrentIndex(len(PERIODS) - 1)
        self.found_nothing = QCheckBox("No results")
        self.found_nothing.setToolTip("Only recalls without results")
        for facet in (self.client, self.tool):
            facet.changed.connect(lambda _: self._filter())
        self.period.currentIndexChanged.connect(lambda _: self._filter())
        self.found_nothing.toggled.connect(lambda _: self._filter())
        margins = (theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)
        self._filters = layout.row(self.client, self.tool, self.period, self.found_nothing, 1, margins=margins)

    # showing

    def _show(self, listed: Calls) -> None:
        selected = self._viewmodel.id
        self.client.set_choices(listed.clients)
        self.tool.set_choices(listed.tools)
        self._show_figures(listed.figures)
        self.model.show_rows(listed.calls)
        self.more.setVisible(listed.has_more)
        self.stack.setCurrentIndex(1 if listed.calls else 0)
        if self._viewmodel.is_filtered:
            self.nothing.say("No call matches the filter", "Clear a client or tool, or choose a longer period.")
        else:
            self.nothing.say("No agent has called yet", CONNECT)
        rows = {call.id: row for row, call in enumerate(listed.calls)}
        if not rows:
            self._viewmodel.open_call(None)
            return
        row = rows.get(selected, 0) if selected is not None else 0
        go_to_row(self.table, row)

    def _clear(self) -> None:
        self.model.show_rows(())
        self.stack.setCurrentIndex(0)
        self.figures.show_numbers(("",) * len(NAMES))

    def _show_figures(self, figures: Figures) -> None:
        self.figures.show_numbers(
            (
                f"{figures.calls:,}",
                f"{figures.recalls:,}",
                f"{figures.p50_ms:,.1f}",
                f"{figures.p95_ms:,.1f}",
                f"{figures.p99_ms:,.1f}",
                f"{figures.zero_hit_rate:.1%}",
                f"{figures.fallback_rate:.1%}",
                f"{figures.refused:,}",
                f"{figures.failed:,}",
            )
        )

    def _on_row(self, row: int) -> None:
        call = self.model.row(row)
        if call is not None:
            self._viewmodel.open_call(call.id)

    # filtering

    def _filter(self) -> None:
        self._viewmodel.set_filter(
            self.client.ticked,
            self.tool.ticked,
            ActivityPeriod(self.period.currentData()),
            found_nothing=self.found_nothing.isChecked(),
        )

    def _unfilter(self) -> None:
        for control in (self.period, self.found_nothing):
            control.blockSignals(True)
        self.client.set_ticked(())
        self.tool.set_ticked(())
        self.period.setCurrentIndex(len(PERIODS) - 1)
        self.found_nothing.setChecked(False)
        for control in (self.period, self.found_nothing):
            control.blockSignals(False)
