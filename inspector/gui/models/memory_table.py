"""The model of a table of any number of memories: it knows their number and requests the pages that are shown."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from core import formatting
from core.model import Memory, MemoryId
from core.search_types import Order, SortColumn
from inspector.gui.models.plain_text import absolute, excerpt, gist, plain_tip

Index = QModelIndex | QPersistentModelIndex

PAGES_KEPT = 64


class TableRow(Protocol):
    """A memory of a list, with its badges."""

    @property
    def memory(self) -> Memory: ...
    @property
    def marks(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class MemoryColumn:
    """A column: title, text, width, alignment, and whether it is shown by default."""

    column: SortColumn
    title: str
    text: Callable[[TableRow, datetime], str]
    width: int
    is_number: bool = False
    is_default: bool = True
    tip: Callable[[TableRow], str] | None = None


def _moment(
    pick: Callable[[Memory], datetime | None],
) -> tuple[Callable[[TableRow, datetime], str], Callable[[TableRow], str]]:
    def text(row: TableRow, now: datetime) -> str:
        moment = pick(row.memory)
        return "never" if moment is None else formatting.ago(moment, now)

    def tip(row: TableRow) -> str:
        moment = pick(row.memory)
        return "" if moment is None else absolute(moment)

    return text, tip


_CREATED, _CREATED_TIP = _moment(lambda memory: memory.created_at)
_UPDATED, _UPDATED_TIP = _moment(lambda memory: memory.updated_at)
_ACCESSED, _ACCESSED_TIP = _moment(lambda memory: memory.last_accessed_at)

COLUMNS = (
    MemoryColumn(
        SortColumn.CONTENT, "Memory", lambda row, _: gist(row.memory), 470, tip=lambda row: excerpt(row.memory)
    ),
    MemoryColumn(SortColumn.TYPE, "Type", lambda row, _: row.memory.type, 98),
    MemoryColumn(SortColumn.TAGS, "Tags", lambda row, _: ", ".join(row.memory.tags), 158),
    MemoryColumn(SortColumn.STATUS, "Status", lambda row, _: row.memory.status.value, 98),
    MemoryColumn(
        SortColumn.CONFIDENCE, "Confidence", lambda row, _: f"{row.memory.confidence:.2f}", 100, is_number=True
    ),
    MemoryColumn(SortColumn.CREATED, "Created", _CREATED, 88, is_number=True, tip=_CREATED_TIP),
    MemoryColumn(SortColumn.USES, "Uses", lambda row, _: f"{row.memory.access_count:,}", 62, is_number=True),
    MemoryColumn(SortColumn.ACCESSED, "Last used", _ACCESSED, 92, is_number=True, is_default=False, tip=_ACCESSED_TIP),
    MemoryColumn(SortColumn.UPDATED, "Updated", _UPDATED, 92, is_number=True, is_default=False, tip=_UPDATED_TIP),
    MemoryColumn(
        SortColumn.RETURNS,
        "Returned",
        lambda row, _: f"{row.memory.return_count:,}",
        84,
        is_number=True,
        is_default=False,
    ),
    MemoryColumn(
        SortColumn.STRENGTH,
        "Strength",
        lambda row, _: f"{row.memory.strength:.2f}",
        84,
        is_number=True,
        is_default=False,
    ),
    MemoryColumn(SortColumn.IMPORTANCE, "Importance", lambda row, _: row.memory.importance.value, 96, is_default=False),
    MemoryColumn(
        SortColumn.PINNED, "Pinned", lambda row, _: "pinned" if row.memory.pinned else "", 76, is_default=False
    ),
    MemoryColumn(SortColumn.COLLECTION, "Collection", lambda row, _: row.memory.collection, 110, is_default=False),
    MemoryColumn(SortColumn.SESSION, "Session", lambda row, _: row.memory.session, 130, is_default=False),
    MemoryColumn(SortColumn.AGENT, "Agent", lambda row, _: row.memory.agent, 110, is_default=False),
    MemoryColumn(SortColumn.USER, "User", lambda row, _: row.memory.user, 90, is_default=False),
    MemoryColumn(SortColumn.SOURCE, "Source", lambda row, _: row.memory.source, 90, is_default=False),
    MemoryColumn(
        SortColumn.VERSION, "Version", lambda row, _: str(row.memory.version), 76, is_number=True, is_default=False
    ),
    MemoryColumn(SortColumn.ID, "Id", lambda row, _: str(row.memory.id), 70, is_number=True, is_default=False),
)

_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class MemoryTable(QAbstractTableModel):
    """The table; `page_wanted` requests a page by number, whose rows are empty until `put_page`."""

    page_wanted = Signal(int)

    def __init__(self, page_size: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._page_size = page_size
        self._total = 0
        self._now: datetime | None = None
        self._pages: OrderedDict[int, Sequence[TableRow]] = OrderedDict()
        self._asked: set[int] = set()
        self._stale: set[int] = set()
        self._order = Order()

    @property
    def total(self) -> int:
        return self._total

    def show_list(self, total: int, now: datetime) -> None:
        """Show another list, or the same one after a change; known rows are shown until new ones are put."""
        self._now = now
        self._asked.clear()
        if total == self._total:
            self._stale = set(self._pages)
            self._refresh(0, total - 1)
            return
        self.beginResetModel()
        self._total = total
        self._pages.clear()
        self._stale.clear()
        self.endResetModel()

    def clear(self) -> None:
        """Show no list."""
        self.beginResetModel()
        self._total = 0
        self._pages.clear()
        self._asked.clear()
        self._stale.clear()
        self.endResetModel()

    def grow(self, total: int) -> None:
        """Set a greater length; the rows stay."""
        self.beginInsertRows(QModelIndex(), self._total, total - 1)
        self._total = total
        self.endInsertRows()

    def show_order(self, order: Order) -> None:
        """Mark the column that the list is sorted by."""
        self._order = order
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def put_page(self, number: int, rows: Sequence[TableRow]) -> None:
        self._asked.discard(number)
        self._stale.discard(number)
        self._pages[number] = rows
        while len(self._pages) > PAGES_KEPT:
            self._pages.popitem(last=False)
        first = number * self._page_size
        self._refresh(first, min(first + len(rows), self._total) - 1)

    def row(self, number: int) -> TableRow | None:
        """Return a row, or None while its page, which is then requested, is not here."""
        page = number // self._page_size
        if (page not in self._pages or page in self._stale) and page not in self._asked:
            self._asked.add(page)
            self.page_wanted.emit(page)
        if page not in self._pages:
            return None
        self._pages.move_to_end(page)
        rows = self._pages[page]
        place = number % self._page_size
        return rows[place] if place < len(rows) else None

    def text(self, shown: MemoryColumn, row: TableRow) -> str:
        return "" if self._now is None else shown.text(row, self._now)

    def memory_id(self, number: int) -> MemoryId | None:
        row = self.row(number)
        return None if row is None else row.memory.id

    def _refresh(self, first: int, last: int) -> None:
        if 0 <= first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(COLUMNS) - 1))

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._total

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # Called several times per cell: roles without a value return at once.
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if COLUMNS[index.column()].is_number else _LEFT
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        row = self.row(index.row())
        if row is None:
            return None
        shown = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(shown.tip(row)) if shown.tip else None
        return self.text(shown, row)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = (" ↓" if self._order.descending else " ↑") if COLUMNS[section].column is self._order.column else ""
            return COLUMNS[section].title + arrow
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if COLUMNS[section].is_number else _LEFT
        return None
