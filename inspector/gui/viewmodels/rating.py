"""The viewmodel of ratings in the Query Lab. It writes judgements to a golden set, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from core.changes import Changes, Op
from core.errors import UserError
from core.model import Memory, Uid
from core.services import evaluate, ratings
from core.services.ratings import Judgement as Judgement
from core.services.ratings import RatingProgress as RatingProgress
from core.services.workspace import Workspace
from inspector.gui.ops import Tickets
from inspector.gui.viewmodels.open_store import PERSON, OpenStore
from inspector.gui.viewmodels.query_lab import LabAnswer, QueryLabViewModel


@dataclass(frozen=True, slots=True)
class RatedMemory:
    """One rating made here, to be undone: the grade before it and its grade."""

    golden_set: str
    query: str
    memory: Memory
    before: int | None
    after: int | None


class RatingViewModel(QObject):
    """Ratings of the shown answer. `marked` is emitted when grades have changed; `rated` carries the metrics of the
    answer, or None while nothing is judged relevant."""

    sets_changed = Signal(object)
    marked = Signal()
    rated = Signal(object)

    def __init__(self, store: OpenStore, lab: QueryLabViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._lab = store, lab
        self._loads, self._lists = Tickets(), Tickets()
        self._undoable: list[RatedMemory] = []
        self._redoable: list[RatedMemory] = []
        self.golden_set = ratings.GOLDEN_SET
        self._is_set_picked = False
        self._asked = ""
        self.judged: dict[Uid, Judgement] = {}
        self._under_way: dict[Uid, int | None] = {}  # grades that are being written; shown at once
        self._writes = 0  # writes under way; what is read meanwhile is older than what is shown
        store.opened.connect(self._on_opened)
        store.changed.connect(self._on_changed)
        lab.answered.connect(self._on_answered)
        lab.emptied.connect(self._forget)

    @property
    def can_rate(self) -> bool:
        return self._store.is_writable and self._lab.shown is not None

    def grade(self, memory: Memory) -> int | None:
        if memory.uid in self._under_way:
            return self._under_way[memory.uid]
        judged = self.judged.get(memory.uid)
        return None if judged is None else judged.grade

    def select_set(self, name: str) -> None:
        """Rate into a set; a new one is created with its first rating."""
        if name.strip() and name.strip() != self.golden_set:
            self.golden_set = name.strip()
            self._is_set_picked = True
            self._forget()
            self._load()

    def rate(self, memory: Memory, grade: int | None) -> None:
        """Rate how relevant a memory is to the current query; None removes the rating."""
        if not self._store.is_writable:
            self._store.failed.emit("The store is open for reading only, so nothing can be rated.")
        elif self._lab.shown is None:
            self._store.failed.emit("Run a query first; a rating belongs to a query and a memory.")
        elif grade != self.grade(memory):
            made = RatedMemory(self.golden_set, self._asked, memory, self.grade(memory), grade)
            self._is_set_picked = True
            self._undoable.append(made)
            self._redoable.clear()
            self._write(made, grade)

    # Judgements are not in the journal, so Ctrl+Z is offered here first: it undoes the last action of either kind.

    def undo(self) -> bool:
        """Undo the last rating, unless something else was changed since."""
        if not self._undoable:
            return False
        last = self._undoable.pop()
        self._redoable.append(last)
        self._write(last, last.before, "Undid")
        return True

    def redo(self) -> bool:
        if not self._redoable:
            return False
        last = self._redoable.pop()
        self._undoable.append(last)
        self._write(last, last.after, "Redid")
        return True

    # inside

    def _write(self, made: RatedMemory, grade: int | None, word: str = "") -> None:
        def work(workspace: Workspace) -> tuple[Judgement | None, Changes]:
            return evaluate.judge(workspace, made.golden_set, made.query, str(made.memory.id), grade, judge=PERSON)

        def report(_: Judgement | None) -> None:
            self._writes -= 1
            if word:
                self._store.message.emit(f"{word} a rating in {made.golden_set}.")

        def refuse(error: UserError) -> None:
            self._writes -= 1
            self._undoable = [each for each in self._undoable if each is not made]
            self._store.failed.emit(str(error))
            self._load()

        if (made.golden_set, made.query) == (self.golden_set, self._asked):
            self._under_way[made.memory.uid] = grade
            self.marked.emit()
        self._writes += 1
        self._loads.take()
        self._store.write(work, report, failed=refuse)

    def _load(self) -> None:
        shown, golden_set = self._lab.shown, self.golden_set
        if shown is None or self._writes:
            return

        def look(workspace: Workspace) -> tuple[dict[Uid, Judgement], RatingProgress | None]:
            judged = ratings.judgements_of_query(workspace, golden_set, shown.answer.query.text)
            return judged, ratings.progress(judged, shown.answer.memories)

        self._store.read(look, self._on_loaded, wanted=self._loads.take())

    def _on_loaded(self, found: tuple[dict[Uid, Judgement], RatingProgress | None]) -> None:
        self.judged, standing = found
        self._under_way = {}
        self.marked.emit()
        self.rated.emit(standing)

    def _forget(self) -> None:
        self._loads.take()
        self.judged, self._under_way = {}, {}
        self.marked.emit()
        self.rated.emit(None)

    def _on_answered(self, shown: LabAnswer) -> None:
        if shown.answer.query.text != self._asked:
            self._asked = shown.answer.query.text
            self._forget()
        self._load()

    def _list_sets(self) -> None:
        self._store.read(evaluate.golden_sets, self._on_sets, wanted=self._lists.take())

    def _on_sets(self, sets: dict[str, tuple[int, int]]) -> None:
        if sets and self.golden_set not in sets and not self._is_set_picked:
            self.golden_set = next(iter(sets))
            self._load()
        self.sets_changed.emit(sets)

    def _on_opened(self) -> None:
        self._undoable.clear()
        self._redoable.clear()
        self._writes = 0
        self.golden_set, self._is_set_picked = ratings.GOLDEN_SET, False
        self._list_sets()

    def _on_changed(self, changes: Changes | None) -> None:
        if changes is None or changes.op is Op.JUDGE:
            self._list_sets()
            self._load()
        elif changes:  # the last operation is now newer than any rating
            self._undoable.clear()
            self._redoable.clear()
