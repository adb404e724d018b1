"""Help › Manual: the topics, search in all of them, and the open page."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QSplitter, QWidget

from core import formatting
from inspector.gui import icons, theme
from inspector.gui.viewmodels.manual import ManualEntry, ManualPage, ManualViewModel
from inspector.gui.widgets import layout
from inspector.gui.widgets.markdown_page import MarkdownPage

FIRST = "desktop"
LOCATION = Qt.ItemDataRole.UserRole
FOUND_HEIGHT = 46


class ManualDialog(QDialog):
    """The manual in a window of its own, to be read next to the view that it explains."""

    def __init__(self, viewmodel: ManualViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.setWindowTitle("Manual")
        self.setModal(False)
        self.search_field = QLineEdit()
        self.search_field.setPlaceholderText("Search the manual…")
        self.search_field.setAccessibleName("Search the manual")
        self.search_field.setToolTip("Search all pages (Ctrl+F); Enter opens the first match, Esc clears")
        self.search_field.setClearButtonEnabled(True)
        self._glass = QAction(self.search_field)
        self.search_field.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.list = QListWidget()
        self.list.setAccessibleName("Topics")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.counts = layout.label("", "muted")
        self.back = layout.button("Back", viewmodel.back, about="The page before (Alt+Left)")
        self.forward = layout.button("Forward", viewmodel.forward, about="The page after (Alt+Right)")
        for button in (self.back, self.forward):
            button.setAutoDefault(False)  # or Enter in the search field would press it
        self.title = layout.label("", "muted")
        self.page = MarkdownPage("Page of the manual")
        margins = (theme.LARGE, theme.MEDIUM, theme.MEDIUM, theme.SMALL)
        top = layout.column(self.search_field, self.counts, space=theme.SMALL, margins=margins)
        left = layout.panel(
            layout.column(top, layout.row(self.list, margins=(theme.SMALL, 0, 0, theme.SMALL)), space=0)
        )
        left.setMinimumWidth(220)
        head = layout.row(
            self.back, self.forward, self.title, 1, margins=(theme.MEDIUM, theme.SMALL, theme.MEDIUM, theme.SMALL)
        )
        right = layout.panel(layout.column(head, layout.line(), self.page, space=0))
        self.split = QSplitter()
        self.split.addWidget(left)
        self.split.addWidget(right)
        self.split.setSizes([280, 900])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.setLayout(layout.column(self.split))
        self._connect()
        self.retint()
        self.resize(1180, 780)
        viewmodel.open(FIRST)
        self.page.setFocus()

    def open_page(self, location: str) -> None:
        """Show a page, and clear the search."""
        self.search_field.clear()
        self._viewmodel.open(location)

    def retint(self) -> None:
        self._glass.setIcon(icons.icon("search", "muted"))

    def _connect(self) -> None:
        do = self._viewmodel
        do.opened.connect(self._show_page)
        do.listed.connect(self._show_entries)
        self.search_field.textChanged.connect(self._search)
        self.search_field.returnPressed.connect(lambda: self._open(self.list.item(0)))
        self.list.itemClicked.connect(self._open)
        self.list.itemActivated.connect(self._open)
        self.page.anchorClicked.connect(lambda url: do.follow(QUrl(url).toString()))
        layout.shortcut(self, "Ctrl+F", self._focus_find)
        layout.shortcut(self, "Alt+Left", do.back)
        layout.shortcut(self, "Alt+Right", do.forward)

    def _focus_find(self) -> None:
        self.search_field.setFocus()
        self.search_field.selectAll()

    def _search(self, text: str) -> None:
        self._viewmodel.search(text)
        self.page.mark(self._viewmodel.query.split())

    def _open(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.data(LOCATION):
            self._viewmodel.open(item.data(LOCATION))

    def _show_page(self, page: ManualPage) -> None:
        self.page.show_markdown(page.topic.text)
        self.page.mark(self._viewmodel.query.split())
        self.page.go_to(page.heading)
        if page.entry:
            self.page.select_line(page.entry)
        self.title.setText(page.topic.title)
        self.setWindowTitle(f"{page.topic.title} – Manual")
        self.back.setEnabled(self._viewmodel.can_go_back)
        self.forward.setEnabled(self._viewmodel.can_go_forward)

    def _show_entries(self, entries: list[ManualEntry]) -> None:
        is_search = bool(self._viewmodel.query)
        self.counts.setVisible(is_search)
        self.counts.setText(formatting.counted(len(entries), "section") if entries else "No results")
        self.list.clear()
        for entry in entries:
            indent = "      " if entry.is_section else ""
            item = QListWidgetItem(f"{entry.title}\n{entry.about}" if is_search else f"{indent}{entry.title}")
            item.setData(LOCATION, entry.location)
            item.setToolTip(entry.about)
            item.setSizeHint(QSize(0, FOUND_HEIGHT if is_search else theme.ROW_HEIGHT))
            self.list.addItem(item)
            if entry.location == self._viewmodel.location and not is_search:
                self.list.setCurrentItem(item)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc clears the search first, and closes the manual when there is none."""
        if event.key() == Qt.Key.Key_Escape and self.search_field.text():
            self.search_field.clear()
            self.page.setFocus()
            return
        super().keyPressEvent(event)
