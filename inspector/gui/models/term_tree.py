"""The model of an explanation tree: each number with its name, its formula and the facts behind it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.pipeline import run_report
from core.pipeline.trace import Term
from inspector.gui.models.plain_text import plain_tip

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("What", "Value", "Derivation", "Facts")
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class _TermNode:
    def __init__(self, term: Term, parent: _TermNode | None, row: int) -> None:
        self.term, self.parent, self.row = term, parent, row
        self.children = [_TermNode(part, self, number) for number, part in enumerate(term.parts)]


class TermTree(QAbstractItemModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._roots: list[_TermNode] = []

    def show_terms(self, terms: list[Term]) -> None:
        self.beginResetModel()
        self._roots = [_TermNode(term, None, number) for number, term in enumerate(terms)]
        self.endResetModel()

    def _children(self, index: Index) -> list[_TermNode]:
        if not index.isValid():
            return self._roots
        node = index.internalPointer()
        return node.children if isinstance(node, _TermNode) else []

    def names(self, index: Index) -> list[str]:
        """Return the name of a row's number and of the numbers it is part of, innermost first."""
        node = index.internalPointer() if index.isValid() else None
        found = list[str]()
        while isinstance(node, _TermNode):
            found.append(node.term.name)
            node = node.parent
        return found

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.column() > 0 else len(self._children(parent))

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(COLUMNS)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self._children(parent)[row])

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008
        node = index.internalPointer() if index.isValid() else None
        above = node.parent if isinstance(node, _TermNode) else None
        return QModelIndex() if above is None else self.createIndex(above.row, 0, above)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = index.internalPointer() if index.isValid() else None
        if not isinstance(node, _TermNode):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() == 1 else None
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(node.term, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{node.term.name} = {node.term.value!r}\n{_text(node.term, 3)}".strip())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and section == 1 else None


def _text(term: Term, column: int) -> str:
    if column == 0:
        return run_report.label(term.name)
    if column == 1:
        return run_report.number(term.value)
    if column == 2:
        return run_report.formula(term)
    facts = ((name, value) for name, value in term.facts.items() if value not in (None, "", False))
    return ", ".join(
        f"{name} {run_report.number(value) if isinstance(value, float) else value}" for name, value in facts
    )
