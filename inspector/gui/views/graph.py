"""Graph: the links of a memory over two hops; expand, filter by kind, and show what a query activates."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QLineEdit,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTableView,
    QWidget,
)

from core import formatting
from core.model import Link, LinkKind, Memory, MemoryId
from inspector.gui import icons, theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import excerpt, gist, shortened
from inspector.gui.viewmodels.curation import Targets
from inspector.gui.viewmodels.graph import HOPS, GraphViewModel, Neighbourhood
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.flow import FlowLayout
from inspector.gui.widgets.graph_canvas import GraphCanvas, kind_colour
from inspector.gui.widgets.help_button import HelpButton
from inspector.gui.widgets.tables import set_up_table

Neighbour = tuple[Link, Memory]

CANDIDATES = (
    TableColumn[Memory]("Memory", lambda each: gist(each), tip=lambda each: excerpt(each)),
    TableColumn[Memory]("Type", lambda each: each.type, width=92),
)
NEIGHBOURS = (
    TableColumn[Neighbour]("Link", lambda each: each[0].kind.value.replace("_", " "), width=92),
    TableColumn[Neighbour]("Memory", lambda each: gist(each[1]),
                   tip=lambda each: excerpt(each[1])),
    TableColumn[Neighbour]("Weight", lambda each: f"{each[0].weight:.2f}", is_number=True, width=68),
)  # fmt: skip


class GraphView(QWidget):
    memory_wanted = Signal(object)
    targets_changed = Signal()

    def __init__(self, viewmodel: GraphViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self._found: Neighbourhood | None = None
        self.kinds: dict[LinkKind, QCheckBox] = {}
        self.canvas = GraphCanvas()
        self.split = QSplitter()
        self.split.addWidget(self._build_lists())
        self.split.addWidget(self._build_picture())
        self.split.setSizes([380, 970])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.setLayout(layout.column(self.split))
        self.canvas.memory_selected.connect(self._show_neighbours)
        self.canvas.memory_selected.connect(lambda _: self.targets_changed.emit())
        self.canvas.expand_wanted.connect(viewmodel.expand)
        self.canvas.centre_wanted.connect(viewmodel.set_centre)
        viewmodel.candidates_changed.connect(self.candidates.show_rows)
        viewmodel.shown.connect(self._show)
        viewmodel.activated.connect(self._show_activation)
        viewmodel.refused.connect(self._on_refused)
        self.retint()

    def retint(self) -> None:
        self._glass.setIcon(icons.icon("search", "muted"))
        self._ask.setIcon(icons.icon("lab", "muted"))
        for kind, box in self.kinds.items():
            box.setIcon(_dot_icon(kind))

    def centre_first_match(self) -> None:
        """Centre the graph on the first memory of the list."""
        self._set_centre(0)

    def targets(self) -> Targets:
        """Return the selected memory."""
        id = self.canvas.current if self._stack.currentIndex() else None
        return Targets(() if id is None else (MemoryId(id),))

    # building

    def _build_lists(self) -> QFrame:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a memory to centre on…")
        self.search.setAccessibleName("Find a memory")
        self.search.setClearButtonEnabled(True)
        self._glass = QAction(self.search)
        self.search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.search.textChanged.connect(self._viewmodel.search)
        self.search.returnPressed.connect(self.centre_first_match)
        self.candidates = PlainTable(CANDIDATES, self)
        self.list = QTableView()
        set_up_table(self.list, self.candidates, "Memories to centre on", stretched=0)
        self.list.activated.connect(lambda index: self._set_centre(index.row()))
        self.list.clicked.connect(lambda index: self._set_centre(index.row()))
        self.about = layout.label("", "heading")
        self.neighbours = PlainTable(NEIGHBOURS, self)
        self._neighbours = QTableView()
        set_up_table(self._neighbours, self.neighbours, "Links of the selected memory", stretched=1)
        self._neighbours.activated.connect(lambda index: self._walk(index.row()))
        self.gist = layout.label("", wraps=True)
        self.gist.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.open = layout.button("Open", self._open, icon="browse", about="Show the selected memory in Browse")
        self.middle = layout.button("Centre", self._middle, about="Show the selected memory's links (Enter)")
        self.expand = layout.button("Expand", self._expand, about="Show all links of the selected memory (Space)")
        margins = (theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
        inset = (theme.SMALL, 0, 0, 0)
        buttons = layout.row(self.open, self.middle, self.expand, 1)
        return layout.panel(
            layout.column(
                layout.row(self.search, HelpButton("Graph", "desktop#graph"), margins=margins),
                layout.row(self.list, margins=inset), layout.line(),
                layout.column(self.about, self.gist, buttons, margins=margins),
                layout.row(self._neighbours, margins=inset), space=0,
            )
        )  # fmt: skip

    def _build_picture(self) -> QStackedWidget:
        self.hops = QComboBox()
        self.hops.setAccessibleName("How many hops")
        for hops in HOPS:
            self.hops.addItem(formatting.counted(hops, "hop"), hops)
        self.hops.setCurrentIndex(len(HOPS) - 1)
        self.hops.currentIndexChanged.connect(lambda number: self._viewmodel.set_hops(self.hops.itemData(number)))
        self.query = QLineEdit()
        self.query.setPlaceholderText("What would a query activate?")
        self.query.setAccessibleName("Query to activate the graph with")
        self.query.setClearButtonEnabled(True)
        self.query.setMinimumWidth(160)
        self.query.setMaximumWidth(280)
        self._ask = QAction(self.query)
        self.query.addAction(self._ask, QLineEdit.ActionPosition.LeadingPosition)
        self.query.returnPressed.connect(lambda: self._viewmodel.activate(self.query.text()))
        self.query.textChanged.connect(lambda text: None if text else self._viewmodel.activate(""))
        self.note = layout.label("", "muted", wraps=True)
        fit = layout.button("Show all", self.canvas.show_all, about="Fit to window (0)")
        top = layout.row(self.note, self.query, self.hops, fit)
        top.setStretch(0, 1)
        top.setStretch(1, 1)
        head = layout.column(
            top, self._build_kinds(),
            margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL),
        )  # fmt: skip
        hint = layout.label("Arrow keys move, Space or a double click expands, Enter centres; drag and wheel, "
                            "+ − 0 move and zoom.", "muted", wraps=True)  # fmt: skip
        hint.setContentsMargins(theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)
        picture = layout.panel(layout.column(head, layout.line(), self.canvas, layout.line(), hint, space=0))
        self._nothing = EmptyState("graph", "No memory selected yet", "Find a memory to draw its links here.")
        self._stack = QStackedWidget()
        self._stack.addWidget(layout.panel(layout.column(self._nothing)))
        self._stack.addWidget(picture)
        return self._stack

    def _build_kinds(self) -> QWidget:
        made = QWidget()
        flow = FlowLayout(made, space=theme.MEDIUM)
        for kind in LinkKind:
            box = self.kinds[kind] = QCheckBox()
            box.setIcon(_dot_icon(kind))
            box.setAccessibleName(f"Show links of the kind {kind.value.replace('_', ' ')}")
            box.setChecked(True)
            box.toggled.connect(lambda is_on, kind=kind: self._viewmodel.set_without(kind, not is_on))
            box.hide()
            flow.addWidget(box)
        return made

    # showing

    def _show(self, found: Neighbourhood) -> None:
        self._found = found
        self._stack.setCurrentIndex(1)
        self._show_kinds(found)
        self.canvas.show_graph(found.nodes, found.links)
        left = f"; {found.left_out:,} more not shown" if found.left_out else ""
        self.note.setText(
            f"{formatting.memories(len(found.nodes))}, {formatting.counted(len(found.links), 'link')}{left}"
        )
        self._show_neighbours(self.canvas.current)
        self.targets_changed.emit()

    def _show_kinds(self, found: Neighbourhood) -> None:
        """Show the kinds of links in the graph; an unticked one stays listed, so that it can be ticked again."""
        for kind, box in self.kinds.items():
            count = found.kinds.get(kind, 0)
            box.setText(f"{kind.value.replace('_', ' ')}  {count}" if count else kind.value.replace("_", " "))
            box.setVisible(count > 0 or kind in self._viewmodel.without)

    def _show_neighbours(self, id: int | None) -> None:
        found = self._found
        if found is None or id is None:
            return
        memories = {node.memory.id: node.memory for node in found.nodes}
        memory = memories[MemoryId(id)]
        ends = [(link, link.target_id if link.source_id == id else link.source_id) for link in found.links
                if id in (link.source_id, link.target_id)]  # fmt: skip
        self.neighbours.show_rows(
            sorted(((link, memories[end]) for link, end in ends), key=lambda each: -each[0].weight)
        )
        self.about.setText(f"Memory {memory.id}, {memory.type}")
        self.gist.setText(shortened(gist(memory), 150))
        self.middle.setEnabled(id != found.centre)

    def _show_activation(self, active: Mapping[MemoryId, float]) -> None:
        self.canvas.show_activation(active)
        if self._viewmodel.query:
            self.note.setText(f"{formatting.memories(len(active))} of the graph activated (read-only)")

    def _on_refused(self, sentence: str) -> None:
        self._nothing.sentence.setText(sentence or "Find a memory to draw its links here.")
        self._stack.setCurrentIndex(0)
        self._found = None
        self.canvas.show_graph((), ())
        self.neighbours.show_rows(())
        self.targets_changed.emit()

    # doing

    def _set_centre(self, row: int) -> None:
        memory = self.candidates.row(row)
        if memory is not None:
            self._viewmodel.set_centre(memory.id)

    def _walk(self, row: int) -> None:
        neighbour = self.neighbours.row(row)
        if neighbour is not None:
            self.canvas.select_memory(neighbour[1].id)

    def _open(self) -> None:
        if self.canvas.current is not None:
            self.memory_wanted.emit(self.canvas.current)

    def _middle(self) -> None:
        if self.canvas.current is not None:
            self._viewmodel.set_centre(MemoryId(self.canvas.current))

    def _expand(self) -> None:
        if self.canvas.current is not None:
            self._viewmodel.expand(MemoryId(self.canvas.current))


def _dot_icon(kind: LinkKind) -> QIcon:
    picture = QPixmap(24, 24)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(kind_colour(kind))
    painter.drawEllipse(4, 4, 16, 16)
    painter.end()
    return QIcon(picture)
