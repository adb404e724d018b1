"""Contradictions: two memories side by side, their evidence scores, and a preview of each resolution."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QInputDialog,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.plain_table import VALUE_ROLE, PlainTable, TableColumn
from inspector.gui.models.plain_text import day, gist, one_line, shortened
from inspector.gui.viewmodels.contradictions import (
    RESOLUTIONS,
    ContradictionCase,
    ContradictionSide,
    ContradictionsViewModel,
    Effect,
    MergePreview,
    Resolution,
    ResolutionChoice,
)
from inspector.gui.views.merge_dialog import MergeDialog
from inspector.gui.widgets import layout
from inspector.gui.widgets.cells import paint_background, paint_text
from inspector.gui.widgets.diff_text import DiffText
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.flow import FlowLayout
from inspector.gui.widgets.help_button import HelpButton
from inspector.gui.widgets.share_bar import ShareBar
from inspector.gui.widgets.tables import go_to_row, set_up_table
from inspector.gui.widgets.timeline import Timeline

CASES = (
    TableColumn[ContradictionCase]("Contradiction", lambda each: f"{_short(each.a)}  ↔  {_short(each.b)}",
              tip=lambda each: f"A: {each.a.memory.content[:500]}\nB: {each.b.memory.content[:500]}"),
    TableColumn[ContradictionCase]("Rule", lambda each: each.rule, width=116),
)  # fmt: skip
EFFECTS = (
    TableColumn[Effect]("Query", lambda each: each.query if each.place == 1 else "", width=220),
    TableColumn[Effect]("#", lambda each: str(each.place), is_number=True, width=36),
    TableColumn[Effect]("Now", lambda each: one_line(each.now), width=300),
    TableColumn[Effect]("After resolving", lambda each: one_line(each.then)),
    TableColumn[Effect]("", lambda each: "changes" if each.changes else "", width=84),
)


def _short(side: ContradictionSide) -> str:
    return shortened(gist(side.memory), 60)


def _marked_text(case: ContradictionCase, kind: str) -> list[tuple[str, str]]:
    """Return one side's text with what the other side does not say marked."""
    kinds = {"same": "same", kind: "differs"}
    return [(kinds[each], words) for each, words in case.diff if each in kinds]


