"""A list of short texts as chips that can be removed, with a field to add one."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy, QToolButton, QWidget

from inspector.gui import theme
from inspector.gui.widgets import layout
from inspector.gui.widgets.flow import FlowLayout

MAX_SHOWN_CHARS = 40


class Chips(QFrame):
    """Chips with a text field: Enter or a comma adds the typed text, Backspace in the empty field removes the last
    chip."""

    edited = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chips")
        self.setAccessibleName(name)
        self._name = name
        self._items: list[str] = []
        self._chips: list[QFrame] = []
        self.field = QLineEdit()
        self.field.setAccessibleName(f"Add to {name}")
        self.field.setPlaceholderText("Add…")
        self.field.setMinimumWidth(64)
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.field.returnPressed.connect(self._add_typed)
        self.field.textEdited.connect(self._on_typed)
        self.field.installEventFilter(self)
        self._flow = FlowLayout(self)
        self._flow.setContentsMargins(theme.TIGHT, theme.TIGHT, theme.TIGHT, theme.TIGHT)
        self._flow.addWidget(self.field)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def items(self) -> tuple[str, ...]:
        return tuple(self._items)

    def set_items(self, items: Iterable[str]) -> None:
        self._items = list(dict.fromkeys(items))
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.deleteLater()
        self._chips = []
        for item in self._items:
            chip = self._chip(item)
            self._chips.append(chip)
            self._flow.insert_before_last(chip)
        self.updateGeometry()

    def remove(self, item: str) -> None:
        self.set_items(each for each in self._items if each != item)
        self.edited.emit(self.items)

    def _chip(self, item: str) -> QFrame:
        chip = QFrame(self)
        chip.setObjectName("chip")
        shown = item if len(item) <= MAX_SHOWN_CHARS else item[: MAX_SHOWN_CHARS - 1] + "…"
        remove = QToolButton()
        layout.give_icon(remove, "close", "muted", 10)
        remove.setAccessibleName(f"Remove {item} from {self._name}")
        remove.setToolTip("Remove")
        remove.clicked.connect(lambda: self.remove(item))
        chip.setLayout(layout.row(layout.label(shown), remove, space=theme.TIGHT, margins=(9, 2, 7, 2)))
        return chip

    def _add_typed(self) -> None:
        typed = self.field.text().strip().strip(",").strip()
        self.field.clear()
        if typed and typed not in self._items:
            self.set_items([*self._items, typed])
            self.edited.emit(self.items)

    def _on_typed(self, text: str) -> None:
        if text.endswith(","):
            self._add_typed()

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.field
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Backspace
            and not self.field.text()
            and self._items
        ):
            self.remove(self._items[-1])
            return True
        return super().eventFilter(watched, event)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._flow.heightForWidth(width)
