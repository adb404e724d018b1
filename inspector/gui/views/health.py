"""Health: findings with their memories and repairs, statistics, and the embedding map."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.model import MemoryId
from inspector import glossary
from inspector.gui import theme
from inspector.gui.models.plain_table import VALUE_ROLE, PlainTable, TableColumn
from inspector.gui.models.plain_text import gist
from inspector.gui.viewmodels.health import (
    AGE_BANDS,
    REPAIR_WORDS,
    Fact,
    FindingItem,
    HealthEntry,
    HealthViewModel,
    Map,
)
from inspector.gui.widgets import layout
from inspector.gui.widgets.cells import paint_background, paint_text, type_numbers
from inspector.gui.widgets.dot_legend import DotLegend
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.help_button import HelpButton
from inspector.gui.widgets.tables import set_up_table

if TYPE_CHECKING:
    from inspector.gui.widgets.embedding_map import EmbeddingMap, MapPoint

ENTRIES = (
    TableColumn[HealthEntry]("Checks", lambda each: each.title, tip=lambda each: each.about),
    TableColumn[HealthEntry]("Found", lambda each: each.count, is_number=True, width=70,
               tip=lambda each: "Not checked yet" if each.finding is None else f"{each.count} found"),
)  # fmt: skip
ITEMS = (
    TableColumn[FindingItem]("Memory", lambda each: _words(each), tip=lambda each: _words(each)),
    TableColumn[FindingItem]("Type", lambda each: each.memory.type if each.memory else "", width=100),
    TableColumn[FindingItem]("Why", lambda each: each.why, width=330),
)
FACTS = (
    TableColumn[Fact]("", lambda each: each.group, width=84),
    TableColumn[Fact]("Statistics", lambda each: each.name),
    TableColumn[Fact]("", lambda each: each.value, is_number=True, width=110),
)


def _words(item: FindingItem) -> str:
    return gist(item.memory) if item.memory else "The store as a whole"


class HealthView(QWidget):
    memory_wanted = Signal(object)

    def __init__(self, viewmodel: HealthViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self._entry: HealthEntry | None = None
        self._map: Map | None = None
        self._type_numbers: dict[str, int] = {}
        self.map: EmbeddingMap | None = None
        right = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(self._build_concern())
        right.addWidget(self._build_map())
        right.setSizes([360, 400])
        right.setChildrenCollapsible(False)
        self.split = QSplitter()
        self.split.addWidget(self._build_list())
        self.split.addWidget(right)
        self.split.setSizes([380, 970])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.setLayout(layout.column(self.split))
        viewmodel.listed.connect(self._show_entries)
        viewmodel.facts_changed.connect(self.facts.show_rows)
        viewmodel.mapped.connect(self._show_map)
        viewmodel.checking_changed.connect(lambda _: self._show_state())
        self._show_entries(viewmodel.entries)

    def retint(self) -> None:
        self._show_legend()

    # building

    def _build_list(self) -> QFrame:
        self.entries = PlainTable(ENTRIES, self)
        self.list = QTableView()
        set_up_table(self.list, self.entries, "Findings", stretched=0)
        self.list.setItemDelegate(_EntryDelegate(self.list))
        self.list.verticalHeader().setDefaultSectionSize(36)
        self.list.setFixedHeight(36 * 8 + 36)
        self.list.selectionModel().currentRowChanged.connect(lambda now, _: self._look_at(now.row()))
        self.again = layout.button("Check again", self._viewmodel.check, icon="refresh",
                                   about="Check the whole store again")  # fmt: skip
        self.state = layout.label("", "muted")
        self.facts = PlainTable(FACTS, self)
        self._facts = QTableView()
        set_up_table(self._facts, self.facts, "Statistics of the store", stretched=1)
        self._facts.verticalHeader().setDefaultSectionSize(26)
        self._facts.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        title = layout.column(layout.label("Health", "heading"), self.state, space=theme.TIGHT)
        help_button = HelpButton("Health", "desktop#health")
        head = layout.row(
            title, 1, self.again, help_button, margins=(theme.LARGE, theme.MEDIUM, theme.MEDIUM, theme.SMALL)
        )
        inset = (theme.SMALL, 0, 0, 0)
        return layout.panel(
            layout.column(head, layout.row(self.list, margins=inset), layout.line(),
                          layout.row(self._facts, margins=inset), space=0)
        )  # fmt: skip

    def _build_concern(self) -> QStackedWidget:
        self.title = layout.label("", "heading")
        self.help_entry = HelpButton("this finding", self._help_location)
        self.about = layout.label("", "muted", wraps=True)
        self.items = PlainTable(ITEMS, self)
        self.preview = QTableView()
        set_up_table(self.preview, self.items, "Affected memories", stretched=0)
        self.preview.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.preview.selectionModel().selectionChanged.connect(lambda *_: self._show_repairs())
        self.preview.activated.connect(lambda index: self._open(index.row()))
        self._repairs = layout.row(space=theme.SMALL)
        self.buttons: dict[str, QPushButton] = {}
        self.hint = layout.label("", "muted", wraps=True)
        head = layout.column(
            layout.row(self.title, self.help_entry, 1, self._repairs), self.about, self.hint, space=theme.TIGHT,
            margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL),
        )  # fmt: skip
        inset = (theme.SMALL, 0, theme.SMALL, 0)
        found = layout.panel(layout.column(head, layout.row(self.preview, margins=inset), space=0))
        self._sound = EmptyState("check", "Nothing found", "")
        self._stack = QStackedWidget()
        self._stack.addWidget(layout.panel(layout.column(self._sound)))
        self._stack.addWidget(found)
        return self._stack

    def _build_map(self) -> QFrame:
        self.map_said = layout.label("", "muted", wraps=True)
        self.colouring = QComboBox()
        self.colouring.setAccessibleName("Colour of the map")
        self.colouring.addItem("Coloured by type", "type")
        self.colouring.addItem("Coloured by age", "age")
        self.colouring.currentIndexChanged.connect(lambda _: self._colour_map())
        self.legend = DotLegend("Colours of the map")
        self._no_map = EmptyState(
            "health", "No map yet", "Once memories are embedded, similar memories are drawn close together here."
        )
        self._map_stack = QStackedWidget()
        self._map_stack.addWidget(self._no_map)
        title = layout.column(layout.label("Embedding map", "heading"), self.map_said, space=theme.TIGHT)
        head = layout.row(title, self.colouring, margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL))
        head.setStretch(0, 1)
        legend = layout.row(self.legend, margins=(theme.LARGE, 0, theme.LARGE, theme.SMALL))
        return layout.panel(layout.column(head, legend, self._map_stack, space=0))

    # findings

    def _show_entries(self, entries: tuple[HealthEntry, ...]) -> None:
        row = self.list.currentIndex().row()
        if self._entry is None or (not self._entry.is_found and self._entry.finding is None):
            row = next((number for number, entry in enumerate(entries) if entry.is_found), 0)
        self.entries.show_rows(entries)
        self.list.selectRow(row)
        self._look_at(row)
        self._show_state()

    def _show_state(self) -> None:
        found = sum(entry.is_found for entry in self.entries.rows)
        if self._viewmodel.is_checking:
            text = "Reading the store…"
        elif self._viewmodel.is_outdated:
            text = "Not everything was checked since the last change"
        else:
            text = f"Problems in {found} of {len(self.entries.rows)} checks" if found else "No problems found"
        self.state.setText(text)
        self.again.setEnabled(not self._viewmodel.is_checking)

    def _look_at(self, row: int) -> None:
        entry = self._entry = self.entries.row(row)
        if entry is None:
            return
        self.title.setText(f"{entry.title}: {entry.count}")
        self.about.setText(entry.about)
        self.items.show_rows(entry.finding.items if entry.finding else ())
        self._show_repairs()
        if entry.finding is None:
            self._sound.say(entry.title, f"Not checked yet. {entry.about}", "search")
        else:
            self._sound.say(f"{entry.title}: none found", entry.about, "check")
        self._stack.setCurrentIndex(int(entry.is_found))

    def selected(self) -> list[MemoryId]:
        rows = sorted({index.row() for index in self.preview.selectionModel().selectedRows()})
        items = [self.items.row(row) for row in rows]
        return [item.memory.id for item in items if item is not None and item.memory is not None]

    def _show_repairs(self) -> None:
        layout.clear(self._repairs)
        self.buttons = {}
        entry = self._entry
        if entry is None or entry.finding is None:
            return
        finding, selected = entry.finding, self.selected()
        for number, repair in enumerate(finding.repairs):
            word, icon, about = REPAIR_WORDS[repair]
            every = "it" if finding.count == 1 else f"all {finding.count:,}"
            which = (f" {len(selected):,} selected" if selected else f" {every}") if finding.ids else ""
            button = layout.button(word + which, partial(self._repair, repair.value), icon=icon, about=about,
                                   kind="" if number else "primary")  # fmt: skip
            button.setEnabled(self._viewmodel.can_repair)
            self.buttons[repair.value] = button
            self._repairs.addWidget(button)
        shown = len(finding.items)
        first = f"The first {shown:,} are shown. " if finding.ids and shown < finding.count else ""
        how = "Select some, or repair all of them; Enter opens one." if len(finding.ids) > 1 else ""
        self.hint.setText(first + how)
        self.hint.setVisible(bool(first + how))

    def _repair(self, name: str) -> None:
        if self._entry is not None and self._entry.finding is not None:
            repair = next(each for each in self._entry.finding.repairs if each.value == name)
            self._viewmodel.repair(self._entry, repair, self.selected())

    def _help_location(self) -> str:
        return "desktop#health" if self._entry is None else glossary.location(self._entry.title)

    def _open(self, row: int) -> None:
        item = self.items.row(row)
        if item is not None and item.memory is not None:
            self.memory_wanted.emit(item.memory.id)

    # the map

    def _show_map(self, found: Map) -> None:
        self._map = found
        if not found.points:
            self._map_stack.setCurrentIndex(0)
            self.map_said.setText("")
            self._type_numbers = {}
            self.legend.show_entries(())
            return
        if self.map is None:
            from inspector.gui.widgets.embedding_map import (
                EmbeddingMap,
            )  # slow to import: only for a plot

            self.map = EmbeddingMap(self._colour)
            self.map.memory_wanted.connect(self.memory_wanted)
            self._map_stack.addWidget(self.map)
        self._type_numbers = type_numbers(Counter(point.type for point in found.points))
        self.map.show_dots(found.points)
        self._map_stack.setCurrentIndex(1)
        drawn = f"{len(found.points):,} of {found.embedded:,} vectors of {found.model}"
        self.map_said.setText(f"{drawn}; these two dimensions explain {found.explained:.0%} of the variance")
        self._show_legend()

    def _colour_map(self) -> None:
        if self.map is not None:
            self.map.colour_by(self._colour)
        self._show_legend()

    def _colour(self, dot: MapPoint) -> QColor:
        if self.colouring.currentData() == "age":
            return _age_colour(dot.age)
        number = self._type_numbers.get(dot.type)
        return theme.colour("muted") if number is None else theme.series(number)

    def _show_legend(self) -> None:
        points = self._map.points if self._map is not None else ()
        if self.colouring.currentData() == "age":
            self.legend.show_entries([(band, _age_colour(band)) for band in AGE_BANDS] if points else ())
            return
        named = [(name, theme.series(number)) for name, number in self._type_numbers.items()]
        has_others = any(point.type not in self._type_numbers for point in points)
        self.legend.show_entries([*named, ("other types", theme.colour("muted"))] if has_others else named)


def _age_colour(band: str) -> QColor:
    """Return the accent colour for new, a warm brown for old, and shades between."""
    return theme.between("accent", "warning", AGE_BANDS.index(band) / (len(AGE_BANDS) - 1))


class _EntryDelegate(QStyledItemDelegate):
    """Paints a check: a dot in the colour of its severity, the title, and the count as a badge."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        paint_background(painter, option)
        entry: HealthEntry = index.data(VALUE_ROLE)
        tint = entry.tint if entry.is_found else ("muted" if entry.finding is None else "good")
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(option.font)
        area: QRect = option.rect.adjusted(8, 0, -8, 0)
        if index.column() == 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour(tint))
            painter.drawEllipse(QRectF(area.x(), area.center().y() - 3, 8, 8))
            paint_text(painter, area.adjusted(18, 0, 0, 0), entry.title, "text" if entry.is_found else "muted")
        else:
            paint_text(painter, area, entry.count, tint if entry.is_found else "muted", is_right=True)
        painter.restore()
