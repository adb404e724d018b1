"""Every action of the desktop in one table; menus, toolbar, command palette and shortcut sheet are built from it.

`name` is the method that carries it out: of the main window, its files, appearance, curation or help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QIcon, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from inspector.gui import icons


class Requires(StrEnum):
    """What must be open or selected for an action to be enabled."""

    NOTHING = "nothing"
    STORE = "store"
    WRITABLE = "writable"
    SELECTION = "selection"


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    menu: str
    text: str
    about: str
    icon: str = ""
    keys: tuple[str, ...] = ()
    needs: Requires = Requires.NOTHING
    on_toolbar: bool = False
    is_view: bool = False
    ends_group: bool = False


ACTIONS = (
    Action("new_store", "File", "New Store…", "Make an empty store in a new file", "new", ("Ctrl+N",)),
    Action("open_store", "File", "Open Store…", "Open a store", "open", ("Ctrl+O",), on_toolbar=True),
    Action("open_sample", "File", "Open the Sample", "120 days of example memories", "sample"),
    Action("close_store", "File", "Close Store", "Back to the first page", "close", ("Ctrl+W",), Requires.STORE,
           ends_group=True),
    Action("import_file", "File", "Import…", "Import memories from a file", "import", ("Ctrl+I",), Requires.WRITABLE,
           on_toolbar=True),
    Action("export_file", "File", "Export…", "Export all memories to a file", "export", ("Ctrl+E",), Requires.STORE,
           ends_group=True),
    Action("import_judgements", "File", "Import Judgements…", "Import a golden set from a file", "import",
           needs=Requires.WRITABLE),
    Action("export_judgements", "File", "Export Judgements…", "Export a golden set to a file", "export",
           needs=Requires.STORE, ends_group=True),
    Action("serve", "File", "Serve Agents…", "Start or stop the server for agents; address and token", "serve",
           ("Ctrl+Shift+S",), Requires.STORE, ends_group=True),
    Action("quit", "File", "Quit", "Close the window", keys=("Ctrl+Q",)),
    Action("undo", "Edit", "Undo", "Undo the last change, by any client", "undo", ("Ctrl+Z",), Requires.WRITABLE,
           on_toolbar=True),
    Action("redo", "Edit", "Redo", "Redo what was undone", "redo", ("Ctrl+Shift+Z", "Ctrl+Y"), Requires.WRITABLE,
           on_toolbar=True, ends_group=True),
    Action("remember", "Edit", "New Memory…", "Add a memory", "new", ("Ctrl+M",), Requires.WRITABLE,
           on_toolbar=True),
    Action("save", "Edit", "Save Memory", "Save the edits of the memory shown", "save", ("Ctrl+S",),
           Requires.WRITABLE),
    Action("pin", "Edit", "Pin or Unpin", "A pinned memory never decays", "pin", ("Ctrl+P",), Requires.SELECTION),
    Action("reinforce", "Edit", "Reinforce", "Strengthen by 0.1", "reinforce", ("Ctrl+Up",), Requires.SELECTION),
    Action("archive", "Edit", "Archive", "Hide it from queries; restore brings it back", "archive",
           ("Ctrl+Backspace",), Requires.SELECTION),
    Action("forget", "Edit", "Forget", "No profile returns it; undo restores it", "forget", ("Ctrl+Del",),
           Requires.SELECTION),
    Action("restore", "Edit", "Restore", "Make archived or forgotten memories active again", "restore",
           ("Ctrl+Shift+R",), Requires.SELECTION),
    Action("merge", "Edit", "Merge…", "Merge several into one, after a preview; the others are superseded", "merge",
           ("Ctrl+Shift+M",), Requires.SELECTION, ends_group=True),
    Action("rate_highly_relevant", "Edit", "Rate as Highly Relevant",
           "The result selected in the Query Lab; 2 in its list", "star", ("Alt+2",), Requires.WRITABLE),
    Action("rate_relevant", "Edit", "Rate as Relevant", "The result selected in the Query Lab; 1 in its list", "check",
           ("Alt+1",), Requires.WRITABLE),
    Action("rate_not_relevant", "Edit", "Rate as Not Relevant", "The result selected in the Query Lab; 0 in its list",
           "close", ("Alt+0",), Requires.WRITABLE),
    Action("unrate", "Edit", "Remove Rating", "Of the result selected in the Query Lab; Backspace in its list", "undo",
           ("Alt+Backspace",), Requires.WRITABLE, ends_group=True),
    Action("select_all", "Edit", "Select All", "Every memory of the list", keys=("Ctrl+A",), needs=Requires.STORE),
    Action("browse", "View", "Browse", "All memories in a table", "browse", ("Ctrl+1",), Requires.STORE, is_view=True),
    Action("query_lab", "View", "Query Lab", "Run queries as an agent would, with every score explained", "lab",
           ("Ctrl+2",), Requires.STORE, is_view=True),
    Action("contradictions", "View", "Contradictions", "Memories that contradict each other, and resolving them",
           "contradictions", ("Ctrl+3",), Requires.STORE, is_view=True),
    Action("decay", "View", "Decay", "Decay of memories over time", "decay", ("Ctrl+4",), Requires.STORE, is_view=True),
    Action("graph", "View", "Graph", "Links between memories", "graph", ("Ctrl+5",), Requires.STORE, is_view=True),
    Action("activity", "View", "Activity", "Calls of agents as they arrive, and the journal of changes", "activity",
           ("Ctrl+6",), Requires.STORE, is_view=True),
    Action("health", "View", "Health", "Problems in the store, and their repairs", "health", ("Ctrl+7",),
           Requires.STORE, is_view=True),
    Action("evaluation", "View", "Evaluation", "Metrics of profiles on rated queries, and tuning", "evaluation",
           ("Ctrl+8",), Requires.STORE, is_view=True, ends_group=True),
    Action("search", "View", "Search Memories", "Focus the search field", "search", ("Ctrl+F",),
           Requires.STORE),
    Action("refresh", "View", "Refresh", "Reload everything", "refresh", ("F5",), Requires.STORE, ends_group=True),
    Action("theme_light", "View", "Light Theme", "Always light", "theme"),
    Action("theme_dark", "View", "Dark Theme", "Always dark", "theme"),
    Action("theme_system", "View", "System Theme", "Follow the system", "theme"),
    Action("palette", "Help", "Command Palette…", "Find any command by name", "palette", ("Ctrl+K",),
           on_toolbar=True),
    Action("manual", "Help", "Manual", "Every page of the manual, searchable and offline", "manual", ("Shift+F1",)),
    Action("take_tour", "Help", "Take the Tour", "A two-minute tour of every view",
           "question"),
    Action("fetch_model", "Help", "Download the Model", "Download the embedding model for vector search",
           "import", needs=Requires.STORE),
    Action("shortcuts", "Help", "Keyboard Shortcuts", "All shortcuts on one page", "keyboard", ("F1", "?"),
           ends_group=True),
    Action("about", "Help", "About Memory Inspector", "Version and licence"),
)  # fmt: skip


def make(action: Action, parent: QWidget) -> QAction:
    """Return the Qt action of a row of the table; the caller connects it."""
    made = QAction(action.text, parent)
    made.setObjectName(action.name)
    made.setShortcuts([QKeySequence(key) for key in action.keys])
    made.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
    made.setStatusTip(action.about)
    made.setCheckable(action.is_view)
    made.setToolTip(tool_tip(action))
    return made


def tool_tip(action: Action) -> str:
    return f"{action.about} ({shown_keys(action)})" if action.keys else action.about


def shown_keys(action: Action) -> str:
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(key).toString(native) for key in action.keys)


class Bars:
    """The menus, the toolbar and the rail of views, built from the table; `do` is called with an action's name."""

    def __init__(self, window: QMainWindow, do: Callable[[str], None]) -> None:
        self._window = window
        self.actions: dict[str, QAction] = {}
        self.recent = QMenu("Open Recent", window)
        self.row_menu = QMenu(window)  # actions on the selected memories
        self.toolbar = self._bar("toolbar", "Tools", Qt.ToolBarArea.TopToolBarArea, 18)
        self.toolbar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.rail = self._bar("rail", "Views", Qt.ToolBarArea.LeftToolBarArea, 22)
        self.rail.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self._views = QActionGroup(window)
        menus: dict[str, QMenu] = {}
        for action in ACTIONS:
            if action.menu not in menus:
                menus[action.menu] = window.menuBar().addMenu(f"&{action.menu}")
            self._add(action, menus[action.menu], do)
        self.tint()

    def tint(self) -> None:
        """Set every icon in the colour of the current theme."""
        for action in ACTIONS:
            self._tint(action)

    def check(self, view: str) -> None:
        """Mark the view that is shown."""
        self.actions[view].setChecked(True)
        for action in ACTIONS:
            if action.is_view:
                self._tint(action)

    def enable(self, has: Mapping[Requires, bool]) -> None:
        """Enable the actions whose requirement is met."""
        for action in ACTIONS:
            self.actions[action.name].setEnabled(has[action.needs])

    def _add(self, action: Action, menu: QMenu, do: Callable[[str], None]) -> None:
        made = make(action, self._window)
        made.triggered.connect(lambda: do(action.name))
        self.actions[action.name] = made
        menu.addAction(made)
        if action.needs is Requires.SELECTION:
            self.row_menu.addAction(made)
        if action.name == "open_store":
            menu.addMenu(self.recent)
        if action.ends_group:
            menu.addSeparator()
        if action.is_view:
            self._views.addAction(made)
            self._put(self.rail, made)
        if action.on_toolbar:
            self._put(self.toolbar, made)

    def fill_recent(self, paths: Iterable[Path], open_store: Callable[[Path], None]) -> None:
        self.recent.clear()
        for path in paths:
            if path.exists():
                self.recent.addAction(str(path)).triggered.connect(lambda _=False, path=path: open_store(path))
        if self.recent.isEmpty():
            self.recent.addAction("None yet").setEnabled(False)

    def _tint(self, action: Action) -> None:
        made = self.actions[action.name]
        if action.icon:
            of_view = "accent" if made.isChecked() else "muted"
            made.setIcon(icons.icon(action.icon, of_view if action.is_view else "text"))

    def _bar(self, name: str, title: str, area: Qt.ToolBarArea, size: int) -> QToolBar:
        bar = QToolBar(title)
        bar.setObjectName(name)
        bar.setMovable(False)
        bar.setFloatable(False)
        bar.setIconSize(QSize(size, size))
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._window.addToolBar(area, bar)
        # Qt's extension button, shown when the window is too narrow.
        more = bar.findChild(QToolButton, "qt_toolbar_ext_button")
        if more is not None:
            more.setIcon(QIcon())  # black in every theme; the style sheet draws one that can be seen
            more.setToolTip(f"More {title.lower()}")
            more.setAccessibleName(more.toolTip())
        return bar

    def _put(self, bar: QToolBar, action: QAction) -> None:
        bar.addAction(action)
        button = bar.widgetForAction(action)
        if button is not None:
            button.setAccessibleName(action.text().replace("…", ""))
