"""A small `?` that opens a page of the manual."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from inspector.gui.widgets import layout


class HelpButton(QToolButton):
    """Emits `wanted` with a location of the manual, `topic#section` or `glossary#term`. The window connects every one
    it has."""

    wanted = Signal(str)

    def __init__(self, about: str, location: str | Callable[[], str], parent: QWidget | None = None) -> None:
        """`location` may be a function, called when the button is pressed, where it depends on a selection."""
        super().__init__(parent)
        self._location = location
        layout.give_icon(self, "question", "muted", 16)
        self.setAccessibleName(f"Help: {about}")
        self.setToolTip(f"Open the manual: {about}")
        self.setProperty("kind", "quiet")
        self.clicked.connect(lambda: self.wanted.emit(self.location))

    @property
    def location(self) -> str:
        return self._location if isinstance(self._location, str) else self._location()
