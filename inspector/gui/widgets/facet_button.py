"""A filter as a button that opens a list to tick, and shows what is ticked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QPushButton, QWidget

from inspector.gui import icons, theme
from inspector.gui.widgets import layout

SEARCHABLE_FROM = 9
MAX_SHOWN = 9
LIST_WIDTH = 250
KEY = Qt.ItemDataRole.UserRole


class FacetButton(QPushButton):
    """A filter button. `changed` carries the ticked keys; `opened` requests the choices. With `is_single` ticking one
    unticks the others."""

    changed = Signal(object)
    opened = Signal()

    def __init__(self, title: str, *, is_single: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._title, self._is_single = title, is_single
        self._labels: dict[str, str] = {}
        self._are_known = False
        self._ticked: tuple[str, ...] = ()
        self.setAccessibleName(f"Filter by {title.lower()}")
        self.setIconSize(QSize(12, 12))
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind the title
        self.clicked.connect(self.open_list)
        self._popup = QFrame(self, Qt.WindowType.Popup)
        self._popup.setObjectName("card")
        self._search = QLineEdit()
        self._search.setPlaceholderText(f"Find {title.lower()}…")
        self._search.setAccessibleName(f"Find {title.lower()}")
        self._search.textChanged.connect(self._show_matching)
        self.list = QListWidget()
        self.list.setAccessibleName(title)
        self.list.itemChanged.connect(self._on_ticked)
        self.list.itemActivated.connect(self._toggle)
        self._popup.setLayout(layout.column(self._search, self.list, margins=theme.SMALL, space=theme.SMALL))
        self.retint()

    def retint(self) -> None:
        self.setIcon(icons.icon("arrow", "accent" if self._ticked else "muted"))

    def set_choices(self, choices: Mapping[str, int] | Sequence[tuple[str, str]] | None) -> None:
        """Set the choices, with counts or with the text for each key; None while they are not known."""
        self._are_known = choices is not None
        pairs: list[tuple[str, str]]
        if isinstance(choices, Mapping):
            pairs = [(key, f"{key or '(none)'}   {count:,}") for key, count in choices.items()]
        else:
            pairs = list(choices or ())
        was_empty, self._labels = not self._labels, dict(pairs)
        if not self._popup.isVisible():
            self._fill()
        elif was_empty:  # an open list keeps its order until it is opened again
            self._fill()
            self._fit()

    @property
    def ticked(self) -> tuple[str, ...]:
        return self._ticked

    def set_ticked(self, keys: Sequence[str]) -> None:
        if tuple(keys) != self._ticked:
            self._ticked = tuple(keys)
            self._fill()
        self._say()

    def open_list(self) -> None:
        self.opened.emit()
        self._fill()
        self._search.clear()
        self._popup.move(self.mapToGlobal(QPoint(0, self.height() + theme.TIGHT)))
        self._popup.show()
        self._fit()

    def _fit(self) -> None:
        self._search.setVisible(len(self._labels) >= SEARCHABLE_FROM)
        rows = min(max(self.list.count(), 1), MAX_SHOWN)
        self.list.setFixedSize(LIST_WIDTH, rows * theme.ROW_HEIGHT + theme.SMALL)
        self._popup.adjustSize()
        (self._search if self._search.isVisible() else self.list).setFocus()

    def _fill(self) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        for key, text in self._labels.items():
            item = QListWidgetItem(text)
            item.setData(KEY, key)
            item.setSizeHint(QSize(0, theme.ROW_HEIGHT))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if key in self._ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        if not self._labels:
            self.list.addItem(QListWidgetItem("None yet" if self._are_known else "Counting…"))
            self.list.item(0).setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.blockSignals(False)

    def _show_matching(self, typed: str) -> None:
        for number in range(self.list.count()):
            item = self.list.item(number)
            item.setHidden(typed.lower() not in item.text().lower())

    def _toggle(self, item: QListWidgetItem) -> None:
        is_ticked = item.checkState() is Qt.CheckState.Checked
        item.setCheckState(Qt.CheckState.Unchecked if is_ticked else Qt.CheckState.Checked)

    def _on_ticked(self, changed: QListWidgetItem) -> None:
        items = [self.list.item(number) for number in range(self.list.count())]
        if self._is_single and changed.checkState() is Qt.CheckState.Checked:
            self.list.blockSignals(True)
            for item in items:
                if item is not changed:
                    item.setCheckState(Qt.CheckState.Unchecked)
            self.list.blockSignals(False)
        self._ticked = tuple(item.data(KEY) for item in items if item.checkState() is Qt.CheckState.Checked)
        self._say()
        self.changed.emit(self._ticked)

    def _say(self) -> None:
        shown = self._title
        if self._ticked:
            names = [
                self._labels.get(key, key).rpartition("   ")[0] or self._labels.get(key, key) or "(none)"
                for key in self._ticked
            ]
            rest = f" +{len(names) - 1}" if len(names) > 1 else ""
            shown = f"{self._title}: {names[0][:24]}{rest}"
        self.setText(shown)
        layout.set_kind(self, "on" if self._ticked else "")
        self.retint()
