"""The open store: opening, closing, its status, and the reads and writes of all viewmodels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from core import folders, formatting
from core.changes import PERSON as PERSON
from core.changes import Changes
from core.clock import Clock
from core.errors import CannotOpen, Fault, UserError
from core.progress import Progress
from core.services import activity, curate, exchange, health, models, remember
from core.services.embeddings import EmbeddingState, EmbeddingStatus
from core.services.exchange import ImportPlan as ImportPlan
from core.services.health import Backup as Backup
from core.services.workspace import Workspace
from inspector import sample
from inspector.gui.ops import OperationQueue
from inspector.gui.tasks import Task, Tasks
from inspector.gui.watch import StoreWatcher

T = TypeVar("T")
STATUS_EVERY_MS = 1_000


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What the status bar shows."""

    path: Path
    memories: int
    model: str
    model_state: str
    model_sentence: str
    is_settled: bool
    read_only_because: str
    missing_model_bytes: int  # bytes to download before the model can be loaded; 0 when it is installed


@dataclass(frozen=True, slots=True)
class Refusal:
    """A store that could not be opened: why, and the backups of it."""

    path: Path
    fault: Fault | None
    sentence: str
    backups: tuple[Backup, ...]


class OpenStore(QObject):
    """The one open store, if any. `writing` is emitted when this window begins to change it; `changed` carries what was
    changed, or None when another process did."""

    opening = Signal(object)
    opened = Signal()
    closed = Signal()
    refused = Signal(object)
    writing = Signal()
    changed = Signal(object)
    status_changed = Signal(object)
    failed = Signal(str)
    message = Signal(str)
    work_started = Signal(object)
    work_progressed = Signal(object, str, int, int)
    work_ended = Signal(object)

    def __init__(self, *, clock: Clock | None = None, with_model: bool = True, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._with_model = with_model
        self._workspace: Workspace | None = None
        self._watcher: StoreWatcher | None = None
        self._long_writes: list[Task] = []
        self._ops = self._new_ops()  # of the open store, or of the one being opened
        self._status_timer = QTimer(self)
        self._status_timer.setInterval(STATUS_EVERY_MS)
        self._status_timer.timeout.connect(self.ask_status)
        self.work_ended.connect(self._on_work_ended)

    # the store

    @property
    def is_open(self) -> bool:
        return self._workspace is not None

    @property
    def is_writable(self) -> bool:
        return self._workspace is not None and not self._workspace.store.read_only_because

    @property
    def path(self) -> Path | None:
        return None if self._workspace is None else self._workspace.store.location.path

    def open(self, path: Path) -> None:
        self._open(path, lambda _: Workspace.open(path, clock=self._clock))

    def open_read_only(self, path: Path) -> None:
        self._open(path, lambda _: Workspace.open(path, clock=self._clock, read_only=True))

    def create(self, path: Path) -> None:
        self._open(path, lambda _: Workspace.create(path, clock=self._clock))

    def open_sample(self) -> None:
        path = folders.sample_store()

        def make_and_open(progress: Progress) -> Workspace:
            sample.ensure(path, progress)
            return Workspace.open(path, clock=self._clock)

        self._open(path, make_and_open)

    def restore_backup(self, path: Path, source: Path) -> None:
        """Put a backup in the place of a store that cannot be opened, which is kept, and open it."""

        def restore_and_open(_: Progress) -> Workspace:
            health.restore(path, source)
            return Workspace.open(path, clock=self._clock)

        self._open(path, restore_and_open)

    def close(self, *, wait: bool = False) -> None:
        """Close the store after the writes that were asked for; long work is stopped with a message."""
        workspace, self._workspace = self._workspace, None
        self._long_writes.clear()
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        self._status_timer.stop()
        stopped = self._ops.finish(workspace.close if workspace is not None else lambda: None, wait=wait)
        self._ops = self._new_ops()
        for task in stopped:
            self.work_ended.emit(task)
        if workspace is None:
            return
        self.closed.emit()
        if stopped:
            self.failed.emit(f"{', '.join(task.what for task in stopped)} was stopped.")

    def end(self) -> None:
        """Finish writes and stop long work when the window closes."""
        self.close(wait=True)
        self._ops.finish(lambda: None, wait=True)

    # reads and writes of other viewmodels

    def read(
        self,
        work: Callable[[Workspace], T],
        then: Callable[[T], None],
        *,
        failed: Callable[[UserError], None] | None = None,
        wanted: Callable[[], bool] | None = None,
    ) -> None:
        """Run a read in the background; it is given up when its result is no longer wanted."""
        workspace = self._workspace
        if workspace is None:
            return

        ops = self._ops

        def is_wanted() -> bool:
            return ops.is_open and (wanted is None or wanted())

        def look() -> T:
            with workspace.store.stoppable(is_wanted):
                return work(workspace)

        ops.read(look, then, failed=failed, wanted=wanted)

    def write(
        self,
        work: Callable[[Workspace], tuple[T, Changes]],
        then: Callable[[T], None] | None = None,
        *,
        failed: Callable[[UserError], None] | None = None,
    ) -> None:
        workspace = self._workspace
        if workspace is not None:
            self.writing.emit()
            self._ops.write(lambda: work(workspace), then, failed=failed)

    def long(
        self,
        what: str,
        work: Callable[[Workspace, Progress], T],
        then: Callable[[T], None],
        *,
        failed: Callable[[UserError], None] | None = None,
    ) -> Task | None:
        workspace = self._workspace
        if workspace is None:
            return None

        def carry_out(task: Task) -> T:
            with workspace.store.stoppable(lambda: not task.is_cancelled):
                return work(workspace, task.progress)

        return self._ops.long(what, carry_out, then, failed=failed)

    def long_write(
        self, what: str, work: Callable[[Workspace, Progress], tuple[T, Changes | None]], then: Callable[[T], None]
    ) -> Task | None:
        """Run a change that may take long, with progress; when it is stopped, nothing is changed."""

        def land(result: tuple[T, Changes | None]) -> None:
            made, changes = result
            then(made)
            self._on_changed(changes)

        self.writing.emit()
        task = self.long(what, work, land)
        if task is not None:
            self._long_writes.append(task)
        return task

    # actions on the whole store

    def undo(self) -> None:
        """Undo the last operation; during a long write, show a message and do nothing."""
        self._undo(lambda ws: curate.undo_last(ws, actor=PERSON), "Undid")

    def redo(self) -> None:
        self._undo(lambda ws: curate.redo(ws, actor=PERSON), "Redid")

    def remember(self, content: str, type: str) -> None:
        def work(workspace: Workspace) -> tuple[remember.RememberResult, Changes]:
            kept = remember.remember(workspace, {"content": content, "type": type}, actor=PERSON)
            return kept, kept.changes

        def report(kept: remember.RememberResult) -> None:
            known = "Known already" if kept.duplicate is not None else "Added"
            self.message.emit(f"{known}: #{kept.memory.id}.")

        self.write(work, report)

    def plan_import(self, path: Path, then: Callable[[ImportPlan], None]) -> None:
        """Return what an import would do. Read-only."""
        self.long(f"Reading {path.name}", lambda ws, _: exchange.plan(ws, path), then)

    def import_file(self, path: Path, *, skip_conflicts: bool = False) -> None:
        def work(workspace: Workspace, progress: Progress) -> tuple[exchange.ImportResult, Changes]:
            done = exchange.import_file(workspace, path, actor=PERSON, skip_conflicts=skip_conflicts, progress=progress)
            return done, done.changes

        def report(imported: exchange.ImportResult) -> None:
            came = f"{formatting.memories(imported.memories)} and {formatting.counted(imported.links, 'link')}"
            self.message.emit(f"Imported {came} from {path.name}.")

        self.long_write(f"Importing {path.name}", work, report)

    def export_file(self, path: Path) -> None:
        self.long(
            f"Exporting to {path.name}",
            lambda ws, _: exchange.export(ws, path),
            lambda count: self.message.emit(f"Wrote {formatting.memories(count)} to {path}."),
        )

    def ask_status(self) -> None:
        self.read(_status, self._on_status)

    # inside

    def _undo(self, work: Callable[[Workspace], curate.UndoResult], word: str) -> None:
        """Undo the operation that is last when its turn comes; refused during a long write, which it would undo."""
        if self._long_writes:
            self.failed.emit(f"{self._long_writes[0].what} is under way: wait until it is done, or stop it.")
            return

        def carry_out(workspace: Workspace) -> tuple[str, Changes]:
            undone = work(workspace)
            return ", ".join(activity.describe(workspace, entry) for entry in undone.entries), undone.changes

        self.write(carry_out, lambda what: self.message.emit(f"{word} {what}."))

    def _on_work_ended(self, task: Task) -> None:
        if task in self._long_writes:
            self._long_writes.remove(task)

    def _open(self, path: Path, work: Callable[[Progress], Workspace]) -> None:
        self.close()
        self.opening.emit(path)
        self._ops.long(
            f"Opening {path.name}",
            lambda task: work(task.progress),
            self._on_opened,
            failed=lambda error: self._on_refused(path, error),
        )

    def _on_opened(self, workspace: Workspace) -> None:
        self._workspace = workspace
        if self._with_model and self.is_writable:
            workspace.embeddings.start()
        elif self._with_model:  # nothing can be embedded, but existing vectors can be searched
            self._ops.read(workspace.embeddings.load, lambda _: self.ask_status(), failed=lambda _: self.ask_status())
        self._watcher = StoreWatcher(self._ops, workspace.other_commits, self)
        self._watcher.changed.connect(self._on_foreign_change)
        self._watcher.lost.connect(self.lose)
        self._watcher.start()
        self.opened.emit()
        self.ask_status()
        self._status_timer.start()

    def _on_refused(self, path: Path, error: UserError) -> None:
        fault = error.fault if isinstance(error, CannotOpen) else None
        try:
            backups = tuple(health.backups_of(path))
        except (OSError, UserError):
            backups = ()
        self.refused.emit(Refusal(path, fault, str(error), backups))

    def lose(self, error: UserError) -> None:
        """Close a store that cannot be read any more, and show why."""
        path = self.path
        self.close()
        if path is not None:
            self._on_refused(path, error)

    def _on_foreign_change(self) -> None:
        self._on_changed(None)

    def _on_changed(self, changes: Changes | None) -> None:
        self.changed.emit(changes)
        self.ask_status()
        self._status_timer.start()

    def _on_status(self, status: StoreStatus) -> None:
        if status.is_settled:
            self._status_timer.stop()
        self.status_changed.emit(status)

    def _new_ops(self) -> OperationQueue:
        tasks = Tasks(self)
        ops = OperationQueue(tasks, self)
        ops.changed.connect(self._on_changed)
        ops.failed.connect(self.failed)
        ops.started.connect(self.work_started)
        ops.progressed.connect(self.work_progressed)
        ops.ended.connect(self.work_ended)
        return ops


def _status(workspace: Workspace) -> StoreStatus:
    status = workspace.embeddings.status()
    with workspace.store.read() as reader:
        memories = reader.count()
    return StoreStatus(
        path=workspace.store.location.path,
        memories=memories,
        model=status.model,
        model_state=str(status.state),
        model_sentence=status.sentence,
        is_settled=status.state is not EmbeddingState.LOADING
        and not (status.state is EmbeddingState.READY and status.waiting),
        read_only_because=workspace.store.read_only_because,
        missing_model_bytes=_missing_bytes(status),
    )


def _missing_bytes(status: EmbeddingStatus) -> int:
    if status.state is not EmbeddingState.UNAVAILABLE:
        return 0
    offer = models.choice(status.model)
    return 0 if offer.is_here else offer.model.size
