"""Evaluation › Queries: the queries that B answers worse than A, and both answers side by side."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QSplitter, QStackedWidget, QTableView, QWidget

from core.pipeline.run_report import number
from inspector.gui import theme
from inspector.gui.models.grades import rated_column
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import excerpt, gist, one_line
from inspector.gui.viewmodels.evaluation import ComparisonSide, Difference, EvaluationViewModel, RankInAnswer, Report
from inspector.gui.viewmodels.query_lab import Explanation
from inspector.gui.views.lab_pages import ExplanationPage
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.rating_cells import RatingCells
from inspector.gui.widgets.tables import set_up_table

ASKED = (
    TableColumn[Difference](
        "Query", lambda each: one_line(each.before.query.text), tip=lambda each: each.before.query.text
    ),
    TableColumn[Difference]("A", lambda each: f"{each.before.scores[each.metric]:.3f}", is_number=True, width=58),
    TableColumn[Difference]("B", lambda each: f"{each.after.scores[each.metric]:.3f}", is_number=True, width=58),
    TableColumn[Difference](
        "Change",
        lambda each: _change(each),
        is_number=True,
        width=80,
        tip=lambda each: f"From A to B, by {each.metric}",
    ),
)
PLACES = (
    TableColumn[RankInAnswer](
        "#",
        lambda each: str(each.rank or "–"),
        is_number=True,
        width=40,
        tip=lambda each: f"Rank {each.rank}" if each.rank else "Relevant, and not returned",
    ),
    TableColumn[RankInAnswer]("Memory", lambda each: gist(each.memory), tip=lambda each: excerpt(each.memory)),
    TableColumn[RankInAnswer](
        "Score", lambda each: number(each.result.score) if each.result else "missed", is_number=True, width=88
    ),
    rated_column(lambda each: each.grade),
)
RATED_WIDTH = 58


def _change(each: Difference) -> str:
    return "=" if not each.difference else f"{'▲' if each.difference > 0 else '▼'} {abs(each.difference):.3f}"


class QueriesPage(QWidget):
    """Queries of two measured profiles, A and B; the one with the worst change is first."""

    memory_wanted = Signal(object)
    query_wanted = Signal(str)

    def __init__(self, viewmodel: EvaluationViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.before, self.after = _picker("Profile A"), _picker("Profile B")
        for picker in (self.before, self.after):
            picker.currentTextChanged.connect(lambda _: self._compare())
        self.note = layout.label("", "muted")
        self.asked = PlainTable(ASKED, self)
        self.list = QTableView()
        set_up_table(self.list, self.asked, "Queries, the worst change first", stretched=0)
        self.list.selectionModel().currentRowChanged.connect(lambda now, _: self._show_query(now.row()))
        self.list.activated.connect(lambda index: self._ask_again(index.row()))
        self.sides = (_SidePane("A"), _SidePane("B"))
        for pane, other in zip(self.sides, reversed(self.sides), strict=True):
            pane.memory_selected.connect(viewmodel.explain)
            pane.memory_selected.connect(other.select_memory)
            pane.memory_wanted.connect(self.memory_wanted)
        answers = QSplitter()
        for pane in self.sides:
            answers.addWidget(pane)
        answers.setSizes([500, 500])
        answers.setChildrenCollapsible(False)
        self._stack = QStackedWidget()
        hint = "Both answers are shown side by side, with the derivation of each score."
        self._nothing = EmptyState("compare", "Select a query", hint)
        self._stack.addWidget(layout.panel(layout.column(self._nothing)))
        self._stack.addWidget(answers)
        margins = (theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)
        head = layout.row(
            layout.label("From A", "muted"),
            self.before,
            layout.label("to B", "muted"),
            self.after,
            self.note,
            1,
            margins=margins,
        )
        top = layout.panel(
            layout.column(head, layout.row(self.list, margins=(theme.SMALL, 0, theme.SMALL, 0)), space=0)
        )
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(top)
        split.addWidget(self._stack)
        split.setSizes([230, 520])
        split.setChildrenCollapsible(False)
        self.setLayout(layout.column(split))
        viewmodel.listed.connect(self._show_list)
        viewmodel.sides_shown.connect(self._show_sides)
        viewmodel.explained.connect(self._show_explained)

    def show_report(self, report: Report) -> None:
        """Show another report; the two selected profiles stay selected if they are in it."""
        names = [line.profile for line in report.lines]
        for picker, fallback in ((self.before, names[0]), (self.after, names[-1])):
            kept = picker.currentText()
            picker.blockSignals(True)
            picker.clear()
            picker.addItems(names)
            picker.setCurrentText(kept if kept in names else fallback)
            picker.blockSignals(False)
        self._compare()

    def _compare(self) -> None:
        self._viewmodel.compare(self.before.currentText(), self.after.currentText())

    def _show_list(self, listed: list[Difference]) -> None:
        self.asked.show_rows(listed)
        worse, better = (sum(sign * each.difference > 0 for each in listed) for sign in (-1, 1))
        metric = listed[0].metric if listed else ""
        self.note.setText(f"{worse} worse, {better} better, {len(listed) - worse - better} the same by {metric}")
        self._stack.setCurrentIndex(0)
        self.list.selectRow(0)

    def _show_query(self, row: int) -> None:
        selected = self.asked.row(row)
        if selected is not None:
            self._viewmodel.show_query(selected, self.before.currentText(), self.after.currentText())

    def _ask_again(self, row: int) -> None:
        selected = self.asked.row(row)
        if selected is not None:
            self.query_wanted.emit(selected.before.query.text)

    def _show_sides(self, sides: tuple[ComparisonSide, ...]) -> None:
        for pane, side in zip(self.sides, sides, strict=True):
            pane.show_side(side)
        self._stack.setCurrentIndex(1)
        places = [place for side in sides for place in side.places]
        first = next((place for place in places if place.grade), places[0] if places else None)
        if first is not None:
            for pane in self.sides:
                pane.select_memory(first.memory.id)
            self._viewmodel.explain(first.memory.id)

    def _show_explained(self, found: tuple[Explanation, ...]) -> None:
        for pane, explanation in zip(self.sides, found, strict=True):
            pane.explanation.show_explanation(explanation)


class _SidePane(QWidget):
    """One answer and the explanation of one of its memories. `memory_selected` carries the selected memory."""

    memory_selected = Signal(object)
    memory_wanted = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._is_following = False
        self.title = layout.label(name, "heading")
        self.places = PlainTable(PLACES, self)
        self.table = QTableView()
        set_up_table(self.table, self.places, f"Answer of {name}", stretched=1)
        self.table.setItemDelegateForColumn(3, RatingCells(lambda row: row.grade, self.table, only_shows=True))
        self.table.setColumnWidth(3, RATED_WIDTH)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._on_selected(now.row()))
        self.table.activated.connect(lambda index: self._open(index.row()))
        self.explanation = ExplanationPage(widths=(190, 78, 190))
        self.explanation.tree.setAccessibleName(f"Derivation of the score in {name}")
        head = layout.row(self.title, 1, margins=(theme.LARGE, theme.SMALL, theme.LARGE, theme.TIGHT))
        answer = layout.panel(layout.column(head, layout.row(self.table, margins=(theme.SMALL, 0, 0, 0)), space=0))
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(answer)
        split.addWidget(self.explanation)
        split.setSizes([230, 290])
        split.setChildrenCollapsible(False)
        self.setLayout(layout.column(split))

    def show_side(self, side: ComparisonSide) -> None:
        self.title.setText(f"{self._name}: {side.profile}")
        self.places.show_rows(side.places)
        self.explanation.clear()

    def select_memory(self, id: object) -> None:
        """Select a memory, if it is in this answer."""
        row = next((number for number, place in enumerate(self.places.rows) if place.memory.id == id), None)
        self._is_following = True
        if row is None:
            self.table.clearSelection()
        else:
            self.table.selectRow(row)
        self._is_following = False

    def _on_selected(self, row: int) -> None:
        place = self.places.row(row)
        if place is not None and not self._is_following:
            self.memory_selected.emit(place.memory.id)

    def _open(self, row: int) -> None:
        place = self.places.row(row)
        if place is not None:
            self.memory_wanted.emit(place.memory.id)


def _picker(name: str) -> QComboBox:
    made = QComboBox()
    made.setAccessibleName(name)
    made.setMinimumWidth(170)
    return made
