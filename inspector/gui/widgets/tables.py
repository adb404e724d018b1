"""The common look of tables: rows of one height, whole rows selected, no grid, numbers to the right."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from inspector.gui import theme
from inspector.gui.models.plain_table import PlainTable


def plain_look(view: QTableView, name: str) -> None:
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setMouseTracking(True)
    view.setTabKeyNavigation(False)
    view.verticalHeader().setVisible(False)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(theme.ROW_HEIGHT)
    view.horizontalHeader().setHighlightSections(False)
    view.horizontalHeader().setMinimumSectionSize(26)


def go_to_row(view: QTableView, row: int) -> None:
    """Select one row, and make it current."""
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    view.selectionModel().setCurrentIndex(view.model().index(row, 0), flags)


def set_up_table(view: QTableView, model: PlainTable, name: str, *, stretched: int) -> None:  # type: ignore[type-arg]
    """Set up a small table in which one column takes the width that the others leave."""
    view.setModel(model)
    plain_look(view, name)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    header = view.horizontalHeader()
    for number, column in enumerate(model.columns):
        if number == stretched:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
        elif column.width:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            view.setColumnWidth(number, column.width)
