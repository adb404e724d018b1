"""Pages one of which is shown, and which ask for no more room than that one needs."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QWidget


class PageStack(QStackedWidget):
    """Qt's own asks for the room of its largest page, so that one wide view would make all of them scroll."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.currentChanged.connect(lambda _: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return super().minimumSizeHint() if page is None else page.minimumSizeHint()

    def heightForWidth(self, width: int) -> int:
        """The least height: an area that scrolls would else ask for the height that its largest page would like."""
        page = self.currentWidget()
        if isinstance(page, PageStack):
            return page.heightForWidth(width)
        within = None if page is None else page.layout()
        if within is None or not within.hasHeightForWidth():
            return self.minimumSizeHint().height()
        return within.minimumHeightForWidth(width)
