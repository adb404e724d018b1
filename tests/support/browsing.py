"""What tests of Browse wait for."""

from __future__ import annotations


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
