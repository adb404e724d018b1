"""Activity › Proposals: changes that agents propose to memories a person wrote or pinned, each as a diff."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Signal
from PySide6.QtWidgets import QAbstractItemView, QSplitter, QStackedWidget, QTableView, QWidget

from core import formatting
from inspector.gui import theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import absolute, gist, lately, one_line
from inspector.gui.viewmodels.proposals import PendingChange, ProposalsViewModel
from inspector.gui.widgets import layout
from inspector.gui.widgets.confirm import ConfirmBar
from inspector.gui.widgets.diff_text import DiffText
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.tables import go_to_row, set_up_table

PROPOSALS = (
    TableColumn[PendingChange]("#", lambda each: str(each.proposal.id), is_number=True, width=56),
    TableColumn[PendingChange]("When", lambda each: lately(each.proposal.proposed_at),
                       tip=lambda each: absolute(each.proposal.proposed_at), width=112),
    TableColumn[PendingChange]("Agent", lambda each: formatting.visible(each.proposal.actor), width=120),
    TableColumn[PendingChange]("Change", lambda each: str(each.proposal.kind), width=80),
    TableColumn[PendingChange]("Memory", lambda each: gist(each.memory)),
)  # fmt: skip
_ALSO = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
NOTHING_WAITS = (
    "An agent cannot change what a person wrote or pinned: its edit or deletion waits here until you accept or refuse "
    "it. A token with the scope curate changes it at once."
)


class ProposalsPage(QWidget):
    memory_wanted = Signal(object)

    def __init__(self, viewmodel: ProposalsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.model = PlainTable(PROPOSALS, self)
        self.table = QTableView()
        set_up_table(self.table, self.model, "Proposals, oldest first", stretched=4)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        self.table.activated.connect(lambda index: self._open(index.row()))
        self.accept = layout.button("Accept", lambda: viewmodel.accept(self.selected()), icon="check",
                                    about="Apply the proposed change (Ctrl+Return); Ctrl+Z undoes it")  # fmt: skip
        self.refuse = layout.button("Refuse", lambda: viewmodel.refuse(self.selected()), icon="close",
                                    about="Leave the memory as it is (Delete)")  # fmt: skip
        self.note = ConfirmBar("")
        self.split = QSplitter()
        self.split.addWidget(layout.panel(layout.column(self.table, margins=(theme.SMALL, 0, 0, 0))))
        self.split.addWidget(self._build_detail())
        self.split.setSizes([700, 650])
        for part in (0, 1):
            self.split.setStretchFactor(part, 1)
        self.split.setChildrenCollapsible(False)
        self.stack = QStackedWidget()
        self.stack.addWidget(layout.panel(layout.column(EmptyState("check", "No pending proposals", NOTHING_WAITS))))
        self.stack.addWidget(self.split)
        column = layout.column(self.note, self.stack, space=0)
        column.setStretch(1, 1)
        self.setLayout(column)
        for keys, button in (("Ctrl+Return", self.accept), ("Delete", self.refuse)):
            layout.shortcut(self, keys, button.click)
        viewmodel.listed.connect(self._show)
        viewmodel.message.connect(self.note.show_message)
        self._show_selected()

    def selected(self) -> list[PendingChange]:
        rows = (self.model.row(index.row()) for index in self.table.selectionModel().selectedRows())
        return [each for each in rows if each is not None]

    def _build_detail(self) -> QWidget:
        self.title = layout.label("", "heading")
        self.about = layout.label("", "muted")
        self.why = layout.label("", wraps=True, selectable=True)
        self.change = DiffText("What would change")
        decide = layout.row(self.refuse, self.accept, 1, space=theme.SMALL)
        head = layout.column(self.title, self.about, self.why, space=theme.TIGHT)
        margins = (theme.LARGE, theme.MEDIUM, theme.LARGE, theme.MEDIUM)
        whole = layout.column(head, decide, layout.label("WHAT WOULD CHANGE", "section"), self.change,
                              space=theme.SMALL, margins=margins)  # fmt: skip
        whole.setStretch(3, 1)
        return layout.panel(whole)

    def _show(self, waiting: list[PendingChange]) -> None:
        selected = {each.proposal.id for each in self.selected()}
        self.model.show_rows(waiting)
        self.stack.setCurrentIndex(1 if waiting else 0)
        rows = [row for row, each in enumerate(waiting) if each.proposal.id in selected]
        if waiting:
            go_to_row(self.table, rows[0] if rows else 0)
        for row in rows[1:]:
            self.table.selectionModel().select(self.model.index(row, 0), _ALSO)
        self._show_selected()

    def _show_selected(self) -> None:
        """Show the proposal clicked last, if it is selected, else the first selected one."""
        selected = self.selected()
        current = self.model.row(self.table.currentIndex().row())
        self._show_proposal(current if current in selected else next(iter(selected), None))
        can_decide = bool(selected) and self._viewmodel.is_writable
        self.accept.setEnabled(can_decide and not any(each.is_stale for each in selected))
        self.refuse.setEnabled(can_decide)
        count = f" {len(selected)} selected" if len(selected) > 1 else ""
        self.accept.setText(f"Accept{count}")
        self.refuse.setText(f"Refuse{count}")

    def _show_proposal(self, found: PendingChange | None) -> None:
        if found is None:
            for each in (self.title, self.about, self.why):
                each.setText("")
            self.change.show_diff(())
            return
        proposal = found.proposal
        verb = "edit" if proposal.kind == "edit" else "forget"
        self.title.setText(f"{formatting.visible(proposal.actor)} wants to {verb} #{found.memory.id}")
        stale = "  ·  the memory has changed since, so this can only be refused" if found.is_stale else ""
        self.about.setText(f"Proposal {proposal.id}  ·  {absolute(proposal.proposed_at)}{stale}")
        self.why.setText(formatting.visible(one_line(proposal.reason)) or "No reason was given.")
        self.change.show_diff(found.difference)

    def _open(self, row: int) -> None:
        found = self.model.row(row)
        if found is not None:
            self.memory_wanted.emit(found.memory.id)
