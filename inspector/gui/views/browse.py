"""Browse: all memories in a table, filtered and sorted, with one of them in detail."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QInputDialog,
    QLineEdit,
    QMenu,
    QSplitter,
    QStackedWidget,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.model import MemoryId
from core.search_types import Order, Selection, SortColumn
from inspector.gui import icons, theme
from inspector.gui.models.memory_table import COLUMNS
from inspector.gui.settings import Settings
from inspector.gui.viewmodels.browse import BrowseViewModel
from inspector.gui.viewmodels.curation import Targets
from inspector.gui.viewmodels.detail import DetailViewModel
from inspector.gui.views.detail import DetailView
from inspector.gui.views.filter_bar import BUTTON_HEIGHT, FilterBar
from inspector.gui.widgets import layout
from inspector.gui.widgets.cells import MemoryCells
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.flow import FlowLayout
from inspector.gui.widgets.help_button import HelpButton
from inspector.gui.widgets.tables import plain_look

HIDDEN = "browse/hidden"
MAX_SELECTED_BY_ROW = 10_000
MIN_WIDTH = 280


NO_MATCH = "No matching memories", "Clear a filter, or change the search."
NO_MEMORY = (
    "No memories yet",
    "Ctrl+M adds the first one, Ctrl+I imports a file, and File › Serve Agents… lets an agent write to the store.",
)


class MemoryView(QTableView):
    """The table of memories. Select All emits `everything_wanted` instead of selecting a million rows."""

    everything_wanted = Signal()

    def selectAll(self) -> None:
        self.everything_wanted.emit()

    def fit_first_column(self) -> None:
        """Give the text column the width that the others leave, at least MIN_WIDTH."""
        others = sum(self.columnWidth(number) for number in range(1, len(COLUMNS)) if not self.isColumnHidden(number))
        self.setColumnWidth(0, max(MIN_WIDTH, self.viewport().width() - others))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_first_column()

    def initViewItemOption(self, option: QStyleOptionViewItem) -> None:
        super().initViewItemOption(option)
        option.showDecorationSelected = True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and not event.modifiers():
            row = 0 if event.key() == Qt.Key.Key_Home else self.model().rowCount() - 1
            self.setCurrentIndex(self.model().index(row, self.currentIndex().column()))
            return
        super().keyPressEvent(event)


class BrowseView(QWidget):
    targets_changed = Signal()
    menu_wanted = Signal(QPoint)
    action_wanted = Signal(str)
    tag_wanted = Signal(str)

    def __init__(
        self, viewmodel: BrowseViewModel, detail: DetailViewModel, settings: Settings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._viewmodel, self._settings = viewmodel, settings
        self._listed: tuple[Selection, Order] | None = None
        self._row, self._is_in_list = 0, False
        self.search = QLineEdit()
        self.search.setProperty("kind", "search")
        self.search.setPlaceholderText("Search memories…")
        self.search.setAccessibleName("Search memories")
        self.search.setClearButtonEnabled(True)
        self.search.textEdited.connect(lambda text: viewmodel.narrow(text=text))
        self.search.returnPressed.connect(lambda: self.table.setFocus())
        self._glass = QAction(self.search)
        self.search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.saved = layout.button("Filters", self._open_saved, icon="bookmark", about="Saved filters")
        self.columns = layout.button("Columns", self._open_columns, icon="columns", about="Which columns are shown")
        self.filters = FilterBar(viewmodel)
        self._build_table()
        self._build_selection_bar()
        self.detail = DetailView(detail)
        self.nothing = EmptyState("search", *NO_MATCH)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(self.table)
        top = layout.row(self.search, self.saved, self.columns, HelpButton("Browse", "desktop#browse"))
        head = layout.column(
            top, self.filters, space=theme.SMALL, margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
        )
        rows = layout.row(self._stack, margins=(theme.SMALL, 0, 0, 0))
        left = layout.panel(layout.column(head, layout.line(), rows, self._selection_bar, space=0))
        self.split = QSplitter()
        self.split.addWidget(left)
        self.split.addWidget(self.detail)
        self.split.setStretchFactor(0, 1)
        self.split.setSizes([960, 390])
        self.split.setChildrenCollapsible(False)
        left.setMinimumWidth(420)
        self.detail.setMinimumWidth(340)
        self.setLayout(layout.column(self.split))
        viewmodel.listed.connect(self._on_listed)
        viewmodel.grown.connect(self.filters.show_count)
        viewmodel.waiting.connect(self.filters.show_waiting)
        viewmodel.selection_changed.connect(lambda selection: self._show_text(selection.text))
        viewmodel.selected_changed.connect(self._on_selected)
        viewmodel.current_changed.connect(self._on_looked_at)
        viewmodel.current_changed.connect(lambda id: detail.show(None if id < 0 else MemoryId(id)))
        viewmodel.current_changed.connect(lambda _: self.targets_changed.emit())
        self.detail.memory_wanted.connect(viewmodel.open_memory)
        self.retint()

    def retint(self) -> None:
        self._glass.setIcon(icons.icon("search", "muted"))

    def focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def select_all(self) -> None:
        self.table.selectAll()

    def targets(self) -> Targets:
        return self._viewmodel.targets

    # building

    def _build_table(self) -> None:
        self.table = MemoryView()
        self.table.setModel(self._viewmodel.table)
        plain_look(self.table, "Memories")
        self.table.setItemDelegate(MemoryCells(self._viewmodel.table, self.table))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        viewport = self.table.viewport()
        self.table.customContextMenuRequested.connect(lambda at: self.menu_wanted.emit(viewport.mapToGlobal(at)))
        self.table.everything_wanted.connect(self._select_all_listed)
        header = self.table.horizontalHeader()
        header.setSectionsMovable(True)
        header.setSectionsClickable(True)
        header.setStretchLastSection(False)
        for number, shown in enumerate(COLUMNS):
            self.table.setColumnWidth(number, shown.width)
        hidden = self._settings.data(HIDDEN, [each.column.value for each in COLUMNS if not each.is_default])
        for number, shown in enumerate(COLUMNS):
            self.table.setColumnHidden(number, shown.column.value in hidden)
        header.sectionClicked.connect(self._sort)
        selection = self.table.selectionModel()
        selection.selectionChanged.connect(self._on_selection)
        selection.currentRowChanged.connect(self._on_current)
        self.table.model().dataChanged.connect(self._on_rows_loaded)
        # Qt emits no selectionChanged on a reset.
        self.table.model().modelReset.connect(lambda: self._viewmodel.select_memories(()))

    def _build_selection_bar(self) -> None:
        self._selection_text = layout.label("")
        self._selection_text.setMinimumHeight(BUTTON_HEIGHT)

        def do(name: str) -> Callable[[], None]:
            return lambda: self.action_wanted.emit(name)

        flow = FlowLayout(space=theme.SMALL)
        flow.setContentsMargins(theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)
        for widget in (
            self._selection_text,
            layout.button("Tag…", self._ask_tag, about="Add a tag to all of them"),
            layout.button("Pin", do("pin"), icon="pin"),
            layout.button("Merge…", do("merge"), icon="merge"),
            layout.button("Archive", do("archive"), icon="archive"),
            layout.button("Forget", do("forget"), icon="forget"),
        ):
            flow.addWidget(widget)
        self._selection_bar = layout.panel(layout.column(layout.line(), flow, space=0))
        self._selection_bar.hide()

    def show_memory(self, id: MemoryId) -> None:
        """Select one memory, and show it, in the list if it is there."""
        self._viewmodel.open_memory(id)

    # the table

    def _sort(self, section: int) -> None:
        column = COLUMNS[section].column
        order = self._viewmodel.order
        starts_high = COLUMNS[section].is_number
        descending = not order.descending if order.column is column else starts_high
        self._viewmodel.sort(column, descending=descending)

    def show_store_size(self, memories: int) -> None:
        """Set the text for an empty list: no memory matches, or the store has none."""
        self.nothing.say(*(NO_MATCH if memories else NO_MEMORY), icon="search" if memories else "browse")

    def _on_listed(self, total: int, position: int) -> None:
        self._stack.setCurrentIndex(1 if total else 0)
        self.filters.show_count(total if self._viewmodel.is_whole else None)
        now_listed = (self._viewmodel.selection, self._viewmodel.order)
        is_another_list = now_listed != self._listed
        was_in_list, self._is_in_list = self._is_in_list, position >= 0
        self._listed = now_listed
        if position >= 0:
            self._go_to(position)
        elif not total:
            if is_another_list or not self._viewmodel.is_visiting:
                self._viewmodel.look_at(None)
        elif is_another_list or self._viewmodel.current is None:
            self._go_to(0)
        elif was_in_list and not self._viewmodel.is_visiting:  # it has just left the list: select the row in its place
            self._go_to(min(self._row, total - 1))

    def _go_to(self, row: int) -> None:
        index = self.table.model().index(row, max(self.table.currentIndex().column(), 0))
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        if len(self._viewmodel.selected) > 1:  # several stay selected
            flags = QItemSelectionModel.SelectionFlag.NoUpdate
        self.table.selectionModel().setCurrentIndex(index, flags)
        self.table.scrollTo(index)
        self._look_at_row()

    def _on_current(self, now: QModelIndex, before: QModelIndex) -> None:
        if now.isValid():
            self._row = now.row()
        self._look_at_row()

    def _on_rows_loaded(self, first: QModelIndex, last: QModelIndex) -> None:
        """Update the current memory when its row has been read, unless one found elsewhere is shown."""
        if self._viewmodel.is_visiting:
            return
        if first.row() <= self.table.currentIndex().row() <= last.row():
            self._look_at_row()
            self._on_selection(QItemSelection(), QItemSelection())

    def _on_looked_at(self, id: int) -> None:
        self._is_in_list = self._viewmodel.table.memory_id(max(self.table.currentIndex().row(), 0)) == id
        if self._viewmodel.is_visiting:  # no other row may look like the one that is shown
            self.table.clearSelection()

    def _look_at_row(self) -> None:
        """Show the only selected row, or of several the current one, so that what is shown is selected."""
        marked = self.table.selectionModel().selection()
        ends = {(area.top(), area.bottom()) for area in (marked.at(place) for place in range(marked.count()))}
        first, last = next(iter(ends), (-1, -1))
        row = first if len(ends) == 1 and first == last else self.table.currentIndex().row()
        id = self._viewmodel.table.memory_id(row) if ends and row >= 0 else None
        if id is not None:
            self._viewmodel.look_at(id)

    def _on_selection(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        areas = self.table.selectionModel().selection()
        numbers: list[int] = []
        for area in (areas.at(place) for place in range(areas.count())):
            numbers += range(area.top(), min(area.bottom(), area.top() + MAX_SELECTED_BY_ROW) + 1)
        ids = (self._viewmodel.table.memory_id(number) for number in dict.fromkeys(numbers[:MAX_SELECTED_BY_ROW]))
        self._viewmodel.select_memories([id for id in ids if id is not None])
        self._look_at_row()

    def _select_all_listed(self) -> None:
        self._viewmodel.select_all_listed()

    def _on_selected(self, count: int) -> None:
        self._selection_bar.setVisible(count > 1)
        all_of = "All " if self._viewmodel.is_all_selected else ""
        self._selection_text.setText(f"{all_of}{count:,} selected")
        self.targets_changed.emit()

    def _show_text(self, text: str) -> None:
        if self.search.text() != text:
            self.search.setText(text)

    # menus

    def _open_columns(self) -> None:
        menu = QMenu(self)
        for number, shown in enumerate(COLUMNS):
            if shown.column is SortColumn.CONTENT:
                continue
            action = menu.addAction(shown.title)
            action.setCheckable(True)
            action.setChecked(not self.table.isColumnHidden(number))
            action.toggled.connect(lambda is_shown, number=number: self.show_column(number, is_shown))
        menu.popup(self.columns.mapToGlobal(QPoint(0, self.columns.height() + theme.TIGHT)))

    def show_column(self, number: int, is_shown: bool) -> None:
        self.table.setColumnHidden(number, not is_shown)
        hidden = [each.column.value for place, each in enumerate(COLUMNS) if self.table.isColumnHidden(place)]
        self._settings.set_data(HIDDEN, hidden)
        self.table.fit_first_column()

    def _open_saved(self) -> None:
        menu = QMenu(self)
        saved = self._viewmodel.saved()
        for name, selection in saved.items():
            action = menu.addAction(name)
            action.triggered.connect(lambda _=False, selection=selection: self._viewmodel.select(selection))
        if not saved:
            menu.addAction("No saved filters yet").setEnabled(False)
        menu.addSeparator()
        menu.addAction("Save this filter…").triggered.connect(self._ask_name)
        if saved:
            forget = menu.addMenu("Remove")
            for name in saved:
                forget.addAction(name).triggered.connect(lambda _=False, name=name: self._viewmodel.forget_filter(name))
        menu.popup(self.saved.mapToGlobal(QPoint(0, self.saved.height() + theme.TIGHT)))

    def _ask_name(self) -> None:
        self._ask("Save this filter", "Name", lambda name: self._viewmodel.save_filter(name))

    def _ask_tag(self) -> None:
        self._ask("Tag the selected memories", "Tag", self.tag_wanted.emit)

    def _ask(self, title: str, label: str, then: Callable[[str], None]) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(lambda text: then(text.strip()) if text.strip() else None)
        dialog.open()
