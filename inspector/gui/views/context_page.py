"""The context of a memory as a tree whose keys and values are edited in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStackedWidget, QTreeView, QWidget

from inspector.gui import theme
from inspector.gui.models.json_tree import JsonTree
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState


class _Tree(QTreeView):
    """A tree in which Tab goes from a key to its value and then to the next key. Qt's own goes from row to row, so that
    text typed after the last key would replace that key."""

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        steps = {
            QAbstractItemView.CursorAction.MoveNext: (1, self.indexBelow),
            QAbstractItemView.CursorAction.MovePrevious: (0, self.indexAbove),
        }
        here = self.currentIndex()
        if action not in steps or not here.isValid():
            return super().moveCursor(action, modifiers)
        column, to_next_row = steps[action]
        beside = here.siblingAtColumn(column)
        if here.column() != column and beside.flags() & Qt.ItemFlag.ItemIsEditable:
            return beside
        return to_next_row(here).siblingAtColumn(1 - column)


class ContextPage(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = JsonTree(self)
        self.tree = _Tree()
        self.tree.setModel(self.model)
        self.tree.setAccessibleName("Context of this memory")
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.setUniformRowHeights(True)
        self.model.modelReset.connect(self.tree.expandAll)
        self.model.rowsRemoved.connect(lambda *_: self._show_state())
        self.tree.selectionModel().currentChanged.connect(lambda *_: self._show_state())
        self._nothing = EmptyState("sample", "No context", "Parameters, places or results of a task are shown here.")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self.tree)
        about = "A new key: in the selected object or list, else next to the selected key"
        self.add = layout.button("Add key", self._add, icon="new", about=about)
        self.remove = layout.button(
            "Remove", self._remove, about="Remove the selected key with everything below it (Del)"
        )
        key = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.tree)
        key.setContext(Qt.ShortcutContext.WidgetShortcut)
        key.activated.connect(self._remove)
        margins = (theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)
        buttons = layout.row(self.add, self.remove, 1, margins=margins)
        self.setLayout(layout.column(self._stack, layout.line(), buttons, space=0))

    def show_context(self, context: Mapping[str, Any], *, is_editable: bool) -> None:
        self.model.show_object(context, is_editable=is_editable)
        self.add.setEnabled(is_editable)
        self._show_state()

    def _show_state(self) -> None:
        self._stack.setCurrentIndex(1 if self.model.rowCount() else 0)
        self.remove.setEnabled(self.add.isEnabled() and self.tree.currentIndex().isValid())

    def _add(self) -> None:
        made = self.model.add(self.tree.currentIndex())
        self._show_state()
        self.tree.expand(made.parent())
        self.tree.setCurrentIndex(made)
        if made.flags() & Qt.ItemFlag.ItemIsEditable:
            self.tree.edit(made)

    def _remove(self) -> None:
        if self.remove.isEnabled():
            self.model.remove(self.tree.currentIndex())
