"""Painting of table cells: chips, bars and badges."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.model import Status
from core.search_types import SortColumn
from inspector.gui import icons, theme
from inspector.gui.models.memory_table import COLUMNS, MemoryColumn, MemoryTable, TableRow

Index = QModelIndex | QPersistentModelIndex

MARK_ICONS = {
    "contradiction": ("contradiction", "danger"),
    "unsure": ("unsure", "warning"),
    "stale": ("clock", "warning"),
    "never recalled": ("unused", "muted"),
}
_STATUS_TINTS = {
    Status.ACTIVE: "good",
    Status.SUPERSEDED: "muted",
    Status.CONTRADICTED: "danger",
    Status.ARCHIVED: "muted",
    Status.DELETED: "danger",
}
TYPES = ("fact", "decision", "gotcha", "preference", "procedure", "event")  # the usual ones
PADDING = 8
# Combined once: doing so for each cell takes longer than painting some cells.
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_SELECTED, _UNDER_THE_MOUSE = QStyle.StateFlag.State_Selected, QStyle.StateFlag.State_MouseOver
ICON = 14


def type_colour(name: str) -> QColor:
    """Return the colour of a type: fixed for the usual types, one of the series for any other."""
    number = TYPES.index(name) if name in TYPES else sum(map(ord, name))
    return theme.series(number)


def type_numbers(counts: Mapping[str, int]) -> dict[str, int]:
    """Return a series colour for each of the most frequent types, no two the same; the usual ones keep theirs."""
    free = list(range(len(theme.current().series)))
    found: dict[str, int] = {}
    by_count = sorted(counts, key=lambda name: (-counts[name], name))[: len(free)]
    for name in sorted(by_count, key=lambda name: name not in TYPES):
        own = TYPES.index(name) if name in TYPES else free[0]
        free.remove(own)
        found[name] = own
    return {name: found[name] for name in by_count}


class MemoryCells(QStyledItemDelegate):
    """Paints the table of memories. It reads the table directly: by way of Qt each value costs as much as painting a
    cell."""

    def __init__(self, table: MemoryTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        paint_background(painter, option)
        row = self._table.row(index.row())
        area = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(option.font)
        if row is None:
            _paint_skeleton(painter, area)
        else:
            shown = COLUMNS[index.column()]
            _paint_cell(painter, area, shown, row, self._table.text(shown, row))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, theme.ROW_HEIGHT)


def paint_background(painter: QPainter, option: QStyleOptionViewItem) -> None:
    state = option.state
    if state & _SELECTED:
        painter.fillRect(option.rect, theme.colour("selection"))
    elif state & _UNDER_THE_MOUSE:
        painter.fillRect(option.rect, theme.colour("hover"))


def _paint_skeleton(painter: QPainter, area: QRect) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("hover"))
    painter.drawRoundedRect(QRectF(area.x(), area.center().y() - 4, area.width() * 0.7, 8), 4, 4)


def _paint_cell(painter: QPainter, area: QRect, shown: MemoryColumn, row: TableRow, text: str) -> None:
    column = shown.column
    if column is SortColumn.CONTENT:
        _paint_memory(painter, area, row, text)
    elif column is SortColumn.TYPE:
        _paint_dot(painter, area, text, type_colour(row.memory.type))
    elif column is SortColumn.STATUS:
        _paint_dot(painter, area, text, theme.colour(_STATUS_TINTS[row.memory.status]), is_muted=True)
    elif column is SortColumn.TAGS:
        paint_chips(painter, area, row.memory.tags)
    elif column is SortColumn.CONFIDENCE:
        paint_share(painter, area, row.memory.confidence, text)
    elif column is SortColumn.STRENGTH:
        paint_share(painter, area, row.memory.strength, text)
    else:
        paint_text(painter, area, text, "muted", is_right=shown.is_number)


def _paint_memory(painter: QPainter, area: QRect, row: TableRow, text: str) -> None:
    """Paint the text, with a pin before it and the badges after it."""
    is_active = row.memory.status is Status.ACTIVE
    ratio = painter.device().devicePixelRatioF()
    if row.memory.pinned:
        painter.drawPixmap(area.x(), area.center().y() - ICON // 2 + 1, icons.pixmap("pin", ICON, "accent", ratio))
        area = area.adjusted(ICON + 5, 0, 0, 0)
    shown = [MARK_ICONS[mark] for mark in row.marks if mark in MARK_ICONS]
    for place, (name, tint) in enumerate(shown):
        x = area.right() - (len(shown) - place) * (ICON + 3)
        painter.drawPixmap(x, area.center().y() - ICON // 2 + 1, icons.pixmap(name, ICON, tint, ratio))
    area = area.adjusted(0, 0, -len(shown) * (ICON + 3) - (6 if shown else 0), 0)
    paint_text(painter, area, text, "text" if is_active else "muted")


def paint_text(painter: QPainter, area: QRect, text: str, tint: str = "text", *, is_right: bool = False) -> None:
    painter.setPen(theme.colour(tint))
    elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area, _RIGHT if is_right else _LEFT, elided)


def _paint_dot(painter: QPainter, area: QRect, text: str, colour: QColor, *, is_muted: bool = False) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QRectF(area.x(), area.center().y() - 3, 7, 7))
    paint_text(painter, area.adjusted(14, 0, 0, 0), text, "muted" if is_muted else "text")


def paint_chips(painter: QPainter, area: QRect, items: tuple[str, ...]) -> None:
    """Paint as many chips as fit, then the number of the others."""
    font = theme.font(size=11)
    painter.setFont(font)
    metrics = QFontMetrics(font)
    x = area.x()
    for number, item in enumerate(items):
        left = len(items) - number
        width = min(metrics.horizontalAdvance(item) + 14, 120)
        room = area.right() - x - (26 if left > 1 else 0)
        if width > room:
            if number == 0 and room > 40:
                width = room
            else:
                paint_text(painter, QRect(x, area.y(), area.right() - x, area.height()), f"+{left}", "muted")
                return
        chip = QRectF(x, area.center().y() - 8.5, width, 18)
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.setBrush(theme.colour("hover"))
        painter.drawRoundedRect(chip, 9, 9)
        painter.setPen(theme.colour("muted"))
        shown = metrics.elidedText(item, Qt.TextElideMode.ElideRight, int(width) - 12)
        painter.drawText(chip, int(Qt.AlignmentFlag.AlignCenter), shown)
        x += int(width) + 4


def paint_share(painter: QPainter, area: QRect, share: float, text: str) -> None:
    """Paint a short bar and its number, right-aligned."""
    number_width = 34
    track = QRectF(area.x(), area.center().y() - 2, area.width() - number_width - 6, 5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("border"))
    painter.drawRoundedRect(track, 2.5, 2.5)
    painter.setBrush(theme.colour("accent"))
    painter.drawRoundedRect(QRectF(track.x(), track.y(), track.width() * share, 5), 2.5, 2.5)
    paint_text(painter, QRect(area.right() - number_width, area.y(), number_width + 1, area.height()), text, "text",
               is_right=True)  # fmt: skip
