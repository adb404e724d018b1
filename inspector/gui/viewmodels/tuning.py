"""The viewmodel of tuning: which parameter values rank a golden set best, and saving them as a profile."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from core.changes import Changes
from core.errors import UserError
from core.pipeline.parameters import Parameter
from core.progress import Progress
from core.services import evaluate, profiles, query
from core.services.evaluate import DEFAULT_METRICS as DEFAULT_METRICS
from core.services.evaluate import Tuning as Tuning
from core.services.workspace import Workspace
from inspector.gui.tasks import Task
from inspector.gui.viewmodels.evaluation import MAIN_METRIC, EvaluationViewModel
from inspector.gui.viewmodels.open_store import PERSON, OpenStore
from inspector.gui.viewmodels.profiles import Profiles

MAX_SHOWN = 200


class TuningViewModel(QObject):
    """A search for parameters. `space` are the values to try for each parameter; `found` carries the result."""

    space_changed = Signal(object)
    running_changed = Signal(bool)
    found = Signal(object)
    saved = Signal(str)
    refused = Signal(str)

    def __init__(
        self, store: OpenStore, profiles: Profiles, evaluation: EvaluationViewModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store, self._profiles, self._evaluation = store, profiles, evaluation
        self._task: Task | None = None
        self.base = profiles.published[0].name
        self.space: dict[str, list[Any]] = {}
        self.metric = MAIN_METRIC
        self.tries: int | None = None
        self.held_out = 0.3
        self.tuned: tuple[str, Tuning] | None = None
        store.opened.connect(self._on_opened)
        store.closed.connect(self._on_opened)
        store.work_ended.connect(self._on_ended)

    @property
    def is_running(self) -> bool:
        return self._task is not None

    @property
    def can_save(self) -> bool:
        return self._store.is_writable and self.tuned is not None

    def profiles(self) -> list[str]:
        """Return the profiles that can be tuned: a saved profile is a published one with other parameters."""
        return [each.name for each in self._profiles.published]

    def parameters(self) -> list[Parameter]:
        return profiles.parameters(self._profiles.named(self.base))

    def set_base(self, name: str) -> None:
        if name != self.base:
            self.base = name
            self.space = {}
            self.space_changed.emit(self.space)

    def vary(self, path: str, written: str) -> None:
        """Add values to try, separated by commas; each is checked before anything runs."""
        values = evaluate.parse_values(written)
        base = self.base
        if not values:
            self.refused.emit("Enter the values to try, separated by commas.")
            return

        def check(workspace: Workspace) -> list[Any]:
            for value in values:
                query.profile_for(workspace, query.Question(text="-", profile=base, parameters={path: value}))
            return values

        def keep(checked: list[Any]) -> None:
            if base == self.base:
                self.space = {**self.space, path: checked}
                self.space_changed.emit(self.space)

        self._store.read(check, keep, failed=self._on_refused)

    def remove(self, path: str) -> None:
        """Remove a parameter from the search."""
        self.space = {name: values for name, values in self.space.items() if name != path}
        self.space_changed.emit(self.space)

    def run(self) -> None:
        golden_set, base, space, metric = self._evaluation.golden_set, self.base, dict(self.space), self.metric
        tries, held_out = self.tries, self.held_out
        if self.is_running:
            return

        def work(workspace: Workspace, progress: Progress) -> Tuning:
            queries = evaluate.golden(workspace, golden_set)
            return evaluate.tune_profile(
                workspace, queries, base, space, metric=metric, held_out=held_out, tries=tries, progress=progress
            )

        def keep(tuning: Tuning) -> None:
            self.tuned = (base, tuning)
            self.found.emit(tuning)

        self._task = self._store.long(f"Tuning {base}", work, keep, failed=self._on_refused)
        self.running_changed.emit(self.is_running)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def save(self, name: str) -> None:
        """Save the best values as a profile of this store."""
        if self.tuned is None:
            return
        base, tuning = self.tuned

        def work(workspace: Workspace) -> tuple[str, Changes]:
            profile, changes = profiles.save(workspace, name, base, tuning.best.values, actor=PERSON)
            return profile.name, changes

        def report(kept: str) -> None:
            self._store.message.emit(f"Saved as the profile {kept}. Ctrl+Z undoes it.")
            self.saved.emit(kept)

        self._store.write(work, report, failed=self._on_refused)

    # inside

    def _on_refused(self, error: UserError) -> None:
        self.refused.emit(str(error))

    def _on_opened(self) -> None:
        self._task, self.tuned = None, None
        self.found.emit(None)
        self.running_changed.emit(False)

    def _on_ended(self, task: Task) -> None:
        if task is self._task:
            self._task = None
            self.running_changed.emit(False)
