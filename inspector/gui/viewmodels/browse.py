"""The viewmodel of Browse: filter, order, pages of the list, the selected memories and the current one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.errors import CannotOpen, UserError
from core.model import MemoryId
from core.search_types import Order, Selection, SortColumn
from core.services import browse
from core.services.browse import Facets as Facets
from core.services.browse import Listing
from inspector.gui.models.memory_table import MemoryTable, TableRow
from inspector.gui.ops import Tickets, once
from inspector.gui.settings import Settings
from inspector.gui.viewmodels.curation import Targets
from inspector.gui.viewmodels.open_store import OpenStore
from inspector.gui.viewmodels.saved_filters import DEFAULT_SELECTION, SavedFilters

THROTTLE_MS = 150
PATIENCE_MS = 250
SORTED = "browse/sorted"


class BrowseViewModel(QObject):
    """The list of memories. `listed` is emitted when a list has been read, with its length and the row of the current
    memory, or −1.

    Of a long list the first page is read first; `grown` carries the full length when it is known. `waiting` is emitted
    when the first page takes longer than PATIENCE_MS.
    """

    listed = Signal(int, int)
    grown = Signal(int)
    waiting = Signal()
    facets_changed = Signal(object)  # None when they must be counted again
    selection_changed = Signal(object)
    selected_changed = Signal(int)
    current_changed = Signal(int)

    def __init__(self, store: OpenStore, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._settings, self._filters = store, settings, SavedFilters(settings)
        self.table = MemoryTable(browse.ROWS_A_PAGE, self)
        self.table.page_wanted.connect(self._fetch)
        self.selection = DEFAULT_SELECTION
        self.is_visiting = False  # a memory found elsewhere is shown, which the list may not contain
        self.order = _order(settings.data(SORTED))
        self.table.show_order(self.order)
        self._listing: Listing | None = None
        self._lists, self._facets = Tickets(), Tickets()
        self._selected: tuple[MemoryId, ...] = ()
        self._is_all_selected = False
        self._are_facets_outdated = True
        self.current: MemoryId | None = None
        self._throttle = once(self, THROTTLE_MS, self.reload)
        self._patience = once(self, PATIENCE_MS, self.waiting)
        store.opened.connect(self._on_opened)
        store.closed.connect(self._on_closed)
        store.changed.connect(self._on_changed)

    # filter and order

    def select(self, selection: Selection) -> None:
        """Change the filter; during fast typing or clicking only the last change is applied."""
        if selection != self.selection:
            self.selection = selection
            if self._store.path is not None:
                self._filters.leave(self._store.path, selection)
            self.selection_changed.emit(selection)
            self._throttle.start()

    def filter_by(self, **fields: Any) -> None:
        self.select(replace(self.selection, filter=replace(self.selection.filter, **fields)))

    def narrow(self, **fields: Any) -> None:
        self.select(replace(self.selection, **fields))

    def clear(self) -> None:
        self.select(Selection())

    def sort(self, column: SortColumn, *, descending: bool) -> None:
        if self.order != Order(column, descending):
            self.order = Order(column, descending)
            self._settings.set_data(SORTED, [column.value, descending])
            self.table.show_order(self.order)
            self.reload()

    def reload(self) -> None:
        selection, order, keep = self.selection, self.order, self.current
        wanted = self._lists.take()
        shown = self._listing
        if self.is_visiting or (shown is not None and (shown.selection, shown.order) == (selection, order)):
            self._read_whole(wanted, self._show)
            return

        def begin(begun: tuple[Listing, Sequence[TableRow]]) -> None:
            listing, rows = begun
            self._show(listing, rows)
            if not listing.is_whole:
                self._read_whole(wanted, self._on_grown)

        self._patience.start()
        self._store.read(
            lambda ws: browse.first_page(ws, selection, order, keep=keep), begin, failed=self._on_failed, wanted=wanted
        )

    def _read_whole(self, wanted: Callable[[], bool], then: Callable[[Listing], None]) -> None:
        selection, order, keep = self.selection, self.order, self.current
        self._store.read(
            lambda ws: browse.listing(ws, selection, order, keep=keep), then, failed=self._on_failed, wanted=wanted
        )

    @property
    def is_whole(self) -> bool:
        """Whether the full length of the list is known."""
        return self._listing is None or self._listing.is_whole

    def want_facets(self) -> None:
        """Read the values to filter by, unless they are up to date; at a million memories that takes seconds."""
        if self._are_facets_outdated:
            self._are_facets_outdated = False
            self._store.read(browse.facets, self.facets_changed.emit, wanted=self._facets.take())

    def _outdate_facets(self) -> None:
        if not self._are_facets_outdated:
            self._are_facets_outdated = True
            self.facets_changed.emit(None)

    # saved filters

    def saved(self) -> dict[str, Selection]:
        return self._filters.saved()

    def save_filter(self, name: str) -> None:
        self._filters.save(name, self.selection)

    def forget_filter(self, name: str) -> None:
        self._filters.forget(name)

    # the selection and the current memory

    def select_memories(self, ids: Sequence[MemoryId]) -> None:
        self._is_all_selected = False
        self._selected = tuple(ids)
        self.selected_changed.emit(self.selected_count)

    def select_all_listed(self) -> None:
        """Select all memories of the list by its filter, not row by row: there may be a million."""
        self._is_all_selected = True
        self.selected_changed.emit(self.selected_count)

    @property
    def selected_count(self) -> int:
        return self.table.total if self._is_all_selected else len(self._selected)

    @property
    def is_all_selected(self) -> bool:
        return self._is_all_selected

    @property
    def selected(self) -> tuple[MemoryId, ...]:
        return self._selected

    @property
    def targets(self) -> Targets:
        """Return what an action acts on: the selected memories if there are several, else the current one."""
        if self._is_all_selected and self._listing is not None:
            return Targets(everything=self._listing.selection)
        if len(self._selected) > 1:
            return Targets(self._selected)
        return Targets(() if self.current is None else (self.current,))

    def look_at(self, id: MemoryId | None) -> None:
        if id != self.current:
            self._look_at(id, is_visiting=False)

    def open_memory(self, id: MemoryId) -> None:
        """Show a memory that was found elsewhere, in the list if it is there; nothing else stays selected."""
        self.select_memories(())
        self._look_at(id, is_visiting=True)
        self.reload()

    # inside

    def _look_at(self, id: MemoryId | None, *, is_visiting: bool) -> None:
        self.current, self.is_visiting = id, is_visiting
        self.current_changed.emit(-1 if id is None else id)

    def _on_opened(self) -> None:
        self._listing, self.current = None, None
        self.select_memories(())
        path = self._store.path
        self.selection = DEFAULT_SELECTION if path is None else self._filters.left_with(path)
        self.selection_changed.emit(self.selection)
        self._outdate_facets()
        self.reload()

    def _on_closed(self) -> None:
        """Clear all state of the closed store."""
        self._lists.take()
        self._throttle.stop()
        self._patience.stop()
        self._listing = None
        self.select_memories(())
        self.table.clear()
        self.look_at(None)
        self.listed.emit(0, -1)

    def _on_failed(self, error: UserError) -> None:
        """Close a store whose memories cannot be listed; a failed search leaves an empty list."""
        is_lost = isinstance(error, CannotOpen) and not self.selection.text
        self._on_closed()
        if is_lost:
            self._store.lose(error)
        else:
            self._store.failed.emit(str(error))

    def _on_changed(self, changes: Changes | None) -> None:
        if changes is None or changes.memories or changes.links:
            self._outdate_facets()
            self.reload()

    def _show(self, listing: Listing, first_rows: Sequence[TableRow] | None = None) -> None:
        self._patience.stop()
        self._listing = listing
        if self._is_all_selected:
            self.select_memories(())
        self.table.show_list(listing.total, listing.now)
        if first_rows is not None:
            self.table.put_page(0, first_rows)
        self.listed.emit(listing.total, -1 if listing.position is None else listing.position)

    def _on_grown(self, listing: Listing) -> None:
        begun = self._listing
        if begun is None or listing.ids[: begun.total] != begun.ids:  # the store was changed meanwhile
            self._show(listing)
            return
        self._listing = listing
        self.table.grow(listing.total)
        if self._is_all_selected:
            self.selected_changed.emit(self.selected_count)
        self.grown.emit(listing.total)

    def _fetch(self, number: int) -> None:
        listing = self._listing
        if listing is None:
            return

        def put(rows: Sequence[TableRow]) -> None:
            self.table.put_page(number, rows)

        self._store.read(lambda ws: browse.rows(ws, listing, number), put, wanted=lambda: listing is self._listing)


def _order(kept: Any) -> Order:
    """Return the order that was used last; newest first where none is stored or it cannot be read."""
    match kept:
        case [str(column), bool(descending)] if column in tuple(SortColumn):
            return Order(SortColumn(column), descending)
    return Order()
