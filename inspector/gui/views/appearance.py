"""Light or dark: by choice, or as the system is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from inspector.gui import theme
from inspector.gui.settings import Settings
from inspector.gui.widgets import layout


class Appearance(QObject):
    """Each method without an underscore and an argument is the action by the same name."""

    ACTIONS = frozenset(("theme_light", "theme_dark", "theme_system"))

    def __init__(self, settings: Settings, window: QWidget, tint: Callable[[], None]) -> None:
        """`tint` is called to give what is not within the window's widgets its colours."""
        super().__init__(window)
        self._settings, self._window, self._tint = settings, window, tint
        QApplication.styleHints().colorSchemeChanged.connect(lambda _: self.put_on())

    def theme_light(self) -> None:
        self._choose("light")

    def theme_dark(self) -> None:
        self._choose("dark")

    def theme_system(self) -> None:
        self._choose("system")

    def put_on(self, choice: str | None = None) -> None:
        """Put a theme on, or once more the one that is chosen, and let everything that holds colours know."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, choice or self._settings.text("theme", "system"))
        self._tint()
        layout.retint(self._window)

    def _choose(self, choice: str) -> None:
        self._settings.set_text("theme", choice)
        self.put_on()
