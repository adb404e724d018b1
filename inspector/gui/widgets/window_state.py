"""The state of a window between two starts: its geometry, splitters and table columns."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHeaderView, QMainWindow, QSplitter, QTableView

from inspector.gui.settings import Settings

SIZE = QSize(1440, 900)
MIN_SIZE = QSize(1024, 600)
MARGIN = QSize(72, 72)  # for the window frame and the system's panels


def first_size(available: QSize) -> QSize:
    """Return the size of a new window on a screen with this much room."""
    return SIZE.boundedTo(available - MARGIN).expandedTo(MIN_SIZE).boundedTo(available)


def restore(window: QMainWindow, splits: dict[str, QSplitter], settings: Settings) -> None:
    """Restore the saved state; a part that was never saved or does not fit is left."""
    window.resize(first_size(window.screen().availableSize()))
    if not settings.state("window").isEmpty():
        window.restoreGeometry(settings.state("window"))
    for name, split in splits.items():
        if not settings.state(name).isEmpty():
            split.restoreState(settings.state(name))
    for name, header in _headers(window).items():
        if not settings.state(name).isEmpty():
            header.restoreState(settings.state(name))


def save(window: QMainWindow, splits: dict[str, QSplitter], settings: Settings) -> None:
    settings.set_state("window", window.saveGeometry())
    for name, split in splits.items():
        settings.set_state(name, split.saveState())
    for name, header in _headers(window).items():
        settings.set_state(name, header.saveState())
    settings.save()


def _headers(window: QMainWindow) -> dict[str, QHeaderView]:
    """Return the table headers by table name and column count: a state saved for another count would not fit."""
    tables = [table for table in window.findChildren(QTableView) if table.accessibleName() and table.model()]
    return {
        f"columns-{table.accessibleName()}-{table.model().columnCount()}": table.horizontalHeader() for table in tables
    }
