"""Activity: what agents ask, as they ask it, and who changed what."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from inspector.gui.viewmodels.calls import CallsViewModel
from inspector.gui.viewmodels.journal import JournalViewModel
from inspector.gui.views.calls_page import CallsPage
from inspector.gui.views.journal_page import JournalPage
from inspector.gui.widgets import layout


class ActivityView(QWidget):
    memory_wanted = Signal(object)

    def __init__(self, calls: CallsViewModel, journal: JournalViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._calls, self._journal = calls, journal
        self.calls, self.journal = CallsPage(calls), JournalPage(journal)
        self.split = self.calls.split
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Calls or journal")
        for page, name in ((self.calls, "Calls"), (self.journal, "Journal")):
            page.memory_wanted.connect(self.memory_wanted)
            self.tabs.addTab(page, name)
        self.tabs.currentChanged.connect(lambda _: self.look())
        self.setLayout(layout.column(self.tabs))

    def look(self) -> None:
        """Read what is shown, if it was not yet, and take the keyboard there."""
        page = self.journal if self.tabs.currentWidget() is self.journal else self.calls
        (self._journal if page is self.journal else self._calls).look()
        page.table.setFocus()
