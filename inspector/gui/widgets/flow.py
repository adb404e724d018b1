"""A layout that wraps widgets into lines, as words are wrapped."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from inspector.gui import theme


class FlowLayout(QLayout):
    def __init__(self, parent: QWidget | None = None, *, space: int = theme.TIGHT) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._space = space
        self.setContentsMargins(0, 0, 0, 0)

    def insert_before_last(self, widget: QWidget) -> None:
        """Insert a widget before the last one, which is the text field."""
        self.addWidget(widget)
        if len(self._items) > 1:
            self._items[-2], self._items[-1] = self._items[-1], self._items[-2]
            self.invalidate()

    def _arranged(self, area: QRect, *, is_tried: bool) -> int:
        inner = area.marginsRemoved(self.contentsMargins())
        x, y, height = inner.x(), inner.y(), 0
        for item in self._items:
            if item.isEmpty():  # hidden
                continue
            size = item.sizeHint()
            if x > inner.x() and x + size.width() > inner.right() + 1:
                x, y, height = inner.x(), y + height + self._space, 0
            if not is_tried:
                stretches = bool(item.expandingDirections() & Qt.Orientation.Horizontal)
                width = max(size.width(), inner.right() + 1 - x) if stretches else min(size.width(), inner.width())
                item.setGeometry(QRect(QPoint(x, y), QSize(width, size.height())))
            x += size.width() + self._space
            height = max(height, size.height())
        return y + height - area.y() + self.contentsMargins().bottom()

    # Qt

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arranged(QRect(0, 0, width, 0), is_tried=True)

    def setGeometry(self, area: QRect) -> None:
        super().setGeometry(area)
        self._arranged(area, is_tried=False)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())
