"""A rating as three small icons, the selected one highlighted: not relevant, relevant, highly relevant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from inspector.gui import icons, theme
from inspector.gui.models.grades import GRADES, grade_of
from inspector.gui.models.plain_table import VALUE_ROLE
from inspector.gui.widgets.cells import PADDING, paint_background

Index = QModelIndex | QPersistentModelIndex
MARK, ICON = 25, 13
FAINT, HOVERED = 0.45, 0.85


class RatingCells(QStyledItemDelegate):
    """Paints ratings and takes clicks. `rated` carries the row and the clicked grade, None to remove the current
    one."""

    rated = Signal(int, object)

    def __init__(
        self, value_of: Callable[[Any], int | None], parent: QWidget | None = None, *, only_shows: bool = False
    ) -> None:
        super().__init__(parent)
        self._value_of = value_of
        self._only_shows = only_shows

    def mark(self, area: QRectF, number: int) -> QRectF:
        """Return where the icon of a grade is drawn."""
        return QRectF(area.x() + PADDING - 4 + number * MARK, area.center().y() - 10, MARK - 3, 20)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        paint_background(painter, option)
        selected = grade_of(self._value_of(index.data(VALUE_ROLE)))
        is_near = bool(option.state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, grade in enumerate(GRADES):
            is_selected = grade is selected
            if self._only_shows and not is_selected:
                continue
            place = self.mark(QRectF(option.rect), 0 if self._only_shows else number)
            if is_selected:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour(f"{grade.tint}_back"))
                painter.drawRoundedRect(place, 4, 4)
            painter.setOpacity(1.0 if is_selected else HOVERED if is_near else FAINT)
            drawn = icons.pixmap(
                grade.icon, ICON, grade.tint if is_selected else "muted", painter.device().devicePixelRatioF()
            )
            painter.drawPixmap(round(place.center().x() - ICON / 2), round(place.center().y() - ICON / 2), drawn)
            painter.setOpacity(1.0)
        painter.restore()

    # Qt

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        if self._only_shows or not isinstance(event, QMouseEvent) or event.type() is not QEvent.Type.MouseButtonRelease:
            return False
        for number, grade in enumerate(GRADES):
            if self.mark(QRectF(option.rect), number).contains(event.position()):
                has = grade_of(self._value_of(index.data(VALUE_ROLE)))
                self.rated.emit(index.row(), None if has is grade else grade.value)
                return True
        return False
