"""The pages below the results of the Query Lab: explanation, dropped candidates, why not, A/B, prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTableView,
    QTreeView,
    QWidget,
)

from core import formatting
from core.model import MemoryId
from core.pipeline.run_report import LostCandidate, RankComparison, label, number
from inspector import glossary
from inspector.gui import theme
from inspector.gui.models.memory_table import TableRow
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import excerpt, gist, moved, shortened
from inspector.gui.models.term_tree import TermTree
from inspector.gui.viewmodels.model import by_menu
from inspector.gui.viewmodels.query_lab import Explanation, QueryLabViewModel, WhyNot
from inspector.gui.viewmodels.rating import RatingViewModel
from inspector.gui.views.rating_bar import GradeButtons, make_ratable, rated
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.help_button import HelpButton
from inspector.gui.widgets.tables import set_up_table

LOST = (
    TableColumn[LostCandidate]("At", lambda each: label(each.stage), width=110),
    TableColumn[LostCandidate]("From rank", lambda each: str(each.rank), is_number=True, width=84),
    TableColumn[LostCandidate](
        "Score", lambda each: "" if each.score is None else number(each.score), is_number=True, width=84
    ),
    TableColumn[LostCandidate]("Why", lambda each: each.reason.kind.value.replace("_", " "), width=124),
    TableColumn[LostCandidate]("Memory", lambda each: gist(each.memory), width=300),
    TableColumn[LostCandidate]("Reason", lambda each: each.reason.sentence),
)


COMPARED = (
    TableColumn[RankComparison]("A", lambda each: str(each.rank_a or "–"), is_number=True, width=54),
    TableColumn[RankComparison]("B", lambda each: str(each.rank_b or "–"), is_number=True, width=54),
    TableColumn[RankComparison](
        "Change", lambda each: moved(each.rank_a, each.rank_b, each.move), is_number=True, width=84
    ),
    TableColumn[RankComparison]("Memory", lambda each: gist(each.memory), tip=lambda each: excerpt(each.memory)),
)
FOUND = (
    TableColumn[TableRow]("Id", lambda each: str(each.memory.id), is_number=True, width=60),
    TableColumn[TableRow]("Memory", lambda each: gist(each.memory)),
)


WHAT_IS_THIS = "What is this?"


class ExplanationPage(QStackedWidget):
    """The explanation tree of a score; for a memory that is not returned, the reason. The `?` beside the title
    and "What is this?" in the context menu of a row open the glossary at the term of the current row."""

    def __init__(self, widths: tuple[int, int, int] = (300, 100, 330), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree_model = TermTree(self)
        self.title = layout.label("", "heading", wraps=True)
        self.steps = layout.label("", "muted", wraps=True)
        self.tree = QTreeView()
        self.tree.setModel(self.tree_model)
        self.tree.setAccessibleName("Derivation of the score")
        self.tree.setUniformRowHeights(True)
        header = self.tree.header()
        header.setStretchLastSection(True)
        for column, width in enumerate(widths):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            self.tree.setColumnWidth(column, width)
        self.help = HelpButton("the selected term", lambda: self.help_location)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._open_menu)
        top = layout.row(self.title, self.help)
        top.setStretch(0, 1)
        head = layout.column(top, self.steps, space=2, margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL))
        nothing = EmptyState("question", "Nothing to explain yet", "Select a result to see how its score is computed.")
        self.addWidget(layout.panel(layout.column(nothing)))
        self.addWidget(layout.panel(layout.column(head, self.tree, space=0)))

    @property
    def help_location(self) -> str:
        """Where the manual explains the current row."""
        return glossary.location_of_number(*self.tree_model.names(self.tree.currentIndex()))

    def _open_menu(self, at: QPoint) -> None:
        """Open the menu of a row: at the mouse, or by the menu key at the current row."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(WHAT_IS_THIS).triggered.connect(self.help.click)
        menu.popup(self.tree.viewport().mapToGlobal(at))

    def clear(self) -> None:
        self.setCurrentIndex(0)

    def show_explanation(self, found: Explanation) -> None:
        terms = [] if (score := found.score) is None else [score]
        if found.candidate is not None:
            known = {term.name for term in terms}
            terms += [
                hit.term for hit in found.candidate.hits.values() if hit.term.parts and hit.term.name not in known
            ]
        terms += [step.measured for step in found.steps if step.measured is not None]
        where = f"Rank {found.rank}" if found.rank else "Not returned"
        self.title.setText(f"{where}: {shortened(gist(found.memory), 100)}")
        way = [f"{label(step.stage)} {step.rank_after or 'out'}" for step in found.steps]
        reason = "" if found.reason is None or found.rank else f" {by_menu(found.reason.sentence)}"
        self.steps.setText(("Its rank: " + " → ".join(way) + "." if way else "No source found it.") + reason)
        self.tree_model.show_terms(terms)
        self.tree.expandToDepth(3)
        self.setCurrentIndex(1)


