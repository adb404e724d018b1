"""Evaluation › Tune: parameters to vary, trials, and saving the best as a profile."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QLineEdit,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QTableView,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import plain_tip
from inspector.gui.viewmodels.tuning import DEFAULT_METRICS, MAX_SHOWN, Tuning, TuningViewModel
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.flow import FlowLayout
from inspector.gui.widgets.tables import set_up_table

Varied = tuple[str, list[Any]]
Row = tuple[str, Any]  # its name, and the trial

VARIED = (
    TableColumn[Varied]("Parameter", lambda each: each[0], width=190),
    TableColumn[Varied]("Values to try", lambda each: ", ".join(map(_shown, each[1]))),
)
TRIES = (
    TableColumn[Row]("", lambda each: each[0], width=90),
    TableColumn[Row]("Seen", lambda each: f"{each[1].seen:.4f}", is_number=True, width=84,
             tip=lambda _: "On the queries used for tuning"),
    TableColumn[Row]("Held out", lambda each: f"{each[1].held_out:.4f}", is_number=True, width=84,
             tip=lambda _: "On queries not used for tuning: trust this"),
    TableColumn[Row]("Values", lambda each: _values(each[1].values)),
)  # fmt: skip
HINT = "Select a parameter and values to try; every combination is measured, also on held-out queries."


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _values(values: Any) -> str:
    return ", ".join(f"{path} = {_shown(value)}" for path, value in values.items()) or "as published"


class TunePage(QWidget):
    def __init__(self, viewmodel: TuningViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        split = QSplitter()
        split.addWidget(self._build_space())
        split.addWidget(self._build_tries())
        split.setSizes([430, 640])
        split.setChildrenCollapsible(False)
        self.setLayout(layout.column(split))
        viewmodel.space_changed.connect(self._show_space)
        viewmodel.running_changed.connect(lambda _: self._show_state())
        viewmodel.found.connect(self._show_tuning)
        viewmodel.refused.connect(self._say)
        viewmodel.saved.connect(lambda name: self._say(f"Saved as {name}; it is now in every list of profiles."))
        self._show_parameters()
        self._show_space({})
        self._show_state()

    # building

    def _build_space(self) -> QFrame:
        do = self._viewmodel
        self.base = QComboBox()
        self.base.setAccessibleName("Profile to tune")
        self.base.addItems(do.profiles())
        self.base.currentTextChanged.connect(self._on_base)
        self.parameter = QComboBox()
        self.parameter.setAccessibleName("Parameter to vary")
        self.parameter.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.parameter.setMinimumContentsLength(16)
        self.parameter.currentTextChanged.connect(lambda _: self._suggest())
        self.values = QLineEdit()
        self.values.setAccessibleName("Values to try")
        self.values.setPlaceholderText("Values: a, b, c")
        self.values.setToolTip("The values to try, separated by commas")
        self.values.returnPressed.connect(self._add)
        self.add = layout.button("Vary", self._add, icon="new", about="Try these values of this parameter (Enter)")
        self.varied = PlainTable(VARIED, self)
        self.space = QTableView()
        set_up_table(self.space, self.varied, "Parameters that are varied", stretched=1)
        self.remove = layout.button("Remove", self._remove, icon="close", about="Remove the selected parameter")
        self.objective = QComboBox()
        self.objective.setAccessibleName("Objective")
        self.objective.addItems(DEFAULT_METRICS)
        self.objective.setCurrentText(do.metric)
        self.objective.currentTextChanged.connect(lambda name: setattr(do, "metric", name))
        self.tries = QSpinBox()
        self.tries.setAccessibleName("How many combinations to try")
        self.tries.setRange(0, 10_000)
        self.tries.setSpecialValueText("all")
        self.tries.setToolTip("All combinations, or a random sample of this size")
        self.tries.valueChanged.connect(lambda value: setattr(do, "tries", value or None))
        self.held_out = QDoubleSpinBox()
        self.held_out.setAccessibleName("Share held out")
        self.held_out.setRange(0.1, 0.9)
        self.held_out.setSingleStep(0.1)
        self.held_out.setValue(do.held_out)
        self.held_out.setToolTip(
            "The share of the queries that the search never sees, to measure the gain on unseen queries"
        )
        self.held_out.valueChanged.connect(lambda value: setattr(do, "held_out", value))
        for spin in (self.tries, self.held_out):
            layout.pad_number_field(spin)
            spin.setFixedWidth(72)
        self.run = layout.button("Search", do.run, kind="primary", icon="search", about="Measure the combinations")
        self.stop = layout.button("Stop", do.stop, icon="close", about="End the search; nothing is lost")
        choice = layout.row(self.parameter, self.values, self.add)
        choice.setStretch(1, 1)
        rest = FlowLayout(space=theme.SMALL)
        for name, control in (("Objective", self.objective), ("Tries", self.tries), ("Held out", self.held_out)):
            named = QWidget()
            named.setLayout(layout.row(layout.label(name, "muted"), control))
            rest.addWidget(named)
        whole = layout.column(
            layout.row(layout.label("Profile", "muted"), self.base, 1), choice, self.space,
            layout.row(self.remove, 1), rest, layout.row(1, self.stop, self.run), margins=theme.LARGE,
        )  # fmt: skip
        whole.setStretch(2, 1)
        return layout.panel(whole)

    def _build_tries(self) -> QFrame:
        self.rows = PlainTable(TRIES, self)
        self.table = QTableView()
        set_up_table(self.table, self.rows, "Trials, best first", stretched=3)
        self._nothing = EmptyState("search", "No trials yet", HINT)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self.table)
        self.note = layout.label("", "muted", wraps=True)
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the new profile")
        self.name.setPlaceholderText("Name: small letters, digits, dashes")
        self.name.returnPressed.connect(self._save)
        self.save = layout.button("Save the best as a profile", self._save, icon="save",
                                  about="Listed with the published ones; Ctrl+Z undoes it")  # fmt: skip
        below = layout.column(
            self.note, layout.row(self.name, self.save),
            margins=(theme.LARGE, theme.SMALL, theme.LARGE, theme.MEDIUM),
        )  # fmt: skip
        return layout.panel(
            layout.column(layout.row(self._stack, margins=(theme.SMALL, 0, theme.SMALL, 0)), layout.line(), below,
                          space=0)
        )  # fmt: skip

    # doing

    def _on_base(self, name: str) -> None:
        self._viewmodel.set_base(name)
        self._show_parameters()

    def _add(self) -> None:
        self._viewmodel.vary(self.parameter.currentText(), self.values.text())

    def _remove(self) -> None:
        selected = self.varied.row(self.space.currentIndex().row())
        if selected is not None:
            self._viewmodel.remove(selected[0])

    def _save(self) -> None:
        self._viewmodel.save(self.name.text())

    # showing

    def _show_parameters(self) -> None:
        self._own = {each.path: each.value for each in self._viewmodel.parameters()}
        self.parameter.clear()
        self.parameter.addItems(list(self._own))
        self._suggest()

    def _suggest(self) -> None:
        """Suggest values to try: half the default, the default, and twice the default."""
        own = self._own.get(self.parameter.currentText())
        some: list[Any] = []
        if isinstance(own, float):
            some = [own / 2, own, own * 2]
        elif isinstance(own, int) and not isinstance(own, bool):
            some = [own // 2, own, own * 2]
        self.values.setText(", ".join(f"{each:g}" for each in dict.fromkeys(some)))
        self.values.setToolTip(plain_tip(f"{self.parameter.currentText()} is {own} by default"))

    def _show_space(self, space: dict[str, list[Any]]) -> None:
        self.varied.show_rows(tuple(space.items()))
        self._show_state()

    def _show_tuning(self, tuning: Tuning | None) -> None:
        self._stack.setCurrentIndex(0 if tuning is None else 1)
        self._show_state()
        if tuning is None:
            self.rows.show_rows(())
            self._say("")
            return
        tries = [(f"trial {place}", each) for place, each in enumerate(tuning.tries[:MAX_SHOWN], 1)]
        self.rows.show_rows([("before", tuning.before), *tries])
        self.table.selectRow(1)
        gain = tuning.best.held_out - tuning.before.held_out
        words = f"The best gains {gain:+.4f} {tuning.metric} on held-out queries"
        self._say(f"{words}." if gain > 0 else f"{words}: no improvement.")

    def _show_state(self) -> None:
        is_running = self._viewmodel.is_running
        self.run.setVisible(not is_running)
        self.stop.setVisible(is_running)
        self.run.setEnabled(bool(self._viewmodel.space))
        self.remove.setEnabled(bool(self._viewmodel.space))
        self.save.setEnabled(self._viewmodel.can_save)
        self.name.setEnabled(self._viewmodel.can_save)

    def _say(self, sentence: str) -> None:
        self.note.setText(sentence)
        self.note.setVisible(bool(sentence))
