"""A control for every parameter of a profile, with the profile's own value and a button that resets to it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import groupby
from typing import Any, get_args, get_origin

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QSpinBox,
    QToolButton,
    QWidget,
)

from core.pipeline import run_report
from core.pipeline.parameters import MAX_WHOLE_NUMBER, Parameter
from inspector.gui import theme
from inspector.gui.models.plain_text import plain_tip
from inspector.gui.widgets import layout

WIDEST = 1e9


class _ShortNumber(QDoubleSpinBox):
    """A number field that shows 0.5, not 0.5000."""

    def textFromValue(self, value: float) -> str:
        return f"{value:g}"


class ParameterForm(QWidget):
    changed = Signal(str, object)
    reset_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controls: dict[str, QWidget] = {}
        self._resets: dict[str, QToolButton] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(theme.LARGE, theme.SMALL, theme.MEDIUM, theme.LARGE)
        self._grid.setHorizontalSpacing(theme.SMALL)
        self._grid.setVerticalSpacing(theme.TIGHT + 2)
        self._grid.setColumnStretch(0, 1)

    def show_parameters(self, parameters: Sequence[Parameter], changed: Mapping[str, Any]) -> None:
        """Build the form for a profile."""
        layout.clear(self._grid)
        self._controls, self._resets = {}, {}
        row = 0
        for step, own in groupby(parameters, key=lambda parameter: parameter.step):
            title = layout.label(_heading(step), "section")
            title.setContentsMargins(0, theme.SMALL if row else 0, 0, 2)
            self._grid.addWidget(title, row, 0, 1, 3)
            row += 1
            for parameter in own:
                self._add(parameter, changed.get(parameter.path, parameter.value), row)
                row += 1
        self._grid.setRowStretch(row, 1)
        self.show_changed(changed)

    def show_changed(self, changed: Mapping[str, Any]) -> None:
        for path, reset in self._resets.items():
            reset.setVisible(path in changed)

    def control(self, path: str) -> QWidget:
        return self._controls[path]

    def _add(self, parameter: Parameter, value: Any, row: int) -> None:
        name = layout.label(parameter.field.replace("_", " "), "muted")
        name.setToolTip(plain_tip(f"{parameter.path}, {_shown(parameter.value)} by default"))
        control = self._control(parameter, value)
        control.setAccessibleName(parameter.path)
        if isinstance(control, QAbstractSpinBox):
            layout.pad_number_field(control)
            control.setAlignment(Qt.AlignmentFlag.AlignRight)
        control.setToolTip(plain_tip(f"{parameter.path}: {_shown(parameter.value)} by default"))
        if not isinstance(control, QCheckBox):
            control.setFixedWidth(116 if isinstance(control, (QLineEdit, QComboBox)) else 76)
        about = f"Back to {_shown(parameter.value)}"
        reset = layout.quiet_button("restore", about, lambda: self._reset(parameter.path), size=13)
        policy = reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        reset.setSizePolicy(policy)
        self._controls[parameter.path], self._resets[parameter.path] = control, reset
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(control, row, 1, Qt.AlignmentFlag.AlignRight)
        self._grid.addWidget(reset, row, 2)

    def _reset(self, path: str) -> None:
        self.reset_wanted.emit(path)

    def _control(self, parameter: Parameter, value: Any) -> QWidget:
        kind = parameter.type

        def report(new: Any) -> None:
            self.changed.emit(parameter.path, new)

        if kind is bool:
            box = QCheckBox()
            box.setChecked(bool(value))
            box.toggled.connect(report)
            return box
        if kind is int:
            least, most = max(0, parameter.range[0]), min(MAX_WHOLE_NUMBER, parameter.range[1])
            whole = QSpinBox()
            whole.setRange(int(least), int(min(most, MAX_WHOLE_NUMBER)))
            whole.setValue(int(value))
            whole.setKeyboardTracking(False)
            whole.valueChanged.connect(report)
            return whole
        if kind is float:
            least, most = max(-WIDEST, parameter.range[0]), min(WIDEST, parameter.range[1])
            number = _ShortNumber()
            number.setDecimals(4)
            number.setRange(max(least, -WIDEST), min(most, WIDEST))
            number.setSingleStep(10 ** math.floor(math.log10(abs(value))) / 2 if value else 0.1)
            number.setValue(float(value))
            number.setKeyboardTracking(False)
            number.valueChanged.connect(report)
            return number
        if isinstance(kind, type) and issubclass(kind, Enum):
            choice = QComboBox()
            choice.addItems([str(each.value) for each in kind])
            choice.setCurrentText(str(getattr(value, "value", value)))
            choice.currentTextChanged.connect(report)
            return choice
        line = QLineEdit(_shown(value))
        if _is_optional_number(kind):
            line.setPlaceholderText("off")
        line.editingFinished.connect(lambda: self._emit_text(parameter, line.text()))
        return line

    def _emit_text(self, parameter: Parameter, text: str) -> None:
        """Emit a typed value: a text as it is, anything else as JSON, an empty field as none; the core checks it."""
        if text == _shown(parameter.value):
            self.changed.emit(parameter.path, parameter.value)
        elif parameter.type is str:
            self.changed.emit(parameter.path, text)
        else:
            self.changed.emit(parameter.path, "null" if not text.strip() or text == "off" else text)


def _is_optional_number(kind: Any) -> bool:
    return get_origin(kind) is not None and type(None) in get_args(kind)


def _shown(value: Any) -> str:
    if value is None:
        return "off"
    if isinstance(value, (tuple, list)):
        return json.dumps([each.value if isinstance(each, Enum) else each for each in value])
    return f"{value:g}" if isinstance(value, float) else str(value)


def _heading(step: str) -> str:
    """Return the heading of a step's parameters: its label, and the name that `--set` takes where they differ."""
    label = run_report.label(step)
    return step.upper() if label.lower() == step else f"{label.upper()} ({step})"
