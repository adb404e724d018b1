"""The first page: open the sample, create a store, open one, or import a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from inspector.gui import icons, theme
from inspector.gui.settings import Settings
from inspector.gui.widgets import layout

WIDTH = 760


class FirstPage(QWidget):
    """The first page; `do` are the main window's actions by name."""

    def __init__(
        self, do: Callable[[str], None], open_recent: Callable[[Path], None], settings: Settings,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._settings, self._open_recent = settings, open_recent
        logo = QLabel()
        logo.setPixmap(icons.app_icon().pixmap(72, 72))
        logo.setAccessibleName("Memory Inspector")
        title = layout.label("See what your agents remember", "title")
        about = layout.label(
            "Every memory in one file on your machine: browse, query as an agent would, see why each result was "
            "returned, and correct what is wrong. Every change can be undone.", "muted", wraps=True,
        )  # fmt: skip
        grid = QGridLayout()
        grid.setSpacing(theme.MEDIUM)
        self.buttons = {}
        choices = (
            ("open_sample", "Explore", "Open the sample", "120 days of a team's memory, to try everything on."),
            ("new_store", "Start empty", "New store…", "A store in a file of your choice."),
            ("open_store", "Open existing", "Open a store…", "A file you or an agent of yours has filled."),
            ("import_first", "Import memories", "Import…", "From JSON Lines, CSV or Markdown into your own store."),
        )
        for number, (name, title_text, text, sentence) in enumerate(choices):
            kind = "" if number else "primary"
            button = layout.button(text, partial(do, name), kind=kind)
            self.buttons[name] = button
            words = layout.label(title_text, "heading"), layout.label(sentence, "muted", wraps=True)
            grid.addWidget(layout.card(*words, 1, layout.row(button, 1)), number // 2, number % 2)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(theme.TIGHT)
        self._recent_title = layout.label("RECENT", "section")
        hint = layout.label("Or drop a file here. Ctrl+K finds every command, F1 shows every key.", "muted")
        tour = layout.button("Take the two-minute tour", partial(do, "take_tour"), kind="link")
        self.buttons["take_tour"] = tour
        logo.setFixedSize(72, 72)
        top = layout.row(logo, layout.column(title, about, space=theme.TIGHT), space=theme.LARGE)
        inner = QWidget()
        inner.setFixedWidth(WIDTH)
        inner.setLayout(
            layout.column(
                top, grid,
                self._recent_title, self._recent, layout.row(tour, hint, 1, space=theme.LARGE), space=theme.LARGE,
            )
        )  # fmt: skip
        self.setLayout(layout.column(1, layout.row(1, inner, 1), 2, margins=theme.HUGE))
        self.show_recent()

    def show_recent(self) -> None:
        layout.clear(self._recent)
        paths = [path for path in self._settings.recent_stores() if path.exists()]
        for path in paths:
            text = f"{path.name}    {path.parent}"
            button = layout.button(text, partial(self._open_recent, path), kind="link")
            self._recent.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self._recent_title.setVisible(bool(paths))
