"""One recorded call: its query, funnel, results and near misses, and its replay."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QScrollArea, QStackedWidget, QTableView, QTabWidget, QWidget

from core import formatting
from core.pipeline.run_report import number
from inspector.gui import theme
from inspector.gui.models.plain_table import PlainTable, TableColumn
from inspector.gui.models.plain_text import absolute, excerpt, gist, moved
from inspector.gui.viewmodels.calls import CallsViewModel, DetailedCall, ReceivedMemory, ReplayComparison, ReplayRank
from inspector.gui.viewmodels.model import by_menu
from inspector.gui.views.touched_panel import TouchedPanel
from inspector.gui.widgets import layout
from inspector.gui.widgets.empty import EmptyState
from inspector.gui.widgets.funnel import Funnel
from inspector.gui.widgets.tables import set_up_table


def _gist(got: ReceivedMemory) -> str:
    memory = got.memory
    return f"Memory {got.id}, no longer in the store" if memory is None else gist(memory)


def _whole(got: ReceivedMemory) -> str:
    return _gist(got) if got.memory is None else excerpt(got.memory)


def _score(got: ReceivedMemory) -> str:
    return "" if got.score is None else number(got.score)


RETURNED = (
    TableColumn[ReceivedMemory]("#", lambda each: str(each.place), is_number=True, width=40),
    TableColumn[ReceivedMemory]("Memory", _gist, tip=_whole),
    TableColumn[ReceivedMemory]("Score", _score, is_number=True, width=84),
)
NEAR = (
    TableColumn[ReceivedMemory]("Memory", _gist, tip=_whole),
    TableColumn[ReceivedMemory]("Score", _score, is_number=True, width=76),
    TableColumn[ReceivedMemory]("Why", lambda each: each.why or each.kind.replace("_", " "), width=190),
)
PLACED = (
    TableColumn[ReplayRank]("Recorded", lambda each: str(each.recorded or "–"), is_number=True, width=80,
                tip=lambda _: "Rank in the recorded answer"),
    TableColumn[ReplayRank]("Then", lambda each: str(each.then or "–"), is_number=True, width=60,
                tip=lambda _: "Rank when replayed on the store as it was"),
    TableColumn[ReplayRank]("Now", lambda each: str(each.now or "–"), is_number=True, width=60,
                tip=lambda _: "Rank when replayed now"),
    TableColumn[ReplayRank]("Change", lambda each: moved(each.then, each.now, each.move), is_number=True, width=76),
    TableColumn[ReplayRank]("Memory", lambda each: gist(each.memory),
                tip=lambda each: excerpt(each.memory)),
)  # fmt: skip
HINT = "Runs the same query on the store as it was at that moment and on the store as it is now. Read-only."


class CallDetail(QStackedWidget):
    memory_wanted = Signal(object)

    def __init__(self, viewmodel: CallsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._viewmodel = viewmodel
        self._nothing = EmptyState("activity", "Select a call", "Its query, results and trace are shown here.")
        self._build_head()
        self._build_pages()
        margins = (theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
        head = layout.column(
            layout.row(self.title, self.outcome, 1, self.replay), self.about, self.complaint, self.question,
            self.settings, self.notes, space=theme.SMALL, margins=margins,
        )  # fmt: skip
        self.addWidget(layout.panel(layout.column(self._nothing)))
        self.wrote = TouchedPanel()
        self.wrote.memory_wanted.connect(self.memory_wanted)
        self.wrote.change_wanted.connect(viewmodel.show_change)
        viewmodel.change_shown.connect(self.wrote.show_change)
        self.did_nothing = EmptyState("activity", "It changed nothing", "")
        self.below = QStackedWidget()
        for page in (self.tabs, self.wrote, self.did_nothing):
            self.below.addWidget(page)
        whole = layout.column(head, self.below, space=0)
        whole.setStretch(1, 1)
        self.addWidget(layout.panel(whole))
        viewmodel.opened.connect(self._show)
        viewmodel.replaying.connect(self._on_replaying)
        viewmodel.replayed.connect(self._on_replayed)
        viewmodel.refused.connect(self._on_refused)

    def start_replay(self) -> None:
        if self.currentIndex() == 1 and self.replay.isEnabled():
            self._viewmodel.replay()

    # building

    def _build_head(self) -> None:
        self.title = layout.label("", "heading")
        self.outcome = layout.label("", "badge")
        self.replay = layout.button("Replay", self.start_replay, icon="refresh", about=f"{HINT} (R)")
        self.about = layout.label("", "muted", wraps=True)
        self.complaint = layout.label("", "badge-danger", wraps=True)
        self.question = QPlainTextEdit()
        self.question.setReadOnly(True)
        self.question.setAccessibleName("Question of the call")
        self.question.setProperty("kind", "reading")
        self.question.setFixedHeight(62)
        self.question.setTabChangesFocus(True)
        self.settings = layout.label("", "muted", wraps=True, selectable=True)
        self.notes = layout.label("", "muted", wraps=True)

    def _build_pages(self) -> None:
        self.returned, self.near = PlainTable(RETURNED, self), PlainTable(NEAR, self)
        self.placed = PlainTable(PLACED, self)
        self.returned_table, self.near_table, self.placed_table = QTableView(), QTableView(), QTableView()
        set_up_table(self.returned_table, self.returned, "What the call returned", stretched=1)
        set_up_table(self.near_table, self.near, "Near misses, with the reason", stretched=0)
        set_up_table(self.placed_table, self.placed, "Ranks then and now", stretched=4)
        self.returned_table.activated.connect(lambda index: self._want_got(self.returned.row(index.row())))
        self.near_table.activated.connect(lambda index: self._want_got(self.near.row(index.row())))
        self.placed_table.activated.connect(lambda index: self._want_placed(self.placed.row(index.row())))
        self.funnel = Funnel()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(layout.panel(layout.column(self.funnel, 1)))
        scroll.setAccessibleName("Funnel")
        self.note = layout.label("", "muted", wraps=True)
        self.note.setContentsMargins(theme.LARGE, theme.MEDIUM, theme.LARGE, theme.SMALL)
        self._no_replay = EmptyState("refresh", "Not replayed yet", HINT)
        self._replay_stack = QStackedWidget()
        self._replay_stack.addWidget(self._no_replay)
        self._replay_stack.addWidget(layout.panel(layout.column(self.note, self.placed_table, space=0)))
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Parts of the call")
        for page, name in ((self.returned_table, "Returned"), (self.near_table, "Near misses"),
                           (scroll, "Funnel"), (self._replay_stack, "Replay")):  # fmt: skip
            self.tabs.addTab(page, name)

    # showing

    def _show(self, opened: DetailedCall | None) -> None:
        self.setCurrentIndex(0 if opened is None else 1)
        if opened is None:
            for model in (self.returned, self.near, self.placed):
                model.show_rows(())
            self.wrote.clear()
            return
        call = opened.call
        self.title.setText(call.tool)
        self.outcome.setText(call.outcome.value)
        layout.set_kind(self.outcome, "badge-good" if call.outcome == "answered" else "badge-danger")
        about = [call.client, call.session and f"session {call.session}", absolute(call.at), call.mode]
        self.about.setText("  ·  ".join(filter(None, about)))
        self._put(self.complaint, call.complaint)
        self.question.setPlainText(opened.text)
        self.question.setVisible(bool(opened.text))
        wrote = "" if call.operation is None else f"wrote operation {call.operation} of the journal"
        self._put(self.settings, "  ·  ".join(f"{name} {value}" for name, value in opened.settings) or wrote)
        self._put(self.notes, by_menu(" ".join(opened.notes)))
        self.returned.show_rows(opened.returned)
        self.near.show_rows(opened.near)
        self.funnel.show_steps(opened.funnel)
        self.tabs.setTabText(0, f"Returned ({len(opened.returned)})")
        self.tabs.setTabText(1, f"Near misses ({len(opened.near)})")
        self._show_effect(opened)
        self.replay.setVisible(call.question is not None)
        self.replay.setEnabled(True)
        self._replay_stack.setCurrentIndex(0)
        self._no_replay.say("Not replayed yet", HINT)

    def _show_effect(self, opened: DetailedCall) -> None:
        """Show below the head the answer of a recall, or what the call wrote, or why it wrote nothing."""
        call = opened.call
        if call.question is not None:
            self.below.setCurrentWidget(self.tabs)
        elif opened.wrote is not None:
            self.below.setCurrentWidget(self.wrote)
            self.wrote.show_touched(opened.wrote)
        else:
            self.below.setCurrentWidget(self.did_nothing)
            if call.outcome == "answered":
                self.did_nothing.say("It changed nothing", "It only read, or its text was known already.")
            else:
                title = f"It was {call.outcome} and changed nothing"
                self.did_nothing.say(title, "The error message is shown above.")

    def _put(self, label: QLabel, words: str) -> None:
        label.setText(words)
        label.setVisible(bool(words))

    def _on_replaying(self) -> None:
        self.replay.setEnabled(False)
        self.tabs.setCurrentWidget(self._replay_stack)
        self._replay_stack.setCurrentIndex(0)
        self._no_replay.say("Replaying…", "The query runs on the store as it was, then on the store as it is.")

    def _on_replayed(self, replayed: ReplayComparison) -> None:
        self.replay.setEnabled(True)
        self.placed.show_rows(replayed.ranks)
        moved = f"{replayed.changed} moved" if replayed.changed else "same order"
        then, now = formatting.counted(replayed.then, "result"), replayed.now
        both = f"{then} then and now" if replayed.then == now else f"{then} then, {now} now"
        self.note.setText(f"{both}; {moved}.")
        self._replay_stack.setCurrentIndex(1)

    def _on_refused(self, sentence: str) -> None:
        self.replay.setEnabled(True)
        self._no_replay.say("It was not replayed", sentence)
        self._replay_stack.setCurrentIndex(0)

    def _want_got(self, got: ReceivedMemory | None) -> None:
        if got is not None and got.memory is not None:
            self.memory_wanted.emit(got.id)

    def _want_placed(self, placed: ReplayRank | None) -> None:
        if placed is not None:
            self.memory_wanted.emit(placed.memory.id)
