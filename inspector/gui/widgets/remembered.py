"""What a window keeps between two starts: its place, how its splits are divided, its tables' columns."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHeaderView, QMainWindow, QSplitter, QTableView

from inspector.gui.settings import Settings

SIZE = QSize(1440, 900)
MIN_SIZE = QSize(1024, 600)
AROUND = QSize(72, 72)  # left free for the frame and what else is on the screen


def first_size(available: QSize) -> QSize:
    """How large a new window is on a screen with so much room."""
    return SIZE.boundedTo(available - AROUND).expandedTo(MIN_SIZE).boundedTo(available)


def restore(window: QMainWindow, splits: dict[str, QSplitter], settings: Settings) -> None:
    """As it was left; what was never kept, or no longer fits, stays as it is."""
    window.resize(first_size(window.screen().availableSize()))
    if not settings.state("window").isEmpty():
        window.restoreGeometry(settings.state("window"))
    for name, split in splits.items():
        if not settings.state(name).isEmpty():
            split.restoreState(settings.state(name))
    for name, header in _headers(window).items():
        if not settings.state(name).isEmpty():
            header.restoreState(settings.state(name))


def keep(window: QMainWindow, splits: dict[str, QSplitter], settings: Settings) -> None:
    settings.set_state("window", window.saveGeometry())
    for name, split in splits.items():
        settings.set_state(name, split.saveState())
    for name, header in _headers(window).items():
        settings.set_state(name, header.saveState())
    settings.save()


def _headers(window: QMainWindow) -> dict[str, QHeaderView]:
    """By the tables' names and how many columns they have: with another number a kept state would fit others."""
    tables = [table for table in window.findChildren(QTableView) if table.accessibleName() and table.model()]
    return {
        f"columns-{table.accessibleName()}-{table.model().columnCount()}": table.horizontalHeader() for table in tables
    }
