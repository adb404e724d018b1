"""What tests of tables wait for and do."""

from __future__ import annotations

from PySide6.QtCore import Qt


def settled(qtbot, window):
    """Wait until the list that was asked for is there, with its first row."""
    viewmodel = window.browse_viewmodel
    qtbot.waitUntil(
        lambda: (
            not viewmodel._throttle.isActive()
            and viewmodel._listing is not None
            and viewmodel._listing.selection == viewmodel.selection
            and viewmodel._listing.order == viewmodel.order
            and (viewmodel.table.total == 0 or viewmodel.table.row(0) is not None)
            and not viewmodel.table._stale
        )
    )


def click(qtbot, page, row, modifier=Qt.KeyboardModifier.NoModifier):
    """Click a row of a page's table as a person does, with Ctrl or Shift if given."""
    at = page.table.visualRect(page.model.index(row, 0)).center()
    qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, modifier, at)
