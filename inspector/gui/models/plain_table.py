"""The model of a small table of values in memory: columns are functions of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.plain_text import plain_tip

T = TypeVar("T")
Index = QModelIndex | QPersistentModelIndex
VALUE_ROLE = Qt.ItemDataRole.UserRole + 1

_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True)  # no slots: a generic class notes its parameters on the instance
class TableColumn(Generic[T]):
    title: str
    text: Callable[[T], str]
    is_number: bool = False
    tip: Callable[[T], str] | None = None
    width: int = 0


class PlainTable(QAbstractTableModel, Generic[T]):
    """A table whose rows are replaced as a whole."""

    def __init__(self, columns: Sequence[TableColumn[T]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: tuple[T, ...] = ()

    def show_rows(self, rows: Sequence[T]) -> None:
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def refresh(self) -> None:
        """Emit that the columns of the same rows have changed."""
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))

    def row(self, number: int) -> T | None:
        return self._rows[number] if 0 <= number < len(self._rows) else None

    @property
    def rows(self) -> tuple[T, ...]:
        return self._rows

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column, row = self.columns[index.column()], self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.is_number else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(column.tip(row) if column.tip else column.text(row))
        return row if role == VALUE_ROLE else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if self.columns[section].is_number else _LEFT
        return None
