"""A stack of pages that needs only the room of the page that is shown."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QWidget


class PageStack(QStackedWidget):
    """Qt's own stack needs the room of its largest page, so that one wide view would make all of them scroll."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.currentChanged.connect(lambda _: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return super().minimumSizeHint() if page is None else page.minimumSizeHint()

    def heightForWidth(self, width: int) -> int:
        """Return the minimum height; else a scroll area would take the preferred height of the largest page."""
        page = self.currentWidget()
        if isinstance(page, PageStack):
            return page.heightForWidth(width)
        within = None if page is None else page.layout()
        if within is None or not within.hasHeightForWidth():
            return self.minimumSizeHint().height()
        return within.minimumHeightForWidth(width)
