"""Evaluation: metrics of profiles on judged queries, query by query, and tuning."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from core import formatting
from inspector.gui import theme
from inspector.gui.models.plain_text import plain_tip
from inspector.gui.viewmodels.evaluation import DEFAULT_METRICS, EvaluationViewModel, Report
from inspector.gui.viewmodels.tuning import TuningViewModel
from inspector.gui.views.evaluation_queries import QueriesPage
from inspector.gui.views.evaluation_results import ResultsPage, about
from inspector.gui.views.tune_page import TunePage
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.help_button import HelpButton

NO_SET = (
    "A golden set records which memories are relevant to a query.\n"
    "Run a query in the Query Lab and rate its results with 0, 1 and 2, or import judgements from a file."
)
HINT = "Select two or more profiles and run them on the golden set. Read-only."


class EvaluationView(QWidget):
    memory_wanted = Signal(object)
    query_wanted = Signal(str)
    action_wanted = Signal(str)

    def __init__(self, viewmodel: EvaluationViewModel, tuning: TuningViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.results, self.queries, self.tune = ResultsPage(), QueriesPage(viewmodel), TunePage(tuning)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("About the evaluation")
        self._not_yet = [
            EmptyState("evaluation", "Not measured yet", HINT),
            EmptyState("compare", "Not measured yet", HINT),
        ]
        self._pages = []
        for title, empty, page in zip(("Results", "Queries"), self._not_yet, (self.results, self.queries), strict=True):
            stack = QStackedWidget()
            stack.addWidget(layout.panel(layout.column(empty)))
            stack.addWidget(page)
            self._pages.append(stack)
            self.tabs.addTab(stack, title)
        self.tabs.addTab(self.tune, "Tune")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build_nothing())
        self._stack.addWidget(self.tabs)
        self.split = QSplitter()
        self.split.addWidget(self._build_choices())
        self.split.addWidget(self._stack)
        self.split.setSizes([280, 1070])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.setLayout(layout.column(self.split))
        self._connect()
        self._show_sets(viewmodel.sets)
        self._show_profiles()
        self._show_state()

    def show_page(self, number: int) -> None:
        self.tabs.setCurrentIndex(number)

    # building

    def _build_nothing(self) -> QFrame:
        self.to_lab = layout.button("Open the Query Lab", lambda: self.action_wanted.emit("query_lab"), kind="primary",
                                    icon="lab", about="Run a query and rate its results (Ctrl+2)")  # fmt: skip
        self.bring_in = layout.button("Import judgements…", lambda: self.action_wanted.emit("import_judgements"),
                                      icon="import", about="From JSON lines, CSV or TREC qrels")  # fmt: skip
        self.bring_sample = layout.button("Use the sample's", self._viewmodel.import_sample, icon="sample",
                                          about="The judged queries that come with the sample")  # fmt: skip
        buttons = (self.to_lab, self.bring_in, self.bring_sample)
        self._nothing = EmptyState("evaluation", "No golden set yet", NO_SET, buttons)
        return layout.panel(layout.column(self._nothing, margins=theme.HUGE))

    def _build_choices(self) -> QFrame:
        self.golden_set = QComboBox()
        self.golden_set.setAccessibleName("Golden set")
        self.golden_set.textActivated.connect(self._viewmodel.select_set)
        self.counts = layout.label("", "muted")
        self.import_button = layout.button("Import…", lambda: self.action_wanted.emit("import_judgements"),
                                           icon="import", about="Import judgements from a file")  # fmt: skip
        self.export_button = layout.button("Export…", lambda: self.action_wanted.emit("export_judgements"),
                                           icon="export", about="Export this golden set to a file")  # fmt: skip
        self.profiles = QListWidget()
        self.profiles.setAccessibleName("Profiles to measure")
        self.profiles.itemChanged.connect(lambda _: self._on_ticked())
        self.by = QComboBox()
        self.by.setAccessibleName("Metric to compare by")
        for number, name in enumerate(DEFAULT_METRICS):
            self.by.addItem(name)
            self.by.setItemData(number, about(name), Qt.ItemDataRole.ToolTipRole)
        self.by.setCurrentText(self._viewmodel.metric)
        self.by.currentTextChanged.connect(self._viewmodel.set_metric)
        self.run = layout.button("Run", self._viewmodel.run, kind="primary", icon="evaluation",
                                 about="Run every query with every selected profile")  # fmt: skip
        self.stop = layout.button("Stop", self._viewmodel.stop, icon="close", about="End the run; nothing is lost")
        self.state = layout.label("", "muted", wraps=True)
        margins = (theme.LARGE, theme.MEDIUM, theme.MEDIUM, theme.MEDIUM)
        help_view = HelpButton("Evaluation", "desktop#evaluation")
        help_metrics = HelpButton("the metrics", "evaluation#metrics")
        whole = layout.column(
            layout.row(layout.label("Evaluation", "heading"), 1, help_view), self.state, _section("GOLDEN SET"),
            self.golden_set, self.counts,
            layout.row(self.import_button, self.export_button, 1), _section("PROFILES"), self.profiles,
            layout.row(_section("COMPARE BY"), 1, help_metrics), self.by, layout.row(self.run, self.stop),
            margins=margins,
        )  # fmt: skip
        whole.setStretch(whole.indexOf(self.profiles), 1)
        made = layout.panel(whole)
        made.setMinimumWidth(240)
        return made

    def _connect(self) -> None:
        do = self._viewmodel
        do.sets_changed.connect(self._show_sets)
        do.profiles_changed.connect(self._show_profiles)
        do.running_changed.connect(lambda _: self._show_state())
        do.reported.connect(self._show_report)
        do.refused.connect(self.state.setText)
        self.queries.memory_wanted.connect(self.memory_wanted)
        self.queries.query_wanted.connect(self.query_wanted)

    # showing

    def _show_sets(self, sets: dict[str, tuple[int, int]]) -> None:
        self.golden_set.clear()
        self.golden_set.addItems(list(sets))
        self.golden_set.setCurrentText(self._viewmodel.golden_set)
        queries, judgements = sets.get(self._viewmodel.golden_set, (0, 0))
        self.counts.setText(formatting.golden_set(queries, judgements) if sets else "None yet")
        self.bring_sample.setVisible(self._viewmodel.offers_sample)
        self._stack.setCurrentIndex(1 if sets else 0)
        if self._viewmodel.measured is None:
            for page in self._pages:
                page.setCurrentIndex(0)
        self._show_state()

    def _show_profiles(self) -> None:
        self.profiles.blockSignals(True)
        self.profiles.clear()
        for name, words in self._viewmodel.profiles():
            item = QListWidgetItem(name)
            item.setToolTip(plain_tip(words))
            item.setSizeHint(QSize(0, 28))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            is_selected = name in self._viewmodel.selected
            item.setCheckState(Qt.CheckState.Checked if is_selected else Qt.CheckState.Unchecked)
            self.profiles.addItem(item)
        self.profiles.blockSignals(False)

    def _on_ticked(self) -> None:
        items = [self.profiles.item(number) for number in range(self.profiles.count())]
        self._viewmodel.select_profiles([item.text() for item in items if item.checkState() is Qt.CheckState.Checked])
        self._show_state()

    def _show_state(self) -> None:
        do = self._viewmodel
        self.run.setVisible(not do.is_running)
        self.stop.setVisible(do.is_running)
        has_sets = bool(do.sets)
        self.run.setEnabled(has_sets)
        self.export_button.setEnabled(has_sets)
        self.import_button.setEnabled(do.can_write)
        self.bring_in.setEnabled(do.can_write)
        self.bring_sample.setEnabled(do.can_write)
        if do.is_running:
            text = "Running every query…"
        elif do.measured is None:
            text = "The others are compared with the first selected profile."
        else:
            names = ", ".join(run.name for run in do.measured.runs)
            changed = " The store has changed since." if do.is_outdated else ""
            text = f"{do.measured.golden_set}: {names}.{changed}"
        self.state.setText(text)

    def _show_report(self, report: Report) -> None:
        self.results.show_report(report)
        self.queries.show_report(report)
        for page in self._pages:
            page.setCurrentIndex(1)
        self._show_state()


def _section(title: str) -> QLabel:
    made = layout.label(title, "section")
    made.setContentsMargins(0, theme.SMALL, 0, 0)
    return made
