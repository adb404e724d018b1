"""The model of a JSON object as a tree whose keys and values can be edited, added and removed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("Key", "Value")


class _JsonNode:
    """A key with its value; for an object or a list, its children."""

    def __init__(self, key: str, value: Any, parent: _JsonNode | None) -> None:
        self.key, self.value, self.parent = key, value, parent
        items: list[tuple[str, Any]] = []
        if isinstance(value, Mapping):
            items = [(str(name), each) for name, each in value.items()]
        elif isinstance(value, (list, tuple)):
            items = [(str(number), each) for number, each in enumerate(value)]
        self.children = [_JsonNode(name, each, self) for name, each in items]

    @property
    def is_branch(self) -> bool:
        return isinstance(self.value, (Mapping, list, tuple))

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, (list, tuple))

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


def _fresh_names() -> Iterator[str]:
    yield "key"
    yield from (f"key {number}" for number in itertools.count(2))


class JsonTree(QAbstractItemModel):
    """The tree; `edited` carries the whole object after a change."""

    edited = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = _JsonNode("", {}, None)
        self._is_editable = True

    def show_object(self, value: Mapping[str, Any], *, is_editable: bool = True) -> None:
        self.beginResetModel()
        self._root = _JsonNode("", value, None)
        self._is_editable = is_editable
        self.endResetModel()

    def add(self, index: Index) -> QModelIndex:
        """Add a null value: in the given object or list, else next to the given value, else at the top."""
        node = self._node(index)
        branch = node if node.is_branch or node.parent is None else node.parent
        row, above = len(branch.children), self._index_of(branch)
        names = {child.key for child in branch.children}
        key = str(row) if branch.is_list else next(name for name in _fresh_names() if name not in names)
        self.beginInsertRows(above, row, row)
        branch.children.append(_JsonNode(key, None, branch))
        self.endInsertRows()
        self.edited.emit(self._root.plain())
        return self.index(row, 0, above)

    def remove(self, index: Index) -> None:
        node = self._node(index)
        branch = node.parent
        if branch is None:
            return
        self.beginRemoveRows(self._index_of(branch), node.row, node.row)
        branch.children.remove(node)
        self.endRemoveRows()
        if branch.is_list:
            for number, child in enumerate(branch.children):
                child.key = str(number)
        self.edited.emit(self._root.plain())

    def _put(self, node: _JsonNode, value: Any) -> None:
        """Set a typed value; an object or a list brings its own values along."""
        children = _JsonNode(node.key, value, node.parent).children
        node.value = value
        if children:
            self.beginInsertRows(self._index_of(node), 0, len(children) - 1)
            for child in children:
                child.parent = node
            node.children = children
            self.endInsertRows()

    def _index_of(self, node: _JsonNode) -> QModelIndex:
        return QModelIndex() if node is self._root else self.createIndex(node.row, 0, node)

    def _node(self, index: Index) -> _JsonNode:
        node = index.internalPointer() if index.isValid() else self._root
        return node if isinstance(node, _JsonNode) else self._root

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
        if role != Qt.ItemDataRole.EditRole or not index.flags() & Qt.ItemFlag.ItemIsEditable:
            return False
        if index.column() == 0:
            others = {child.key for child in node.parent.children} if node.parent is not None else set()
            if not str(value).strip() or str(value) in others:
                return False  # a key occurs once
            node.key = str(value)
        elif isinstance(node.value, str):
            node.value = str(value)
        else:  # numbers and booleans keep their type; anything else becomes text
            try:
                self._put(node, json.loads(str(value)))
            except ValueError:
                node.value = str(value)
        self.dataChanged.emit(index, index)
        self.edited.emit(self._root.plain())
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        usual = super().flags(index)
        node = self._node(index)
        is_key = index.column() == 0 and node.parent is not None and not node.parent.is_list
        is_value = index.column() == 1 and not node.is_branch
        is_open = index.isValid() and self._is_editable and (is_key or is_value)
        return usual | Qt.ItemFlag.ItemIsEditable if is_open else usual

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return None
