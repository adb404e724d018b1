"""Activity › Journal: operations with author, time and reason, the memories changed, and undo."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Signal
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QSplitter, QStackedWidget, QTableView, QWidget

from inspector.gui import theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import absolute, lately, one_line
from inspector.gui.viewmodels.journal import ActivityPeriod, Journal, JournalChange, JournalViewModel, TouchedMemory
from inspector.gui.views.touched_panel import TouchedPanel
from inspector.gui.widgets import layout
from inspector.gui.widgets.confirm import ConfirmBar
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.tables import set_up_table

OPERATIONS = (
    TableColumn[JournalChange]("#", lambda each: str(each.entry.seq), is_number=True, width=56),
    TableColumn[JournalChange](
        "When", lambda each: lately(each.entry.at), tip=lambda each: absolute(each.entry.at), width=112
    ),
    TableColumn[JournalChange]("Who", lambda each: each.entry.actor, width=120),
    TableColumn[JournalChange]("What", lambda each: str(each.entry.op), width=104),
    TableColumn[JournalChange]("Why", lambda each: one_line(each.entry.reason)),
    TableColumn[JournalChange]("Memories", lambda each: f"{each.touched:,}", is_number=True, width=80),
    TableColumn[JournalChange](
        "State",
        lambda each: "undone" if each.is_undone else ("" if each.is_undoable else "stays"),
        width=88,
        tip=lambda each: _undo_state(each),
    ),
)
SINCE: tuple[tuple[str, str], ...] = (
    ("selected", "since the selected entry"),
    (ActivityPeriod.HOUR, "in the last hour"),
    (ActivityPeriod.DAY, "in the last day"),
    (ActivityPeriod.WEEK, "in the last week"),
    (ActivityPeriod.ALL, "ever"),
)
NOTHING_YET = (
    "Every change is recorded here with its author and reason, and can be undone. "
    "File, Serve Agents… lets agents write to this store."
)


def _undo_state(deed: JournalChange) -> str:
    if deed.is_undone:
        return "It was undone."
    return "It can be undone." if deed.is_undoable else "It cannot be undone."


class JournalPage(QWidget):
    memory_wanted = Signal(object)

    def __init__(self, viewmodel: JournalViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self._shown: int | None = None
        self.model = PlainTable(OPERATIONS, self)
        self.table = QTableView()
        set_up_table(self.table, self.model, "Journal, newest first", stretched=4)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_selected())
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())
        self.more = layout.button("Show older entries", viewmodel.show_more, kind="link")
        self.more.hide()
        self._build_controls()
        self._build_touched()
        self.confirm = ConfirmBar("Undo")
        self.confirm.confirmed.connect(viewmodel.confirm)
        self.confirm.cancelled.connect(viewmodel.cancel_undo)
        self.split = QSplitter()
        older = layout.row(self.more, 1, margins=(theme.LARGE, theme.TIGHT, theme.LARGE, theme.TIGHT))
        listed = layout.column(layout.row(self.table, margins=(theme.SMALL, 0, 0, 0)), older, space=0)
        self.split.addWidget(layout.panel(listed))
        self.split.addWidget(self._touched_panel)
        self.split.setSizes([860, 490])
        self.split.setStretchFactor(0, 1)
        self.split.setChildrenCollapsible(False)
        self.nothing = EmptyState("journal", "No changes yet", NOTHING_YET)
        self.stack = QStackedWidget()
        self.stack.addWidget(layout.panel(layout.column(self.nothing)))
        self.stack.addWidget(self.split)
        head = layout.panel(layout.column(self._controls, layout.line(), self.confirm, space=0))
        column = layout.column(head, self.stack, space=0)
        column.setStretch(1, 1)
        self.setLayout(column)
        for keys, do in (("U", self._ask), ("Ctrl+Return", self._confirm), ("Esc", viewmodel.cancel_undo)):
            layout.shortcut(self, keys, do)
        viewmodel.listed.connect(self._show)
        viewmodel.cleared.connect(self._clear)
        viewmodel.touched.connect(self._show_touched)
        viewmodel.change_shown.connect(self.touched.show_change)
        viewmodel.asked.connect(self.confirm.ask)
        viewmodel.settled.connect(self._on_settled)
        viewmodel.refused.connect(self._on_settled)

    # building

    def _build_controls(self) -> None:
        self.who = QComboBox()
        self.who.setAccessibleName("Show entries of")
        self.who.addItem("All authors", None)
        self.who.activated.connect(lambda number: self._viewmodel.set_actor(self.who.itemData(number)))
        self.undo = layout.button("Undo selected", self._ask, icon="undo", about="Undo the selected entries (U)")
        self.whose = QComboBox()
        self.whose.setAccessibleName("Whose changes to undo")
        self.since = QComboBox()
        self.since.setAccessibleName("Since when")
        for key, words in SINCE:
            self.since.addItem(words, str(key))
        self.undo_since = layout.button(
            "Undo all…", self._ask_since, about="Undo everything this client did; asks first"
        )
        self._controls = layout.row(
            self.who,
            self.undo,
            1,
            layout.label("Everything", "muted"),
            self.whose,
            layout.label("did", "muted"),
            self.since,
            self.undo_since,
            margins=(theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL),
        )

    def _build_touched(self) -> None:
        self.touched = TouchedPanel()
        self.touched.memory_wanted.connect(self.memory_wanted)
        self.touched.change_wanted.connect(self._viewmodel.show_change)
        self.title = layout.label("", "heading")
        self.about = layout.label("", "muted")
        self.why = layout.label("", wraps=True, selectable=True)
        margins = (theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
        words = layout.column(self.title, self.about, self.why, space=theme.TIGHT, margins=margins)
        whole = layout.column(words, self.touched, space=0)
        whole.setStretch(1, 1)
        self._touched_panel = layout.panel(whole)

    # showing

    def _show(self, journal: Journal) -> None:
        selected = {deed.entry.seq for deed in self.selected()}
        current = self._current()
        self._shown = None  # the changed memories must be read again
        self._fill_actors(journal)
        self.model.show_rows(journal.changes)
        self.more.setVisible(journal.has_more)
        self.stack.setCurrentIndex(1 if journal.changes else 0)
        self._select(selected, None if current is None else current.entry.seq)
        self._enable()

    def _clear(self) -> None:
        self._shown = None
        self.model.show_rows(())
        self.stack.setCurrentIndex(0)

    def _fill_actors(self, journal: Journal) -> None:
        whose = self.whose.currentData()
        self.who.clear()
        self.whose.clear()
        self.who.addItem("All authors", None)
        for actor, count in journal.actors.items():
            self.who.addItem(f"{actor}  ({count:,})", actor)
            self.whose.addItem(actor, actor)
        self.who.setCurrentIndex(max(0, self.who.findData(self._viewmodel.actor)))
        self.whose.setCurrentIndex(max(0, self.whose.findData(whose)))

    def _select(self, seqs: set[int], current: int | None) -> None:
        """Select the entries that were selected before; at first the newest."""
        rows = {deed.entry.seq: row for row, deed in enumerate(self.model.rows)}
        again = [rows[seq] for seq in seqs if seq in rows] or ([0] if rows else [])
        selection = QItemSelection()
        for row in again:
            selection.select(self.model.index(row, 0), self.model.index(row, self.model.columnCount() - 1))
        model = self.table.selectionModel()
        if again:
            at = rows.get(current, again[0]) if current is not None else again[0]
            model.setCurrentIndex(self.model.index(at, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
        model.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _show_touched(self, touched: TouchedMemory | None) -> None:
        if touched is None:
            for label in (self.title, self.about, self.why):
                label.clear()
            self.touched.clear()
            return
        entry = touched.entry
        self.title.setText(f"{entry.op} by {entry.actor}")
        self.about.setText(f"Operation {entry.seq}  ·  {absolute(entry.at)}")
        self.why.setText(entry.reason or "No reason was given.")
        self.touched.show_touched(touched)

    def _on_settled(self, sentence: str) -> None:
        had_focus = self.confirm.isAncestorOf(self.focusWidget()) if self.focusWidget() else False
        self.confirm.show_message(sentence)
        if had_focus:
            self.table.setFocus()

    def _on_selection(self) -> None:
        self._show_selected()
        self._enable()

    def _show_selected(self) -> None:
        deed = self._selected_entry()
        seq = None if deed is None else deed.entry.seq
        if seq != self._shown:
            self._shown = seq
            self._viewmodel.show_touched(seq)

    def _enable(self) -> None:
        count = len(self.selected())
        self.undo.setText(f"Undo {count} selected" if count > 1 else "Undo selected")
        self.undo.setEnabled(any(deed.is_undoable for deed in self.selected()))

    # doing

    def selected(self) -> list[JournalChange]:
        rows = (self.model.row(index.row()) for index in self.table.selectionModel().selectedRows())
        return [deed for deed in rows if deed is not None]

    def _selected_entry(self) -> JournalChange | None:
        """Return the current entry if it is selected, else the newest selected one: only a selected entry is shown."""
        selected, current = self.selected(), self._current()
        if current in selected:
            return current
        return max(selected, key=lambda deed: deed.entry.seq, default=None)

    def _current(self) -> JournalChange | None:
        index = self.table.currentIndex()
        return self.model.row(index.row()) if index.isValid() else None

    def _ask(self) -> None:
        self._viewmodel.ask_undo(self.selected())

    def _ask_since(self) -> None:
        key, selected = self.since.currentData(), self._selected_entry()
        if key != "selected":
            self._ask_whose(ActivityPeriod(key))
        elif selected is not None:
            self._ask_whose(selected.entry.at)

    def _ask_whose(self, since: ActivityPeriod | datetime) -> None:
        if self.whose.currentData():
            self._viewmodel.ask_undo_since(self.whose.currentData(), since)

    def _confirm(self) -> None:
        if self.confirm.is_asking:
            self._viewmodel.confirm()
