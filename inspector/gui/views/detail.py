"""The detail pane of Browse: one memory to read and edit, with its links, versions and recalls."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSlider,
    QSplitter,
    QStackedWidget,
    QTableView,
    QTabWidget,
    QWidget,
)

from core.model import Importance, MemoryId
from inspector.gui import theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import absolute, excerpt, gist, minute, one_line
from inspector.gui.viewmodels.detail import DetailViewModel, LinkedMemory, MemoryOverview, RecallRecord, Revision
from inspector.gui.views.context_page import ContextPage
from inspector.gui.widgets import layout
from inspector.gui.widgets.cells import TYPES
from inspector.gui.widgets.chips import Chips
from inspector.gui.widgets.diff_text import DiffText
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.help_button import HelpButton
from inspector.gui.widgets.tables import go_to_row, set_up_table

STEPS = 100
EXPLAINED = {"Confidence": "glossary#confidence"}  # fields with a `?`, and where it leads
NO_MEMORY = "No memory selected", "Select one in the table to read and edit it here."

LINKS = (
    TableColumn[LinkedMemory]("", lambda each: "→" if each.is_outgoing else "←", width=26),
    TableColumn[LinkedMemory]("Link", lambda each: each.link.kind.value.replace("_", " "), width=88),
    TableColumn[LinkedMemory]("Memory", lambda each: gist(each.other),
                   tip=lambda each: excerpt(each.other)),
    TableColumn[LinkedMemory]("Weight", lambda each: f"{each.link.weight:.2f}", is_number=True, width=64),
    TableColumn[LinkedMemory]("State", lambda each: each.link.status.value, width=84),
)  # fmt: skip
VERSIONS = (
    TableColumn[Revision](
        "", lambda each: "" if each.memory is None else str(each.memory.version), is_number=True, width=34
    ),
    TableColumn[Revision]("When", lambda each: minute(each.entry.at), width=144),
    TableColumn[Revision]("What", lambda each: each.entry.op.value, width=76),
    TableColumn[Revision]("Who", lambda each: each.entry.actor, width=76),
    TableColumn[Revision]("Changed", lambda each: ", ".join(each.changed), tip=lambda each: each.entry.reason),
)
RECALLS = (
    TableColumn[RecallRecord]("When", lambda each: minute(each.at), width=128),
    TableColumn[RecallRecord]("Client", lambda each: each.client, width=90),
    TableColumn[RecallRecord]("Query", lambda each: one_line(each.query)),
    TableColumn[RecallRecord](
        "Rank", lambda each: str(each.rank or each.missed.replace("_", " ")), is_number=True, width=84
    ),
)


class DetailView(QStackedWidget):
    memory_wanted = Signal(object)

    def __init__(self, viewmodel: DetailViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self._is_filling = False
        self._shown: MemoryId | None = None
        self._build_head()
        self._build_form()
        self.links = PlainTable(LINKS, self)
        self.versions = PlainTable(VERSIONS, self)
        self.recalls = PlainTable(RECALLS, self)
        self.context = ContextPage()
        self.context.model.edited.connect(lambda value: viewmodel.edit("context", value))
        self.tabs = QTabWidget()
        self.tabs.tabBar().setAccessibleName("About this memory")
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._form_page, "Edit")
        self.tabs.addTab(self._build_links(), "Links")
        self.tabs.addTab(self._build_versions(), "Versions")
        self.tabs.addTab(self._build_recalls(), "Recalls")
        self.tabs.addTab(self.context, "Context")
        self._build_save_bar()
        page = layout.panel(layout.column(self._head, self.tabs, self._save_bar, space=0))
        self._nothing = EmptyState("browse", *NO_MEMORY)
        self.addWidget(layout.panel(layout.column(self._nothing)))
        self.addWidget(page)
        viewmodel.shown.connect(self._show)
        viewmodel.revisions_shown.connect(self._show_revisions)
        viewmodel.cleared.connect(self._clear)
        viewmodel.waiting.connect(lambda id: self._show_nothing(f"Memory {id}", "Loading…"))
        viewmodel.dirty_changed.connect(self._save_bar.setVisible)
        viewmodel.refused.connect(self._on_refused)

    def holds_new_edits(self, field: QWidget) -> bool:
        """Whether a field of the pane has new edits: undoing an operation there would mix the two."""
        return self.isAncestorOf(field) and self._viewmodel.has_new_edits

    # building

    def _build_head(self) -> None:
        self._title = layout.label("", "heading")
        self._about = layout.label("", "muted", selectable=True)
        self._badges = layout.row(space=theme.TIGHT)
        self.pin = layout.button("Pin", lambda: self._viewmodel.set_pinned(self.pin.isChecked()), icon="pin",
                                 about="A pinned memory never decays")  # fmt: skip
        self.pin.setCheckable(True)
        self._head = QWidget()
        top = layout.row(layout.column(self._title, self._about, space=2), 1, self.pin)
        self._head.setLayout(
            layout.column(
                top, self._badges, space=theme.SMALL, margins=(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
            )
        )

    def _build_form(self) -> None:
        edit = self._viewmodel.edit
        self.content = QPlainTextEdit()
        self.content.setAccessibleName("Content")
        self.content.setTabChangesFocus(True)
        self.content.setMinimumHeight(150)
        self.content.textChanged.connect(lambda: self._edited("content", self.content.toPlainText()))
        self.summary = QLineEdit()
        self.summary.setAccessibleName("Summary")
        self.summary.setPlaceholderText("A short summary")
        self.summary.textEdited.connect(lambda text: edit("summary", text))
        self.type = QComboBox()
        self.type.setEditable(True)
        self.type.setAccessibleName("Type")
        self.type.addItems(TYPES)
        self.type.currentTextChanged.connect(lambda text: self._edited("type", text))
        self.importance = QComboBox()
        self.importance.setAccessibleName("Importance")
        self.importance.addItems([each.value for each in Importance])
        self.importance.currentTextChanged.connect(lambda text: self._edited("importance", Importance(text)))
        self.confidence = QSlider(Qt.Orientation.Horizontal)
        self.confidence.setAccessibleName("Confidence")
        self.confidence.setRange(0, STEPS)
        self.confidence.setPageStep(10)
        self._confidence_shown = layout.label("")
        self._confidence_shown.setFixedWidth(34)
        self._confidence_shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.confidence.valueChanged.connect(self._on_confidence)
        self.tags = Chips("Tags")
        self.tags.edited.connect(lambda items: edit("tags", items))
        self.entities = Chips("Entities")
        self.entities.edited.connect(lambda items: edit("entities", items))
        self.collection = QLineEdit()
        self.collection.setAccessibleName("Collection")
        self.collection.textEdited.connect(lambda text: edit("collection", text))
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setHorizontalSpacing(theme.LARGE)
        form.setVerticalSpacing(theme.SMALL + 2)
        form.setContentsMargins(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.LARGE)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.content)
        for name, field in (
            ("Summary", self.summary),
            ("Type", self.type),
            ("Tags", self.tags),
            ("Entities", self.entities),
            ("Confidence", layout.row(self.confidence, self._confidence_shown)),
            ("Importance", self.importance),
            ("Collection", self.collection),
        ):
            form.addRow(_label(name), field)
        self._facts = layout.label("", "muted", wraps=True, selectable=True)
        form.addRow(self._facts)
        inner = layout.panel(form)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        self._form_page = scroll

    def _build_links(self) -> QWidget:
        self._links_view = QTableView()
        set_up_table(self._links_view, self.links, "Links of this memory", stretched=2)
        self._links_view.activated.connect(lambda index: self._follow(index.row()))
        self._no_links = EmptyState("link", "No links", "Nothing is linked to this memory yet.")
        self._links_stack = QStackedWidget()
        self._links_stack.addWidget(self._no_links)
        self._links_stack.addWidget(self._links_view)
        return self._links_stack

    def _build_versions(self) -> QWidget:
        self._versions_view = QTableView()
        set_up_table(self._versions_view, self.versions, "Versions of this memory", stretched=4)
        self._versions_view.selectionModel().currentRowChanged.connect(lambda now, _: self._show_diff(now.row()))
        self._diff = DiffText("What changed in this version")
        self._back = layout.button("Back to this version", self._restore_version, icon="restore")
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self._versions_view)
        below = layout.column(self._diff, layout.row(1, self._back), margins=theme.MEDIUM, space=theme.SMALL)
        split.addWidget(layout.panel(below))
        split.setSizes([200, 260])
        return split

    def _build_recalls(self) -> QWidget:
        self._recalls_view = QTableView()
        set_up_table(self._recalls_view, self.recalls, "Recalls that returned this memory", stretched=2)
        self._never = EmptyState("unused", "No recorded recall", "Recalls that return this memory are listed here.")
        self._recalls_stack = QStackedWidget()
        self._recalls_stack.addWidget(self._never)
        self._recalls_stack.addWidget(self._recalls_view)
        return self._recalls_stack

    def _build_save_bar(self) -> None:
        self.save = layout.button("Save", self._viewmodel.save, kind="primary", about="Save these edits (Ctrl+S)")
        self.revert = layout.button("Revert", self._viewmodel.revert, about="Discard these edits")
        self._save_bar = QFrame()
        self._save_bar.setObjectName("panel")
        bar = layout.row(layout.label("Unsaved changes", "muted"), 1, self.revert, self.save,
                         margins=(theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL))  # fmt: skip
        self._save_bar.setLayout(layout.column(layout.line(), bar, space=0))
        self._save_bar.hide()

    # showing

    def _show(self, portrait: MemoryOverview) -> None:
        memory = portrait.memory
        is_another, self._shown = memory.id != self._shown, memory.id
        self._is_filling = True
        self._title.setText(f"{memory.type.capitalize()} {memory.id}")
        self._about.setText(memory.uid)
        self._show_badges(portrait)
        if self.content.toPlainText() != memory.content:
            self.content.setPlainText(memory.content)
        for line, text in ((self.summary, memory.summary), (self.collection, memory.collection)):
            if is_another or line.text() != text:  # else it keeps its cursor and its undo history
                line.setText(text)
        self.type.setCurrentText(memory.type)
        self.importance.setCurrentText(memory.importance.value)
        self.confidence.setValue(round(memory.confidence * STEPS))
        self._confidence_shown.setText(f"{memory.confidence:.2f}")
        self.tags.set_items(memory.tags)
        self.entities.set_items(memory.entities)
        self.pin.setChecked(memory.pinned)
        self.pin.setText("Pinned" if memory.pinned else "Pin")
        self._facts.setText(_facts(portrait))
        self.links.show_rows(portrait.neighbours)
        self._links_stack.setCurrentIndex(1 if portrait.neighbours else 0)
        self.recalls.show_rows(portrait.recalls)
        self._recalls_stack.setCurrentIndex(1 if portrait.recalls else 0)
        self.context.show_context(memory.context, is_editable=self._viewmodel.is_editable)
        self.tabs.setTabText(1, f"Links {len(portrait.neighbours)}" if portrait.neighbours else "Links")
        for widget in (self.summary, self.type, self.importance, self.confidence, self.tags, self.entities,
                       self.collection, self.pin, self._back):  # fmt: skip
            widget.setEnabled(self._viewmodel.is_editable)
        self.content.setReadOnly(not self._viewmodel.is_editable)
        self.setCurrentIndex(1)
        self._is_filling = False

    def _clear(self) -> None:
        self._show_nothing(*NO_MEMORY)
        for model in (self.links, self.versions, self.recalls):
            model.show_rows(())

    def _show_nothing(self, title: str, sentence: str) -> None:
        self._nothing.say(title, sentence)
        self.setCurrentIndex(0)

    def _show_badges(self, portrait: MemoryOverview) -> None:
        layout.clear(self._badges)
        kinds = {"contradiction": "badge-danger", "unsure": "badge-warning", "stale": "badge-warning"}
        status = portrait.memory.status.value
        self._badges.addWidget(layout.label(status, "badge-good" if status == "active" else "badge"))
        for mark in portrait.marks:
            self._badges.addWidget(layout.label(mark, kinds.get(mark, "badge")))
        self._badges.addStretch(1)

    def _show_revisions(self, revisions: list[Revision]) -> None:
        newest_first = list(reversed(revisions))
        self.versions.show_rows(newest_first)
        self.tabs.setTabText(2, f"Versions {len(newest_first)}")
        if newest_first:
            go_to_row(self._versions_view, 0)

    def _show_diff(self, row: int) -> None:
        revision = self.versions.row(row)
        self._diff.show_diff(revision.summary if revision is not None else ())
        is_newest = row <= 0
        self._back.setEnabled(
            revision is not None and revision.memory is not None and not is_newest and self._viewmodel.is_editable
        )

    # doing

    def _edited(self, field: str, value: object) -> None:
        if not self._is_filling:
            self._viewmodel.edit(field, value)

    def _on_confidence(self, steps: int) -> None:
        if not self._is_filling:
            self._confidence_shown.setText(f"{steps / STEPS:.2f}")
            self._viewmodel.edit("confidence", steps / STEPS)

    def _restore_version(self) -> None:
        revision = self.versions.row(self._versions_view.currentIndex().row())
        if revision is not None and revision.memory is not None:
            self._viewmodel.restore_version(revision.memory.version)

    def _follow(self, row: int) -> None:
        neighbour = self.links.row(row)
        if neighbour is not None:
            self.memory_wanted.emit(MemoryId(neighbour.other.id))

    def _on_refused(self, sentence: str) -> None:
        self._save_bar.setToolTip(sentence)


def _facts(portrait: MemoryOverview) -> str:
    memory = portrait.memory
    lines = [
        f"Created {absolute(memory.created_at)}",
        f"Updated {absolute(memory.updated_at)}",
        f"Used {_times(memory.access_count)}, returned {_times(memory.return_count)}",
        f"Strength {memory.strength:.2f} · version {memory.version}",
    ]
    named = (("source", memory.source), ("agent", memory.agent), ("user", memory.user), ("session", memory.session))
    who = " · ".join(f"{name} {value}" for name, value in named if value)
    if who:
        lines.append(who[0].upper() + who[1:])
    if memory.files:
        lines.append("Files: " + ", ".join(memory.files))
    if portrait.is_truncated:
        lines.append("Longer than the model reads: only its beginning is embedded.")
    return "\n".join(lines)


def _label(name: str) -> QWidget:
    """Return the label of a field, with a `?` where the glossary explains it."""
    label = layout.label(name, "muted")
    if name not in EXPLAINED:
        return label
    both = QWidget()
    both.setLayout(layout.row(label, HelpButton(name.lower(), EXPLAINED[name]), 1, space=theme.TIGHT))
    return both


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count:,} times")
