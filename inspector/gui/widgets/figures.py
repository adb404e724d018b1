"""A strip of statistics: each number with its name below, explained on hover."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from inspector.gui import theme
from inspector.gui.widgets import layout


class FigureStrip(QWidget):
    """The strip; `names` are the texts below the numbers and what they mean."""

    def __init__(self, names: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.numbers: dict[str, QLabel] = {}
        row = layout.row(space=theme.HUGE, margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.MEDIUM))
        for name, about in names:
            number = layout.label("–", "title")
            number.setAccessibleName(name)
            words = layout.label(name, "muted")
            for each in (number, words):
                each.setToolTip(about)
            self.numbers[name] = number
            row.addLayout(layout.column(number, words, space=0))
        row.addStretch(1)
        self.setLayout(row)

    def show_numbers(self, numbers: Sequence[str]) -> None:
        for label, number in zip(self.numbers.values(), numbers, strict=True):
            label.setText(number)