class _PairDelegate(QStyledItemDelegate):
    """Paints the two memories of a contradiction, one below the other."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        paint_background(painter, option)
        case = index.data(VALUE_ROLE)
        painter.setFont(option.font)
        area = option.rect.adjusted(8, 6, -8, -6)
        half = area.height() // 2
        for number, side in enumerate((case.a, case.b)):
            line = QRect(area.x(), area.y() + number * half, area.width(), half)
            paint_text(painter, line, f"{'AB'[number]}  {_short(side)}", "muted" if number else "text")


class ContradictionsView(QWidget):
    memory_wanted = Signal(object)

    def __init__(self, viewmodel: ContradictionsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self.cases = PlainTable(CASES, self)
        self.list = QTableView()
        set_up_table(self.list, self.cases, "Open contradictions", stretched=0)
        self.list.setItemDelegateForColumn(0, _PairDelegate(self.list))
        self.list.verticalHeader().setDefaultSectionSize(52)
        self.list.selectionModel().currentRowChanged.connect(lambda now, _: viewmodel.look_at(now.row()))
        self._nothing = EmptyState("check", "No open contradictions",
                              "When a new memory contradicts a known one, both are shown here.")  # fmt: skip
        self.a, self.b = _MemoryPanel("A", 0), _MemoryPanel("B", 2)
        for side in (self.a, self.b):
            side.wanted.connect(self.memory_wanted)
        self.rule = layout.label("", "muted", wraps=True)
        self.timeline = Timeline()
        self._build_resolutions()
        self._build_effects()
        self._stack = QStackedWidget()
        self._stack.addWidget(layout.panel(layout.column(self._nothing)))
        self._stack.addWidget(self._build_case())
        self.split = QSplitter()
        heading, help_button = (
            layout.label("Open contradictions", "heading"),
            HelpButton("Contradictions", "desktop#contradictions"),
        )
        title = layout.row(heading, 1, help_button, margins=(theme.LARGE, theme.MEDIUM, theme.MEDIUM, theme.SMALL))
        self.split.addWidget(layout.panel(layout.column(title, layout.row(self.list, margins=(theme.SMALL, 0, 0, 0)),
                                                        space=0)))  # fmt: skip
        self.split.addWidget(self._stack)
        self.split.setSizes([310, 1040])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        self.setLayout(layout.column(self.split))
        viewmodel.listed.connect(self.cases.show_rows)
        viewmodel.case_changed.connect(self._show)
        viewmodel.previewing.connect(self._on_previewing)
        viewmodel.previewed.connect(self._on_previewed)
        viewmodel.refused.connect(lambda sentence: self.note.setText(sentence))
        viewmodel.merge_previewed.connect(self._show_merge)

    # building

    def _build_resolutions(self) -> None:
        self.buttons: dict[str, QPushButton] = {}
        self._resolutions = QWidget()
        flow = FlowLayout(self._resolutions, space=theme.SMALL)
        for resolution in RESOLUTIONS:
            button = layout.button(f"{resolution.text}  {resolution.key}", partial(self._try, resolution),
                                   about=f"{resolution.about} (key {resolution.key})")  # fmt: skip
            button.setCheckable(True)
            self.buttons[str(resolution.on)] = button
            flow.addWidget(button)
            layout.shortcut(self, resolution.key, partial(self._try, resolution))

    def _build_effects(self) -> None:
        self.effects = PlainTable(EFFECTS, self)
        self._effects_view = QTableView()
        set_up_table(self._effects_view, self.effects, "What the resolution would change", stretched=3)
        self._effects_view.setFixedHeight(196)
        self.note = layout.label("", wraps=True)
        self.reason = QLineEdit()
        self.reason.setPlaceholderText("Reason (kept in the journal)")
        self.reason.setAccessibleName("Reason for the resolution")
        self.commit = layout.button("Apply", self._commit, kind="primary", about="Apply the resolution (Ctrl+Return)")
        layout.shortcut(self, "Ctrl+Return", self._commit)
        self._preview = QWidget()
        self._preview.setLayout(
            layout.column(self.note, self._effects_view, layout.row(self.reason, self.commit), space=theme.SMALL)
        )

    def _build_case(self) -> QWidget:
        inner = layout.panel(
            layout.column(
                layout.row(self.a, self.b, space=theme.MEDIUM), self.rule, self.timeline,
                layout.label("RESOLUTION", "section"), self._resolutions, self._preview, 1,
                space=theme.MEDIUM, margins=theme.LARGE,
            )
        )  # fmt: skip
        self.case_scroll = layout.scrolled(inner)
        return self.case_scroll

    # showing

    def _show(self, case: ContradictionCase | None) -> None:
        self._stack.setCurrentIndex(0 if case is None else 1)
        if case is None:
            return
        self.a.show_side(case.a, _marked_text(case, "gone"))
        self.b.show_side(case.b, _marked_text(case, "new"))
        found = ", ".join(f"{name}: {value}" for name, value in case.parts)
        rule = case.rule if case.sure is None else f"{case.rule}, {case.sure:.0%} sure"
        self.rule.setText(f"Rule: {rule}{'. ' + found if found else ''}")
        self.timeline.show_events(case.events)
        self._unpress()
        self.note.setText("Select a resolution to preview its effect; nothing changes until you apply it.")
        self.effects.show_rows(())
        self._effects_view.hide()
        self.reason.clear()
        self._allow(False)
        go_to_row(self.list, self._viewmodel.cases.index(case))

    def _on_previewing(self, resolution: object) -> None:
        self._unpress()
        self.buttons[str(resolution)].setChecked(True)
        self.note.setText("Computing the effect…")
        self._allow(False)

    def _on_previewed(self, effects: list[Effect]) -> None:
        self.effects.show_rows(effects)
        self._effects_view.setVisible(bool(effects))
        changed = len({effect.query for effect in effects if effect.changes})
        asked = len({effect.query for effect in effects})
        self.note.setText(f"It would change the top results of {changed} of {asked} queries.")
        self._allow(True)

    def _unpress(self) -> None:
        for button in self.buttons.values():
            button.setChecked(False)

    def _allow(self, is_allowed: bool) -> None:
        self.commit.setEnabled(is_allowed)
        self.reason.setEnabled(is_allowed)

    # doing

    def _try(self, resolution: ResolutionChoice) -> None:
        if resolution.on is Resolution.MERGE:
            self._unpress()
            self._viewmodel.preview_merge()
        elif resolution.on is Resolution.BOTH_VALID:
            self._unpress()
            self._ask_scope()
        else:
            self._viewmodel.preview(resolution.on)

    def _ask_scope(self) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle("Both are valid")
        dialog.setLabelText("In which scope is each of them valid?")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        both = Resolution.BOTH_VALID
        dialog.textValueSelected.connect(lambda scope: self._viewmodel.preview(both, scope=scope.strip()))
        dialog.open()

    def _show_merge(self, preview: MergePreview) -> None:
        dialog = MergeDialog(preview, "Preview the effect", self)
        dialog.accepted.connect(lambda: self._viewmodel.preview(Resolution.MERGE, content=dialog.text))
        dialog.open()

    def _commit(self) -> None:
        if self.commit.isEnabled():
            self._viewmodel.decide(self.reason.text().strip())


class _MemoryPanel(QFrame):
    """One memory of a contradiction with its evidence score."""

    wanted = Signal(object)

    def __init__(self, name: str, number: int) -> None:
        super().__init__()
        self.setObjectName("card")
        self._side: ContradictionSide | None = None
        self._name = name
        self.title = layout.label(name, "heading")
        self.about = ElidedLabel()
        layout.set_kind(self.about, "muted")
        self.text = DiffText(f"Memory {name}")
        self.text.setFixedHeight(124)
        self.bars = [ShareBar(word, number) for word in ("strength", "confidence", "recency")]
        self.effective = layout.label("", "muted", wraps=True)
        show = layout.button("Open", self._open, kind="link", about="Show in Browse")
        evidence = layout.row(self.effective, HelpButton("evidence score", "glossary#evidence-score"))
        evidence.setStretch(0, 1)
        self.setLayout(
            layout.column(
                layout.row(self.title, self.about, 1, show), self.text, *self.bars, evidence,
                space=theme.TIGHT + 2, margins=theme.MEDIUM,
            )
        )  # fmt: skip

    def show_side(self, side: ContradictionSide, pieces: list[tuple[str, str]]) -> None:
        self._side = side
        memory = side.memory
        self.title.setText(f"{self._name}  {memory.type.capitalize()} {memory.id}")
        self.about.setText(f"{memory.agent or memory.source}, {day(memory.created_at)}")
        self.text.show_diff(pieces)
        for bar, value in zip(self.bars, (side.strength, side.confidence, side.recency), strict=True):
            bar.show_share(value)
        factors = f"{side.strength:.2f} × {side.confidence:.2f} × {side.recency:.3f}"
        self.effective.setText(f"Evidence score: {factors} = {side.effective:.3f}")

    def _open(self) -> None:
        if self._side is not None:
            self.wanted.emit(self._side.memory.id)
