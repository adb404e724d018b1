"""The Query Lab: run a query, read its results, and see why each was returned or not. Read-only."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from PySide6.QtCore import QDateTime, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDateTimeEdit,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QTableView,
    QTabWidget,
    QWidget,
)

from core.model import MemoryId
from core.pipeline.run_report import RankedResult, label, number
from inspector.gui import icons, theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import excerpt, gist, plain_tip
from inspector.gui.viewmodels.curation import Targets
from inspector.gui.viewmodels.model import ModelViewModel, by_menu
from inspector.gui.viewmodels.query_lab import LabAnswer, QueryLabViewModel
from inspector.gui.viewmodels.rating import RatingViewModel
from inspector.gui.views.lab_pages import ComparePage, ExplanationPage, LostPage, PromptPage, WhyNotPage
from inspector.gui.views.rating_bar import RatingBar, make_ratable, rate_current, rated
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.funnel import Funnel
from inspector.gui.widgets.help_button import HelpButton
from inspector.gui.widgets.parameter_form import ParameterForm
from inspector.gui.widgets.rank_flow import RankFlow
from inspector.gui.widgets.score_bar import Legend, ScoreBars, parts_tip
from inspector.gui.widgets.tables import go_to_row, set_up_table

LISTS_WIDTH = 176


def _lists(result: RankedResult) -> str:
    """Return a result's rank in each list, by the lists' own names: with labels the ranks would not fit the column."""
    return "  ".join(f"{name} #{rank}" for name, (rank, _) in result.lists.items())


RESULTS = (
    TableColumn[RankedResult]("#", lambda each: str(each.rank), is_number=True, width=40),
    TableColumn[RankedResult]("Parts of the score", lambda each: number(each.score), tip=parts_tip, width=250),
    TableColumn[RankedResult]("Score", lambda each: number(each.score), is_number=True, tip=parts_tip, width=76),
    TableColumn[RankedResult]("Memory", lambda each: gist(each.memory),
                tip=lambda each: excerpt(each.memory)),
    TableColumn[RankedResult]("Found by", _lists, width=LISTS_WIDTH,
                tip=lambda each: "\n".join(f"{label(name)}: rank {rank}, raw score {number(raw)}"
                                           for name, (rank, raw) in each.lists.items())),
    TableColumn[RankedResult]("Tokens", lambda each: f"{each.tokens:.0f}", is_number=True, width=72),
)  # fmt: skip


class QueryLabView(QWidget):
    memory_wanted = Signal(object)
    targets_changed = Signal()

    def __init__(
        self,
        viewmodel: QueryLabViewModel,
        ratings: RatingViewModel,
        models: ModelViewModel,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._viewmodel, self._ratings, self._models = viewmodel, ratings, models
        self._build_question()
        self._build_parameters()
        self._build_results()
        self._build_pages()
        middle = QSplitter(Qt.Orientation.Vertical)
        middle.addWidget(self._results_panel)
        middle.addWidget(self.tabs)
        middle.setSizes([330, 390])
        middle.setChildrenCollapsible(False)
        self.split = QSplitter()
        self.split.addWidget(self._parameters_panel)
        self.split.addWidget(middle)
        self.split.setSizes([290, 1060])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.setLayout(layout.column(self._head, layout.line(), self.split, space=0))
        self._connect()
        self.retint()

    def retint(self) -> None:
        self._glass.setIcon(icons.icon("search", "muted"))
        self._eye.setPixmap(icons.pixmap("eye", 16, "good", self.devicePixelRatioF()))

    def focus_query(self) -> None:
        self.query.setFocus()
        self.query.selectAll()

    def ask(self, text: str) -> None:
        self.query.setText(text)
        self._viewmodel.set_text(text)

    def rate(self, grade: int | None) -> None:
        """Rate the selected memory of the focused table, by default of the results."""
        tables = ((self.lost.table, self.lost.model), (self.why_not.list, self.why_not.found))
        focused = next((each for each in tables if each[0].hasFocus()), (self.table, self.results))
        rate_current(*focused, self._ratings, grade)

    def targets(self) -> Targets:
        """Return the selected results."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        found = (self.results.row(row) for row in rows)
        return Targets(tuple(result.memory.id for result in found if result is not None))

    def show_memory(self, id: MemoryId) -> None:
        """Select the result that is this memory, if there is one."""
        row = next((row for row, result in enumerate(self.results.rows) if result.memory.id == id), None)
        if row is not None:
            go_to_row(self.table, row)

    def show_page(self, name: str) -> None:
        self.tabs.setCurrentWidget(self.pages[name])

    # building

    def _build_question(self) -> None:
        self.query = QLineEdit()
        self.query.setProperty("kind", "search")
        self.query.setPlaceholderText("Query as an agent would…")
        self.query.setAccessibleName("Query")
        self.query.setClearButtonEnabled(True)
        self._glass = QAction(self.query)
        self.query.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.profile = QComboBox()
        self.profile.setAccessibleName("Profile")
        self._fill_profiles()
        self.profile.setMinimumWidth(190)
        self.k = QSpinBox()
        self.k.setAccessibleName("How many results")
        self.k.setRange(0, 1000)
        self.k.setSpecialValueText("auto")
        self.k.setToolTip("Number of results; auto: the profile's default")
        self.k.setFixedWidth(64)
        layout.pad_number_field(self.k)
        self.budget = QSpinBox()
        self.budget.setAccessibleName("Token budget")
        self.budget.setRange(0, 1_000_000)
        self.budget.setSpecialValueText("auto")
        self.budget.setToolTip("Maximum number of tokens; auto: the profile's budget")
        self.budget.setFixedWidth(72)
        layout.pad_number_field(self.budget)
        self.as_of_on = QCheckBox("As of")
        self.as_of_on.setAccessibleName("As of another time")
        self.as_of_on.setToolTip("Compute ages and decay as of another moment")
        self.as_of = QDateTimeEdit()
        self.as_of.setAccessibleName("As of")
        self.as_of.setDisplayFormat("yyyy-MM-dd HH:mm")
        self.as_of.setCalendarPopup(False)
        layout.pad_number_field(self.as_of)
        self.as_of.setFixedWidth(138)
        self.as_of.hide()
        self._eye = layout.label()
        self.badge = layout.label("Read-only: queries here do not change the store", "badge-good")
        self.badge.setToolTip(
            "Queries count no access and reinforce nothing. Rating a result writes that judgement, and touches "
            "no memory."
        )
        help_lab = HelpButton("the Query Lab", "desktop#query-lab")
        self.help_profile = HelpButton("this profile", lambda: f"profiles#{self.profile.currentText()}")
        first = layout.row(self.query, self._eye, self.badge, help_lab, space=theme.SMALL)
        second = layout.row(
            layout.label("Profile", "muted"), self.profile, self.help_profile, layout.label("Results", "muted"), self.k,
            layout.label("Tokens", "muted"), self.budget, self.as_of_on, self.as_of, 1, space=theme.SMALL,
        )  # fmt: skip
        self.state = layout.label("", "muted")
        second.addWidget(self.state)
        margins = (theme.LARGE, theme.MEDIUM, theme.LARGE, theme.MEDIUM)
        self._head = layout.panel(layout.column(first, second, space=theme.SMALL, margins=margins))
        self._head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def _fill_profiles(self) -> None:
        self.profile.blockSignals(True)
        self.profile.clear()
        for place, (name, about) in enumerate(self._viewmodel.profiles()):
            self.profile.addItem(name)
            self.profile.setItemData(place, plain_tip(about), Qt.ItemDataRole.ToolTipRole)
        self.profile.setCurrentText(self._viewmodel.profile)
        self.profile.blockSignals(False)

    def _build_parameters(self) -> None:
        self.form = ParameterForm()
        self.reset_all = layout.button("Reset all", lambda: self._viewmodel.reset(), kind="quiet")
        self.reset_all.setEnabled(False)
        head = layout.row(layout.label("Parameters", "heading"), 1, self.reset_all,
                          margins=(theme.LARGE, theme.MEDIUM, theme.SMALL, theme.TIGHT))  # fmt: skip
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form.setObjectName("panel")
        scroll.setWidget(self.form)
        self._parameters_panel = layout.panel(layout.column(head, scroll, space=0))
        self._parameters_panel.setMinimumWidth(270)

    def _build_results(self) -> None:
        self.results = PlainTable((*RESULTS, rated(self._ratings)), self)
        self.table = QTableView()
        set_up_table(self.table, self.results, "Results", stretched=3)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._bars = ScoreBars(self.table)
        self.table.setItemDelegateForColumn(1, self._bars)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._explain(now.row()))
        self.table.selectionModel().selectionChanged.connect(lambda *_: self.targets_changed.emit())
        self.results.modelReset.connect(self.targets_changed)  # Qt emits no selectionChanged on a reset
        make_ratable(self.table, self.results, self._ratings)
        self.table.activated.connect(lambda index: self._open(index.row()) if index.column() < len(RESULTS) else None)
        self._legend = Legend()
        self.warning = layout.label("", "muted", wraps=True)
        self.warning.hide()
        self.fetch = layout.button("Download the model", self._models.fetch, about="For vector search")
        self.fetch.hide()
        self._nothing = EmptyState("lab", "Run a query", "Results appear while you type, with every number explained.")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self.table)
        line = layout.row(self.fetch)
        line.insertWidget(0, self.warning, 1)
        warning_line = QWidget()
        warning_line.setLayout(line)
        warning_line.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        below = layout.column(self._legend, warning_line, space=theme.TIGHT,
                              margins=(theme.LARGE, theme.TIGHT, theme.LARGE, theme.SMALL))  # fmt: skip
        self.rating = RatingBar(self._ratings)
        self._results_panel = layout.panel(layout.column(self._stack, below, layout.line(), self.rating, space=0))

    def _build_pages(self) -> None:
        self.explanation = ExplanationPage()
        self.funnel = Funnel()
        self.flow = RankFlow()
        self.lost = LostPage(self._ratings)
        self.why_not = WhyNotPage(self._viewmodel, self._ratings)
        self.compare = ComparePage(self._viewmodel)
        self.prompt = PromptPage()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(layout.panel(layout.column(self.funnel, 1)))
        flow = layout.panel(layout.column(self.flow))
        self.pages: dict[str, QWidget] = {
            "explanation": self.explanation, "funnel": scroll, "flow": flow, "dropped": self.lost,
            "why-not": self.why_not, "compare": self.compare, "prompt": self.prompt,
        }  # fmt: skip
        titles = ("Explanation", "Funnel", "Rank flow", "Dropped", "Why not?", "A / B", "Prompt")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("About the answer")
        for title, page in zip(titles, self.pages.values(), strict=True):
            self.tabs.addTab(page, title)

    def _connect(self) -> None:
        do = self._viewmodel
        self.query.textEdited.connect(do.set_text)
        self.query.returnPressed.connect(do.ask_now)
        self.query.textChanged.connect(lambda text: do.set_text(text) if not text else None)
        self.profile.currentTextChanged.connect(do.set_profile)
        self.k.valueChanged.connect(lambda value: do.set_k(value or None))
        self.budget.valueChanged.connect(lambda value: do.set_budget(value or None))
        self.as_of_on.toggled.connect(self._on_as_of)
        self.as_of.dateTimeChanged.connect(lambda _: self._on_as_of(self.as_of_on.isChecked()))
        self.form.changed.connect(do.set_parameter)
        self.form.reset_wanted.connect(do.reset)
        do.profiles_changed.connect(self._fill_profiles)
        do.profile_parameters_changed.connect(lambda parameters: self.form.show_parameters(parameters, do.parameters))
        do.parameters_changed.connect(self._on_parameters)
        do.asking.connect(lambda: self.state.setText("Searching…"))
        do.answered.connect(self._on_answer)
        do.explained.connect(self.explanation.show_explanation)
        do.emptied.connect(self._on_emptied)
        do.refused.connect(self._on_refused)
        self._models.put_off.connect(self.fetch.setVisible)
        self.lost.memory_wanted.connect(self._ask_why_not)
        self.flow.memory_wanted.connect(do.explain)
        self.compare.memory_wanted.connect(do.explain)
        self.form.show_parameters(do.profile_parameters(), do.parameters)

    # showing

    def _on_answer(self, shown: LabAnswer) -> None:
        trace = shown.answer.ranking.trace
        current = self.table.currentIndex().row()
        before = self.results.row(current)
        self._bars.show_results(shown.results)
        self._legend.show_parts(self._bars.numbers)
        self.results.show_rows(shown.results)
        self._stack.setCurrentIndex(1 if shown.results else 0)
        why_this_mode = by_menu(trace.why_this_mode)
        self._nothing.say("No results", why_this_mode)
        self.state.setText(f"{trace.mode.value.replace('_', ' ')} · {trace.elapsed_ms:.1f} ms")
        self.state.setToolTip(plain_tip(why_this_mode))
        self.warning.setText(by_menu(" ".join(trace.warnings)))
        self.warning.setVisible(bool(trace.warnings))
        self.funnel.show_steps([replace(gate, note=by_menu(gate.note)) for gate in shown.funnel])
        self.flow.show_flow(shown.flow)
        self.lost.show_lost(shown.lost, shown.lost_in_all)
        self.prompt.show_prompt(shown.prompt, shown.prompt_tokens, shown.budget)
        self.tabs.setTabText(3, f"Dropped {shown.lost_in_all:,}" if shown.lost_in_all else "Dropped")
        if shown.results:
            same = (place for place, each in enumerate(shown.results) if before and each.memory.id == before.memory.id)
            go_to_row(self.table, next(same, 0))
        else:
            self.explanation.clear()

    def _on_emptied(self) -> None:
        self.results.show_rows(())
        self._stack.setCurrentIndex(0)
        self._nothing.say("Run a query", "Results appear while you type, with every number explained.")
        self.state.clear()
        self.warning.hide()
        self._legend.show_parts({})
        self.explanation.clear()
        self.funnel.show_steps(())
        self.lost.show_lost((), 0)
        self.prompt.show_prompt("", 0, None)

    def _on_refused(self, sentence: str) -> None:
        self.state.setText("")
        self.warning.setText(sentence)
        self.warning.show()

    def _on_parameters(self, changed: dict[str, object]) -> None:
        self.form.show_changed(changed)
        self.reset_all.setEnabled(bool(changed))

    # doing

    def _explain(self, row: int) -> None:
        result = self.results.row(row)
        if result is not None:
            self._viewmodel.explain(result.memory.id)

    def _open(self, row: int) -> None:
        result = self.results.row(row)
        if result is not None:
            self.memory_wanted.emit(result.memory.id)

    def _ask_why_not(self, id: object) -> None:
        self.show_page("why-not")
        self.why_not.ask(id)

    def _on_as_of(self, is_on: bool) -> None:
        now = self._viewmodel.now()
        if is_on and self.as_of.isHidden() and now is not None:
            self.as_of.blockSignals(True)
            self.as_of.setDateTime(QDateTime.fromSecsSinceEpoch(int(now.timestamp())))
            self.as_of.blockSignals(False)
        self.as_of.setVisible(is_on)
        picked = datetime.fromtimestamp(self.as_of.dateTime().toSecsSinceEpoch(), UTC)
        self._viewmodel.set_as_of(picked if is_on else None)
