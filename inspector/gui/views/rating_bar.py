"""Ratings below the results: the golden set, and the metrics of the answer."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QTableView, QWidget

from core.model import Memory
from inspector.gui import theme
from inspector.gui.models.grades import GRADES, WIDTH, rated_column, word
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import absolute, plain_tip
from inspector.gui.viewmodels.rating import RatingProgress, RatingViewModel
from inspector.gui.widgets import layout
from inspector.gui.widgets.rating_cells import RatingCells

KEYS = "Rate the selected memory: 0 not relevant, 1 relevant, 2 highly relevant, Backspace removes the rating"
METRICS = {
    "ndcg@10": ("nDCG@10", "Gain by rank among the first 10, as a share of the best possible order; 1 is perfect"),
    "mrr": ("MRR", "1 / the rank of the first relevant memory"),
    "recall@10": ("recall@10", "The share of everything rated relevant that is among the first 10"),
}


def rated(viewmodel: RatingViewModel) -> TableColumn[Any]:
    """Return the rating column of a table whose rows have a memory."""

    def tip(row: Any) -> str:
        judged = viewmodel.judged.get(row.memory.uid)
        if judged is None:
            return KEYS
        description = f"{word(judged.grade)} ({judged.grade}), by {judged.judge}, {absolute(judged.judged_at)}"
        return f"{description[0].upper()}{description[1:]}\n{KEYS}"

    return rated_column(lambda row: viewmodel.grade(row.memory), tip)


def make_ratable(table: QTableView, model: PlainTable[Any], viewmodel: RatingViewModel) -> None:
    """Let clicks in the last column and keys rate the memories of a table."""
    marks = RatingCells(lambda row: viewmodel.grade(row.memory), table)
    last = len(model.columns) - 1
    table.setItemDelegateForColumn(last, marks)
    table.setColumnWidth(last, WIDTH)
    marks.rated.connect(lambda row, grade: _rate(viewmodel, model, row, grade))
    for key, grade in [*((each.key, each.value) for each in GRADES), ("Backspace", None), ("Del", None)]:
        pressed = QShortcut(QKeySequence(key), table)
        pressed.setContext(Qt.ShortcutContext.WidgetShortcut)
        pressed.setAutoRepeat(False)
        pressed.activated.connect(partial(rate_current, table, model, viewmodel, grade))
    viewmodel.marked.connect(model.refresh)


def rate_current(table: QTableView, model: PlainTable[Any], viewmodel: RatingViewModel, grade: int | None) -> None:
    _rate(viewmodel, model, table.currentIndex().row(), grade)


def _rate(viewmodel: RatingViewModel, model: PlainTable[Any], row: int, grade: int | None) -> None:
    selected = model.row(row)
    if selected is not None:
        viewmodel.rate(selected.memory, grade)


class GradeButtons(QWidget):
    """The three grades as buttons, for a memory that is not in a table."""

    def __init__(self, viewmodel: RatingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self._memory: Memory | None = None
        self.buttons = {
            each.value: layout.button(each.word.capitalize(), partial(self._rate, each.value), icon=each.icon,
                                      about=f"Rate it {each.word}; again removes the rating")
            for each in GRADES
        }  # fmt: skip
        for button in self.buttons.values():
            button.setCheckable(True)
        self.setLayout(layout.row(layout.label("For this query it is", "muted"), *self.buttons.values(), 1))
        viewmodel.marked.connect(self._show)
        self.show_memory(None)

    def show_memory(self, memory: Memory | None) -> None:
        self._memory = memory
        self.setVisible(memory is not None)
        self._show()

    def _rate(self, grade: int) -> None:
        if self._memory is not None:
            has = word(self._viewmodel.grade(self._memory)) == word(grade)
            self._viewmodel.rate(self._memory, None if has else grade)
            self._show()

    def _show(self) -> None:
        has = "" if self._memory is None else word(self._viewmodel.grade(self._memory))
        for grade, button in self.buttons.items():
            button.setChecked(word(grade) == has)
            button.setEnabled(self._viewmodel.can_rate)


class RatingBar(QWidget):
    def __init__(self, viewmodel: RatingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.golden_set = QComboBox()
        self.field = QLineEdit()
        self.golden_set.setLineEdit(self.field)
        self.golden_set.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.golden_set.setAccessibleName("Golden set to rate into")
        self.golden_set.setToolTip("Ratings go into this golden set; a new name makes a new one with its first rating")
        self.field.setPlaceholderText("Name a set")
        self.golden_set.setFixedWidth(168)
        self.golden_set.textActivated.connect(viewmodel.select_set)
        self.field.editingFinished.connect(self._on_named)
        self.note = layout.label("", "muted")
        self.note.setAccessibleName("How the answer does by its ratings")
        self.keys = layout.label("Rate with 0, 1, 2, Backspace", "muted")
        self.keys.setToolTip(KEYS)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # it never widens the window
        margins = (theme.LARGE, theme.TIGHT, theme.LARGE, theme.SMALL)
        whole = layout.row(
            layout.label("Golden set", "muted"), self.golden_set, self.note, self.keys, space=theme.MEDIUM,
            margins=margins,
        )  # fmt: skip
        whole.setStretch(2, 1)
        self.setLayout(whole)
        viewmodel.sets_changed.connect(self._show_sets)
        viewmodel.rated.connect(self._show_standing)
        self._show_sets(())
        self._show_standing(None)

    def _on_named(self) -> None:
        name = self.golden_set.currentText()
        if name.strip():
            self._viewmodel.select_set(name)
        else:
            self.golden_set.setEditText(self._viewmodel.golden_set)

    def _show_sets(self, names: Iterable[str]) -> None:
        is_typing = self.field.hasFocus() and self.field.isModified()
        typed = self.golden_set.currentText()
        self.golden_set.blockSignals(True)
        self.golden_set.clear()
        self.golden_set.addItems(list(dict.fromkeys([*names, self._viewmodel.golden_set])))
        self.golden_set.setCurrentText(typed if is_typing else self._viewmodel.golden_set)
        self.golden_set.blockSignals(False)

    def _show_standing(self, standing: RatingProgress | None) -> None:
        if standing is None:
            has_some = bool(self._viewmodel.judged)
            self.note.setText("Nothing is rated relevant yet" if has_some else "This query is not rated yet")
            self.note.setToolTip("Rate a memory relevant, returned or not, to measure the answer.")
            return
        sentences = [f"{METRICS[name][0]} {value:.3f}" for name, value in standing.scores.items()]
        found = standing.relevant - standing.missed
        sentences.append(f"{found} of {standing.relevant} relevant returned")
        self.note.setText("  ·  ".join(sentences))
        lines = ["  ·  ".join(sentences), *(f"{title}: {about}" for title, about in METRICS.values())]
        lines.append("What is rated relevant and not returned counts as missed.")
        self.note.setToolTip(plain_tip("\n".join(lines)))
