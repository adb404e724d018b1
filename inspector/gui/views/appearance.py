"""The theme actions: light, dark, or as the system is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from inspector.gui import theme
from inspector.gui.settings import Settings
from inspector.gui.widgets import layout


class Appearance(QObject):
    """The theme actions; each public method without arguments is the action of its name."""

    ACTIONS = frozenset(("theme_light", "theme_dark", "theme_system"))

    def __init__(self, settings: Settings, window: QWidget, tint: Callable[[], None]) -> None:
        """`tint` is called to recolour what is outside the window's widgets."""
        super().__init__(window)
        self._settings, self._window, self._tint = settings, window, tint
        QApplication.styleHints().colorSchemeChanged.connect(lambda _: self.apply_theme())

    def theme_light(self) -> None:
        self._choose("light")

    def theme_dark(self) -> None:
        self._choose("dark")

    def theme_system(self) -> None:
        self._choose("system")

    def apply_theme(self, choice: str | None = None) -> None:
        """Apply a theme, by default the selected one, and recolour everything that stores colours."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, choice or self._settings.text("theme", "system"))
        self._tint()
        layout.retint(self._window)

    def _choose(self, choice: str) -> None:
        self._settings.set_text("theme", choice)
        self.apply_theme()
