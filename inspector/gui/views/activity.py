"""Activity: recorded calls of agents, the journal of changes, and proposals."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from inspector.gui.viewmodels.calls import CallsViewModel
from inspector.gui.viewmodels.journal import JournalViewModel
from inspector.gui.viewmodels.proposals import ProposalsViewModel
from inspector.gui.views.calls_page import CallsPage
from inspector.gui.views.journal_page import JournalPage
from inspector.gui.views.proposals_page import ProposalsPage
from inspector.gui.widgets import layout
from inspector.gui.widgets.help_button import HelpButton


class ActivityView(QWidget):
    memory_wanted = Signal(object)

    def __init__(
        self,
        calls: CallsViewModel,
        journal: JournalViewModel,
        proposals: ProposalsViewModel,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.calls, self.journal, self.proposals = CallsPage(calls), JournalPage(journal), ProposalsPage(proposals)
        self._viewmodels: tuple[CallsViewModel | JournalViewModel | ProposalsViewModel, ...] = (
            calls,
            journal,
            proposals,
        )
        self.split = self.calls.split
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Calls, journal or proposals")
        for name, page in (("Calls", self.calls), ("Journal", self.journal), ("Proposals", self.proposals)):
            page.memory_wanted.connect(self.memory_wanted)
            self.tabs.addTab(page, name)
        self.tabs.setCornerWidget(layout.panel(layout.row(HelpButton("Activity", "desktop#activity"))))
        self.tabs.currentChanged.connect(lambda _: self.look())
        proposals.listed.connect(self._count)
        self.setLayout(layout.column(self.tabs))

    def look(self) -> None:
        """Load the shown page unless it is loaded, and focus its table."""
        at = self.tabs.currentIndex()
        self._viewmodels[at].look()
        (self.calls, self.journal, self.proposals)[at].table.setFocus()

    def _count(self, waiting: object) -> None:
        """Show the number of pending proposals on their tab."""
        count = len(waiting) if isinstance(waiting, list) else 0
        self.tabs.setTabText(self.tabs.indexOf(self.proposals), f"Proposals ({count})" if count else "Proposals")