class LostPage(QStackedWidget):
    memory_wanted = Signal(object)

    def __init__(self, ratings: RatingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = PlainTable((*LOST, rated(ratings)), self)
        self.table = QTableView()
        set_up_table(self.table, self.model, "Dropped candidates and reasons", stretched=5)
        make_ratable(self.table, self.model, ratings)
        self.table.activated.connect(
            lambda index: self._on_activated(index.row()) if index.column() < len(LOST) else None
        )
        self.more = layout.label("", "muted")
        self.more.setContentsMargins(theme.LARGE, theme.TIGHT, theme.LARGE, theme.SMALL)
        self.addWidget(
            layout.panel(
                layout.column(EmptyState("check", "Nothing was dropped", "Every candidate is among the results."))
            )
        )
        self.addWidget(layout.panel(layout.column(self.table, self.more, space=0)))

    def show_lost(self, lost: Sequence[LostCandidate], in_all: int) -> None:
        self.model.show_rows(lost)
        self.setCurrentIndex(1 if lost else 0)
        hint = "Enter or a double click shows what would return it."
        self.more.setText(hint if in_all == len(lost) else f"The first {len(lost):,} of {in_all:,}. {hint}")

    def _on_activated(self, row: int) -> None:
        lost = self.model.row(row)
        if lost is not None:
            self.memory_wanted.emit(lost.memory.id)


class WhyNotPage(QWidget):
    """Find any memory, and see where it was dropped and the smallest change that would return it."""

    def __init__(self, viewmodel: QueryLabViewModel, ratings: RatingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find the memory you expected…")
        self.field.setAccessibleName("Find a memory to ask about")
        self.field.textEdited.connect(viewmodel.find)
        self.found = PlainTable((*FOUND, rated(ratings)), self)
        self.list = QTableView()
        set_up_table(self.list, self.found, "Memories found", stretched=1)
        make_ratable(self.list, self.found, ratings)
        self.list.clicked.connect(lambda index: self._on_selected(index.row()) if index.column() < len(FOUND) else None)
        self.list.activated.connect(lambda index: self._on_selected(index.row()))
        self.grades = GradeButtons(ratings)
        self.title = layout.label("Why not this memory?", "heading", wraps=True)
        self.sentence = layout.label("Find a memory on the left and select it.", "muted", wraps=True)
        self.changes = QPlainTextEdit()
        self.changes.setReadOnly(True)
        self.changes.setAccessibleName("Changes that would return it")
        self.changes.setProperty("kind", "reading")
        self.changes.hide()
        left = layout.panel(layout.column(self.field, self.list, margins=(theme.LARGE, theme.MEDIUM, theme.SMALL, 0)))
        self._filler = QWidget()
        self._filler.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        right = layout.panel(
            layout.column(self.title, self.sentence, self.grades, self.changes, self._filler, margins=theme.LARGE)
        )
        split = QSplitter()
        split.addWidget(left)
        split.addWidget(right)
        split.setSizes([430, 600])
        self.setLayout(layout.column(split))
        viewmodel.found.connect(self.found.show_rows)
        viewmodel.searching_why.connect(self._on_searching)
        viewmodel.why_not_found.connect(self._show)

    def ask(self, id: Any) -> None:
        self._viewmodel.why_not(MemoryId(id))

    def _on_selected(self, row: int) -> None:
        selected = self.found.row(row)
        if selected is not None:
            self.ask(selected.memory.id)

    def _on_searching(self) -> None:
        self.grades.show_memory(None)
        self.title.setText("Searching for changes that would return it…")
        self.sentence.setText("The query runs again with one change at a time.")
        self.changes.hide()
        self._filler.show()

    def _show(self, found: WhyNot) -> None:
        rank = found.explanation.rank
        self.title.setText(shortened(found.explanation.memory.content, 140))
        self.grades.show_memory(found.explanation.memory)
        if rank is not None:
            self.sentence.setText(f"It is in the answer, at rank {rank}.")
            self.changes.hide()
            self._filler.show()
            return
        reason = by_menu(found.reason.sentence) if found.reason else ""
        self.sentence.setText(f"Dropped at {found.lost_at}. {reason}")
        lines = (
            [f"→ {found.smallest.sentence}"] if found.smallest else ["No single change was found that would return it."]
        )
        lines += [f"   {change.sentence}" for change in found.changes[1:]]
        lines.append("")
        lines.append(
            f"{formatting.counted(found.runs, 'run')} tried"
            + ("." if found.is_complete else "; not everything could be.")
        )
        self.changes.setPlainText("\n".join(lines))
        self._filler.hide()
        self.changes.show()


class ComparePage(QWidget):
    """Two settings side by side: A is stored, B is what is set now."""

    memory_wanted = Signal(object)

    def __init__(self, viewmodel: QueryLabViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.model = PlainTable(COMPARED, self)
        self.keep = layout.button("Use current settings as A", viewmodel.use_as_a)
        self.profile = QComboBox()
        self.profile.setAccessibleName("Profile to compare with")
        self._fill_profiles()
        self.profile.textActivated.connect(self._on_profile)
        self.kept = layout.label("", "muted")
        self.table = QTableView()
        set_up_table(self.table, self.model, "Ranks in A and in B", stretched=3)
        self.table.activated.connect(lambda index: self._on_activated(index.row()))
        self._stack = QStackedWidget()
        hint = "Use the current settings as A, then change a parameter or pick a profile: that is B."
        self._stack.addWidget(EmptyState("compare", "Nothing to compare with yet", hint))
        self._stack.addWidget(self.table)
        head = layout.row(
            self.keep, self.profile, self.kept, 1, margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
        )
        frame = layout.panel(layout.column(head, self._stack, space=0))
        self.setLayout(layout.column(frame))
        viewmodel.profiles_changed.connect(self._fill_profiles)
        viewmodel.kept_changed.connect(self._on_kept)
        viewmodel.compared.connect(self.model.show_rows)

    def _fill_profiles(self) -> None:
        self.profile.clear()
        self.profile.addItem("…or a profile")
        self.profile.addItems([name for name, _ in self._viewmodel.profiles()])

    def _on_profile(self, name: str) -> None:
        if self.profile.currentIndex() > 0:
            self._viewmodel.compare_with(name)

    def _on_kept(self, words: str) -> None:
        self.kept.setText(f"A is {words}; B is the current settings." if words else "")
        self._stack.setCurrentIndex(1 if words else 0)

    def _on_activated(self, row: int) -> None:
        compared = self.model.row(row)
        if compared is not None:
            self.memory_wanted.emit(compared.memory.id)


class PromptPage(QWidget):
    """The exact text that an agent's prompt would get, and how much of the token budget it takes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Prompt section")
        self.text.setProperty("kind", "reading")
        self.text.setFont(theme.monospace())
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.tokens = layout.label("", "muted")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Token budget used")
        self.bar.setFixedWidth(220)
        head = layout.row(self.tokens, self.bar, 1, space=theme.MEDIUM)
        frame = layout.panel(layout.column(head, self.text, margins=theme.LARGE))
        self.setLayout(layout.column(frame))
        self.show_prompt("", 0, None)

    def show_prompt(self, prompt: str, tokens: float, budget: int | None) -> None:
        self.text.setPlainText(prompt or "The prompt section would be empty.")
        limit = "no budget" if budget is None else f"of {budget:,}"
        self.tokens.setText(f"About {tokens:,.0f} tokens, {limit}")
        self.bar.setVisible(budget is not None)
        if budget is not None:
            self.bar.setRange(0, budget)
            self.bar.setValue(min(round(tokens), budget))
