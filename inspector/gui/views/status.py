"""The status bar: store, number of memories, model, server, running work and its Stop button."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtWidgets import QProgressBar, QStatusBar, QWidget

from core import formatting
from inspector.gui.models.plain_text import plain_tip
from inspector.gui.ops import once
from inspector.gui.tasks import Task
from inspector.gui.viewmodels.model import by_menu
from inspector.gui.viewmodels.open_store import OpenStore, StoreStatus
from inspector.gui.viewmodels.serving import ServerProcess, ServerState, ServingViewModel
from inspector.gui.widgets import layout
from inspector.gui.widgets.elided_label import ElidedLabel

SHOW_AFTER_MS = 500
MESSAGE_MS = 8_000


class StatusBar(QStatusBar):
    def __init__(self, store: OpenStore, serving: ServingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._task: Task | None = None
        self._sentence, self._tip, self._is_complaint = "", "", False
        self.message = ElidedLabel()
        self.store = layout.label("No store is open")
        self.memories = layout.label("")
        self.model = layout.label("")
        self.server = layout.label("")
        self._show_server(serving.server)
        self.read_only = layout.label("Read-only", "badge-warning")
        self._what = layout.label("")
        self.progress = QProgressBar()
        self.progress.setFixedWidth(140)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress")
        self.cancel = layout.quiet_button("close", "Stop", self._stop, size=12)
        self.addWidget(self.message, 1)
        for widget in (self._what, self.progress, self.cancel, self.read_only, self.store, self.memories, self.model,
                       self.server):  # fmt: skip
            self.addPermanentWidget(widget)
        self.setAccessibleName("Status")
        self._message_timer = once(self, MESSAGE_MS, self._on_read)
        self._show_timer = once(self, SHOW_AFTER_MS, self._show_work)
        self._hide_work()
        self.read_only.hide()
        store.message.connect(self.say)
        store.failed.connect(self.complain)
        store.status_changed.connect(self._show_status)
        store.closed.connect(self._show_closed)
        serving.changed.connect(self._show_server)
        store.work_started.connect(self._on_started)
        store.work_progressed.connect(self._on_progress)
        store.work_ended.connect(self._on_ended)

    def say(self, sentence: str) -> None:
        self._put(sentence, is_complaint=False)

    def complain(self, sentence: str) -> None:
        self._put(sentence, is_complaint=True)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the status tips of actions in the message, since Qt would paint them over the whole bar. Installed on
        the window."""
        if isinstance(event, QStatusTipEvent):
            self._tip = event.tip()
            self._show_message()
            return True
        return super().eventFilter(watched, event)

    def _put(self, sentence: str, *, is_complaint: bool) -> None:
        self._sentence, self._is_complaint = sentence, is_complaint
        self._message_timer.start()
        self._show_message()

    def _on_read(self) -> None:
        self._sentence, self._is_complaint = "", False
        self._show_message()

    def _show_message(self) -> None:
        """Show a message; it comes before the tip of an action, which its tool tip shows too."""
        shown = self._sentence or self._tip
        layout.set_kind(self.message, "badge-danger" if self._is_complaint and self._sentence else "")
        self.message.setText(shown)
        self.message.setToolTip(plain_tip(shown))

    def _show_status(self, status: StoreStatus) -> None:
        self.store.setText(status.path.name)
        self.store.setToolTip(plain_tip(str(status.path)))
        self.memories.setText(formatting.memories(status.memories))
        states = {
            "ready": "Model ready",
            "loading": "Model loading…",
            "unavailable": "Full text only",
            "off": "Model off",
        }
        self.model.setText(states.get(status.model_state, status.model_state))
        self.model.setToolTip(plain_tip(f"{status.model}: {by_menu(status.model_sentence)}"))
        self.read_only.setVisible(bool(status.read_only_because))
        self.read_only.setToolTip(plain_tip(status.read_only_because))

    def _show_closed(self) -> None:
        self.store.setText("No store is open")
        self.memories.clear()
        self.model.clear()
        self.read_only.hide()

    def _show_server(self, server: ServerProcess) -> None:
        words = {ServerState.OFF: "Server off", ServerState.STARTING: "Server starting…"}
        self.server.setText(words.get(server.state, f"Serving at {server.url}"))
        self.server.setToolTip("File, Serve Agents… starts and stops it, and shows how to connect an agent.")

    # long work

    def _on_started(self, task: Task) -> None:
        self._task = task
        self._what.setText(task.what)
        self.progress.setRange(0, 0)
        self._show_timer.start()

    def _on_progress(self, task: Task, what: str, done: int, total: int) -> None:
        if task is self._task:
            self.progress.setRange(0, total)
            self.progress.setValue(done)
            self._what.setText(f"{task.what}: {what}")

    def _on_ended(self, task: Task) -> None:
        if task is self._task:
            self._task = None
            self._show_timer.stop()
            self._hide_work()

    def _show_work(self) -> None:
        for widget in (self._what, self.progress, self.cancel):
            widget.show()

    def _hide_work(self) -> None:
        for widget in (self._what, self.progress, self.cancel):
            widget.hide()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._what.setText("Stopping…")
