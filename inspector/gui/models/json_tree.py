"""A JSON object as a tree whose values can be edited in place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("Key", "Value")


class _Node:
    """A key with its value; the children of an object or a list."""

    def __init__(self, key: str, value: Any, parent: _Node | None) -> None:
        self.key, self.value, self.parent = key, value, parent
        items: list[tuple[str, Any]] = []
        if isinstance(value, Mapping):
            items = [(str(name), each) for name, each in value.items()]
        elif isinstance(value, (list, tuple)):
            items = [(str(number), each) for number, each in enumerate(value)]
        self.children = [_Node(name, each, self) for name, each in items]

    @property
    def is_branch(self) -> bool:
        return isinstance(self.value, (Mapping, list, tuple))

    @property
    def row(self) -> int:
        return 0 if self.parent is None else self.parent.children.index(self)

    def plain(self) -> Any:
        if isinstance(self.value, Mapping):
            return {child.key: child.plain() for child in self.children}
        if isinstance(self.value, (list, tuple)):
            return [child.plain() for child in self.children]
        return self.value

    def shown(self) -> str:
        if isinstance(self.value, Mapping):
            return f"{{{len(self.children)}}}"
        if self.is_branch:
            return f"[{len(self.children)}]"
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)


class JsonTree(QAbstractItemModel):
    """`edited` carries the whole object after a value was changed."""

    edited = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = _Node("", {}, None)
        self._is_editable = True

    def show_object(self, value: Mapping[str, Any], *, is_editable: bool = True) -> None:
        self.beginResetModel()
        self._root = _Node("", value, None)
        self._is_editable = is_editable
        self.endResetModel()

    def _node(self, index: Index) -> _Node:
        node = index.internalPointer() if index.isValid() else self._root
        return node if isinstance(node, _Node) else self._root

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.column() > 0 else len(self._node(parent).children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(COLUMNS)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self._node(parent).children[row])

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008
        above = self._node(index).parent if index.isValid() else None
        return QModelIndex() if above is None or above is self._root else self.createIndex(above.row, 0, above)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole) or not index.isValid():
            return None
        node = self._node(index)
        return node.key if index.column() == 0 else node.shown()

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        node = self._node(index)
        if role != Qt.ItemDataRole.EditRole or node.is_branch:
            return False
        if isinstance(node.value, str):
            node.value = str(value)
        else:  # a number stays a number, a truth a truth; anything else becomes text
            try:
                node.value = json.loads(str(value))
            except ValueError:
                node.value = str(value)
        self.dataChanged.emit(index, index)
        self.edited.emit(self._root.plain())
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        usual = super().flags(index)
        is_value = index.isValid() and index.column() == 1 and not self._node(index).is_branch
        return usual | Qt.ItemFlag.ItemIsEditable if is_value and self._is_editable else usual

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return None
