"""The actions of the Help menu that need no store: the manual, opened also by every `?`, and About."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from inspector import program
from inspector.gui.views.dialogs import about_box
from inspector.gui.widgets.help_button import HelpButton

if TYPE_CHECKING:
    from inspector.gui.views.manual import ManualDialog


class Help(QObject):
    """The actions of the Help menu that show a page."""

    ACTIONS = frozenset(("manual", "about"))

    def __init__(self, window: QWidget) -> None:
        """Connect every `?` of the window, which must have its views by now."""
        super().__init__(window)
        self._window = window
        self._manual: ManualDialog | None = None
        for button in window.findChildren(HelpButton):
            button.wanted.connect(self.open_page)

    def manual(self) -> None:
        self.shown_manual()

    def about(self) -> None:
        about_box(self._window, program.version()).open()

    def open_page(self, location: str) -> None:
        """Show the manual at `topic#section`."""
        self.shown_manual().open_page(location)

    def shown_manual(self) -> ManualDialog:
        """Return the manual, brought to the front where it was left; made when it is first wanted."""
        if self._manual is None:
            from inspector.gui.viewmodels.manual import ManualViewModel  # only now: no start of the window waits for it
            from inspector.gui.views.manual import ManualDialog

            self._manual = ManualDialog(ManualViewModel(self), self._window)
        self._manual.show()
        self._manual.raise_()
        self._manual.activateWindow()
        return self._manual
