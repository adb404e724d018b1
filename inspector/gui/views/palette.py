"""The command palette and the sheet of shortcuts, built from the table of actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QDialog, QGridLayout, QLineEdit, QListWidget, QListWidgetItem, QScrollArea, QWidget

from inspector.gui import theme
from inspector.gui.widgets import layout

Entry = tuple[str, str, str, str]  # menu, text, about, keys


class CommandPalette(QDialog):
    """A search field over all actions; Enter carries the selected one out."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Command palette")
        self.setObjectName("palette")
        self._actions = [action for action in actions if action.isEnabled()]
        self.field = QLineEdit()
        self.field.setPlaceholderText("What do you want to do?")
        self.field.setAccessibleName("Find a command")
        self.field.setProperty("kind", "search")
        self.field.textChanged.connect(self._show_matching)
        self.field.returnPressed.connect(self._do)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName("Commands")
        self.list.itemClicked.connect(lambda _: self._do())
        frame = layout.card(self.field, self.list)
        self.setLayout(layout.column(frame))
        self.setFixedSize(560, 420)
        self._show_matching("")

    def show_over(self, window: QWidget) -> None:
        """Show the palette centred near the upper edge of a window."""
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - self.width()) // 2, corner.y() + 90)
        self.show()
        self.field.setFocus()

    def _show_matching(self, typed: str) -> None:
        """List actions whose name matches first, then those whose description does."""
        self.list.clear()
        letters = typed.lower().split()

        def has_all(words: str) -> bool:
            return all(part in words.lower() for part in letters)

        matching = [each for each in self._actions if has_all(f"{each.text()} {each.statusTip()}")]
        for action in sorted(matching, key=lambda each: not has_all(each.text())):
            text = action.text().replace("…", "")
            keys = ", ".join(key.toString() for key in action.shortcuts()[:1])
            item = QListWidgetItem(action.icon(), f"{text}    {keys}" if keys else text)
            item.setToolTip(action.statusTip())
            item.setSizeHint(QSize(0, theme.ROW_HEIGHT))
            item.setData(Qt.ItemDataRole.UserRole, action)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _do(self) -> None:
        item = self.list.currentItem()
        self.close()
        if item is not None:
            item.data(Qt.ItemDataRole.UserRole).trigger()

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.list.count():
                self.list.setCurrentRow((self.list.currentRow() + step) % self.list.count())
                return True
        return super().eventFilter(watched, event)


class ShortcutSheet(QDialog):
    def __init__(self, entries: Sequence[Entry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard shortcuts")
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.LARGE)
        grid.setVerticalSpacing(theme.SMALL)
        grid.setColumnStretch(2, 1)
        row = 0
        for menu, group in groupby(entries, key=lambda entry: entry[0]):
            grid.addWidget(layout.label(menu.upper(), "section"), row, 0, 1, 3)
            row += 1
            for _, text, about, keys in group:
                grid.addWidget(layout.label(text.replace("…", "")), row, 0)
                grid.addWidget(layout.label(keys, "badge"), row, 1, Qt.AlignmentFlag.AlignLeft)
                grid.addWidget(layout.label(about, "muted"), row, 2)
                row += 1
        inner = layout.panel(grid)
        grid.setContentsMargins(theme.LARGE, theme.LARGE, theme.LARGE, theme.LARGE)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        self.setLayout(layout.column(scroll, layout.row(1, layout.button("Close", self.close), margins=theme.MEDIUM),
                                     space=0))  # fmt: skip
        self.resize(800, 640)
