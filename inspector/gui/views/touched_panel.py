"""The memories that an operation changed, and the selected one before and after."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QTableView, QWidget

from core.model import Memory, MemoryId
from core.word_diff import Piece
from inspector.gui import theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import excerpt, gist
from inspector.gui.viewmodels.journal import TouchedMemory
from inspector.gui.widgets import layout
from inspector.gui.widgets.diff_text import DiffText
from inspector.gui.widgets.tables import go_to_row, set_up_table

TOUCHED = (
    TableColumn[tuple[MemoryId, Memory | None]]("Id", lambda each: str(each[0]), is_number=True, width=60),
    TableColumn[tuple[MemoryId, Memory | None]](
        "Memory",
        lambda each: "no longer stored" if each[1] is None else gist(each[1]),
        tip=lambda each: "It is no longer in the store." if each[1] is None else excerpt(each[1]),
    ),
)


class TouchedPanel(QWidget):
    """Changed memories. `change_wanted` carries the selected one; `show_change` shows its change."""

    memory_wanted = Signal(object)
    change_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.count = layout.label("", "section")
        self.model = PlainTable(TOUCHED, self)
        self.table = QTableView()
        set_up_table(self.table, self.model, "Memories the operation changed", stretched=1)
        self.table.activated.connect(lambda index: self._open(index.row()))
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._on_row(now.row()))
        self.change = DiffText("Before and after")
        margins = (theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)
        title = layout.label("BEFORE AND AFTER", "section")
        above, below = QWidget(), QWidget()
        above.setLayout(layout.column(layout.row(self.count, margins=(theme.LARGE, 0, 0, 0)),
                                      layout.row(self.table, margins=(theme.SMALL, 0, 0, 0))))  # fmt: skip
        below.setLayout(layout.column(title, self.change, margins=margins))
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(above)
        split.addWidget(below)
        split.setSizes([160, 300])
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        self.setLayout(layout.column(split))

    def show_touched(self, touched: TouchedMemory) -> None:
        self.change.show_diff(())
        self.model.show_rows(touched.memories)
        shown = "" if len(touched.memories) == touched.count else f", the first {len(touched.memories)}"
        if not touched.count:
            shown = ", it changed something other than memories"
        self.count.setText(f"MEMORIES CHANGED ({touched.count:,}{shown})")
        if touched.memories:
            go_to_row(self.table, 0)

    def clear(self) -> None:
        self.count.clear()
        self.model.show_rows(())
        self.change.show_diff(())

    def show_change(self, pieces: Iterable[Piece]) -> None:
        self.change.show_diff(pieces)

    def _on_row(self, row: int) -> None:
        found = self.model.row(row)
        if found is not None:
            self.change_wanted.emit(found[0])

    def _open(self, row: int) -> None:
        found = self.model.row(row)
        if found is not None and found[1] is not None:
            self.memory_wanted.emit(found[0])
