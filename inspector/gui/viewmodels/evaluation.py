"""The viewmodel of Evaluation: a golden set, the measured profiles, and the answers that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core import formatting
from core.changes import Changes, Op
from core.errors import UserError
from core.model import MemoryId
from core.progress import Progress
from core.services import comparison, evaluate, query
from core.services.comparison import DEFAULT_METRICS as DEFAULT_METRICS
from core.services.comparison import ComparisonLine as ComparisonLine
from core.services.comparison import ComparisonSide as ComparisonSide
from core.services.comparison import Difference as Difference
from core.services.comparison import Measurement as Measurement
from core.services.comparison import RankInAnswer as RankInAnswer
from core.services.workspace import Workspace
from inspector import sample
from inspector.gui.ops import Tickets
from inspector.gui.tasks import Task
from inspector.gui.viewmodels.open_store import PERSON, OpenStore
from inspector.gui.viewmodels.profiles import Profiles

MAIN_METRIC = "ndcg@10"
MIN_PROFILES = 2  # profiles, to compare


@dataclass(frozen=True, slots=True)
class Report:
    """A measurement by one metric, as it is shown."""

    measured: Measurement
    metric: str
    lines: tuple[ComparisonLine, ...]
    by_category: tuple[ComparisonLine, ...]


class EvaluationViewModel(QObject):
    """Measurements of profiles. Nothing is read until the view is shown, and nothing is measured until `run`."""

    sets_changed = Signal(object)
    profiles_changed = Signal()
    running_changed = Signal(bool)
    reported = Signal(object)
    listed = Signal(object)
    sides_shown = Signal(object)
    explained = Signal(object)
    refused = Signal(str)

    def __init__(self, store: OpenStore, profiles: Profiles, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._profiles = store, profiles
        self._sets, self._lists, self._sides, self._explains = Tickets(), Tickets(), Tickets(), Tickets()
        self._task: Task | None = None
        self._shown_sides: tuple[ComparisonSide, ...] = ()
        self._is_looked_at = False
        self.sets: dict[str, tuple[int, int]] = {}
        self.offers_sample = False
        self.golden_set = ""
        self.selected: tuple[str, ...] = tuple(each.name for each in profiles.published[:MIN_PROFILES])
        self.metric = MAIN_METRIC
        self.measured: Measurement | None = None
        self.is_outdated = False
        store.opened.connect(self._on_opened)
        store.closed.connect(self._on_opened)
        store.changed.connect(self._on_changed)
        store.work_ended.connect(self._on_ended)
        profiles.changed.connect(self._on_profiles)

    @property
    def is_running(self) -> bool:
        return self._task is not None

    @property
    def can_write(self) -> bool:
        return self._store.is_writable

    def profiles(self) -> list[tuple[str, str]]:
        return [(each.name, each.about) for each in self._profiles.every]

    def look(self) -> None:
        if not self._is_looked_at and self._store.is_open:
            self._is_looked_at = True
            self._load_sets()

    # measuring

    def select_set(self, name: str) -> None:
        if name in self.sets:
            self.golden_set = name
            self.sets_changed.emit(self.sets)

    def select_profiles(self, names: Sequence[str]) -> None:
        self.selected = tuple(each.name for each in self._profiles.every if each.name in names)

    def set_metric(self, metric: str) -> None:
        """Compare the measured profiles by another metric."""
        self.metric = metric
        measured = self.measured
        if measured is not None:
            self._store.long(
                f"Comparing by {metric}", lambda _, progress: _report(measured, metric, progress), self._show
            )

    def run(self) -> None:
        """Run every query of the set with every selected profile; shows its progress, can be stopped."""
        golden_set, selected, metric = self.golden_set, self.selected, self.metric
        if self.is_running:
            return
        if len(selected) < MIN_PROFILES:
            self.refused.emit("Select two or more profiles; the others are compared with the first.")
            return

        def work(workspace: Workspace, progress: Progress) -> Report:
            return _report(comparison.measure(workspace, golden_set, selected, progress), metric, progress)

        self._task = self._store.long(f"Evaluating {golden_set}", work, self._on_measured, failed=self._on_refused)
        self.running_changed.emit(self.is_running)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    # comparing two profiles

    def compare(self, before: str, after: str) -> None:
        """List every query by how much worse the second profile answers it than the first."""
        measured, metric = self.measured, self.metric
        if measured is not None and {before, after} <= {run.name for run in measured.runs}:
            self._store.read(
                lambda _: comparison.differences(measured, before, after, metric), self.listed.emit,
                wanted=self._lists.take(),
            )  # fmt: skip

    def show_query(self, difference: Difference, before: str, after: str) -> None:
        """Run a query with both profiles and show both answers."""
        self._store.read(
            lambda ws: tuple(comparison.side(ws, name, difference.before.query) for name in (before, after)),
            self._on_sides, failed=self._on_refused, wanted=self._sides.take(),
        )  # fmt: skip

    def explain(self, id: MemoryId) -> None:
        """Show the explanation of a memory on both sides."""
        sides = self._shown_sides
        self._store.read(
            lambda ws: tuple(query.explain(ws, side.question, str(id)) for side in sides),
            self.explained.emit, failed=self._on_refused, wanted=self._explains.take(),
        )  # fmt: skip

    # golden sets from files and to them

    def import_file(self, path: Path) -> None:
        """Import the judgements of a file into a set of the file's name."""
        self._import(path, path.stem)

    def import_sample(self) -> None:
        self._import(sample.judged_queries(), sample.GOLDEN_SET)

    def export_file(self, path: Path) -> None:
        golden_set = self.golden_set
        self._store.long(
            f"Writing {path.name}",
            lambda ws, _: evaluate.export_judgements(ws, golden_set, path),
            lambda count: self._store.message.emit(f"Wrote {formatting.counted(count, 'judgement')} to {path}."),
        )

    def _import(self, path: Path, golden_set: str) -> None:
        def work(workspace: Workspace, _: Progress) -> tuple[int, Changes | None]:
            return evaluate.import_judgements(workspace, path, golden_set, judge=PERSON), None

        def report(count: int) -> None:
            self.golden_set = golden_set
            self._store.message.emit(f"Imported {formatting.counted(count, 'judgement')} into {golden_set}.")

        self._store.long_write(f"Reading {path.name}", work, report)

    # inside

    def _load_sets(self) -> None:
        def look(workspace: Workspace) -> tuple[dict[str, tuple[int, int]], bool]:
            sets = evaluate.golden_sets(workspace)
            return sets, not sets and evaluate.has_all_judged(workspace, sample.judged_queries())

        self._store.read(look, self._on_sets, wanted=self._sets.take())

    def _on_sets(self, found: tuple[dict[str, tuple[int, int]], bool]) -> None:
        self.sets, self.offers_sample = found
        if self.golden_set not in self.sets:
            self.golden_set = next(iter(self.sets), "")
        self.sets_changed.emit(self.sets)

    def _on_measured(self, report: Report) -> None:
        self.measured, self.is_outdated = report.measured, False
        if report.metric == self.metric:
            self._show(report)
        else:  # another metric was selected meanwhile
            self.set_metric(self.metric)

    def _show(self, report: Report) -> None:
        if report.measured is self.measured and report.metric == self.metric:
            self.reported.emit(report)

    def _on_sides(self, sides: tuple[ComparisonSide, ...]) -> None:
        self._shown_sides = sides
        self.sides_shown.emit(sides)

    def _on_refused(self, error: UserError) -> None:
        self.refused.emit(str(error))

    def _on_opened(self) -> None:
        self._is_looked_at, self._task, self.measured = False, None, None
        self.sets, self.golden_set, self.is_outdated = {}, "", False
        self._shown_sides = ()
        self.sets_changed.emit(self.sets)
        self.running_changed.emit(False)

    def _on_changed(self, changes: Changes | None) -> None:
        if not self._is_looked_at:
            return
        if changes is None or changes.op is Op.JUDGE:
            self._load_sets()
        if self.measured is not None and not self.is_outdated:
            self.is_outdated = True
            self.running_changed.emit(self.is_running)

    def _on_profiles(self) -> None:
        self.select_profiles(self.selected)
        self.profiles_changed.emit()

    def _on_ended(self, task: Task) -> None:
        if task is self._task:
            self._task = None
            self.running_changed.emit(False)


def _report(measured: Measurement, metric: str, progress: Progress) -> Report:
    lines = tuple(comparison.table(measured, metric, progress))
    return Report(measured, metric, lines, tuple(comparison.by_category(measured)))
