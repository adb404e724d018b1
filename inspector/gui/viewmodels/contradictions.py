"""The viewmodel of Contradictions: open cases, evidence scores, and the effect of a resolution."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from core import word_diff
from core.changes import Changes
from core.errors import UserError
from core.model import Link
from core.services import browse, contradictions, merging
from core.services.contradictions import ContradictionSide as ContradictionSide
from core.services.contradictions import Impact
from core.services.contradictions import Resolution as Resolution
from core.services.merging import MergePreview as MergePreview
from core.services.workspace import Workspace
from inspector.gui.ops import Tickets
from inspector.gui.viewmodels.open_store import PERSON, OpenStore


@dataclass(frozen=True, slots=True)
class ResolutionChoice:
    """A resolution as a button; `key` presses it from the keyboard."""

    on: Resolution
    key: str
    text: str
    about: str


RESOLUTIONS = (
    ResolutionChoice(Resolution.KEEP_A, "1", "Keep A", "A is right; B is marked contradicted"),
    ResolutionChoice(Resolution.KEEP_B, "2", "Keep B", "B is right; A is marked contradicted"),
    ResolutionChoice(Resolution.MERGE, "3", "Merge…", "Merge both into one text, after a preview; B is superseded"),
    ResolutionChoice(Resolution.BOTH_VALID, "4", "Both valid…", "Each is right in its own scope, which you name"),
    ResolutionChoice(Resolution.NOT_A_CONTRADICTION, "5", "Not a contradiction", "They do not contradict each other"),
    ResolutionChoice(Resolution.DEFER, "6", "Defer", "Decide later; it stays open"),
)


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    at: datetime
    is_a: bool
    what: str


@dataclass(frozen=True, slots=True)
class ContradictionCase:
    """Two memories that contradict each other. A is the one that raised the case, by a rule with its certainty."""

    link: Link
    a: ContradictionSide
    b: ContradictionSide
    diff: tuple[word_diff.Piece, ...]
    rule: str
    sure: float | None
    parts: tuple[tuple[str, str], ...]
    events: tuple[TimelineEvent, ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """One place among the first results of a query, before and after a resolution."""

    query: str
    place: int
    now: str
    then: str

    @property
    def changes(self) -> bool:
        return self.now != self.then


class ContradictionsViewModel(QObject):
    listed = Signal(object)
    case_changed = Signal(object)
    previewing = Signal(object)
    previewed = Signal(object)
    refused = Signal(str)
    merge_previewed = Signal(object)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._lists, self._previews = Tickets(), Tickets()
        self.cases: tuple[ContradictionCase, ...] = ()
        self.case: ContradictionCase | None = None
        self.resolution: Resolution | None = None
        self.scope = ""
        self.content: str | None = None
        store.opened.connect(self.reload)
        store.closed.connect(self._on_closed)
        store.changed.connect(self._on_changed)

    def reload(self) -> None:
        self._store.read(_cases, self._on_listed, wanted=self._lists.take())

    def look_at(self, number: int) -> None:
        case = self.cases[number] if 0 <= number < len(self.cases) else None
        if case is not self.case:
            self.case, self.resolution = case, None
            self._previews.take()
            self.case_changed.emit(case)

    def preview_merge(self) -> None:
        """Show what the merged memory would hold; its text can be changed before the resolution is previewed."""
        case = self.case
        if case is not None:
            ids = (case.link.source_id, case.link.target_id)
            self._store.read(
                lambda ws: merging.preview(ws, ids), self.merge_previewed.emit, failed=self._on_refused,
                wanted=self._previews.take(),
            )  # fmt: skip

    def preview(self, resolution: Resolution, *, scope: str = "", content: str | None = None) -> None:
        """Show which results a resolution would change: it is carried out, queried, and rolled back."""
        case = self.case
        if case is None:
            return
        self.resolution, self.scope, self.content = resolution, scope, content
        self.previewing.emit(resolution)
        self._store.read(
            lambda ws: _effects(ws, case, resolution, scope, content), self.previewed.emit, failed=self._on_refused,
            wanted=self._previews.take(),
        )  # fmt: skip

    def decide(self, reason: str = "") -> None:
        """Carry out the previewed resolution; one undo reverts it."""
        case, resolution, scope, content = self.case, self.resolution, self.scope, self.content
        if case is None or resolution is None:
            return

        def carry_out(workspace: Workspace) -> tuple[None, Changes]:
            return None, contradictions.resolve(
                workspace, case.link.id, resolution, actor=PERSON, reason=reason, scope=scope, content=content
            )

        self._store.write(
            carry_out,
            lambda _: self._store.message.emit(f"Resolved: {resolution}. Ctrl+Z undoes it."),
            failed=self._on_refused,
        )
        self.resolution = None

    def _on_listed(self, cases: tuple[ContradictionCase, ...]) -> None:
        before = self.case.link.id if self.case is not None else None
        self.cases, self.case, self.resolution = cases, None, None
        self.listed.emit(cases)
        same = (number for number, case in enumerate(cases) if case.link.id == before)
        self.look_at(next(same, 0))
        if not cases:
            self.case_changed.emit(None)

    def _on_closed(self) -> None:
        self._lists.take()
        self._previews.take()
        self._on_listed(())

    def _on_changed(self, changes: Changes | None) -> None:
        if changes is None or changes.links or changes.memories:
            self.reload()

    def _on_refused(self, error: UserError) -> None:
        self.refused.emit(str(error))
        self._store.failed.emit(str(error))


def _cases(workspace: Workspace) -> tuple[ContradictionCase, ...]:
    found = []
    for cluster in contradictions.clusters(workspace):
        sides = {side.memory.id: side for side in cluster.sides}
        found += [_case(link, sides[link.source_id], sides[link.target_id]) for link in cluster.links]
    return tuple(found)


def _case(link: Link, a: ContradictionSide, b: ContradictionSide) -> ContradictionCase:
    parts, sure = link.evidence.get("parts", {}), link.evidence.get("probability")
    named = tuple((str(name), str(value)) for name, value in parts.items()) if isinstance(parts, dict) else ()
    events = [TimelineEvent(link.created_at, True, "noticed")]
    for side, is_a in ((a, True), (b, False)):
        memory = side.memory
        events.append(TimelineEvent(memory.created_at, is_a, "written"))
        if memory.updated_at > memory.created_at:
            events.append(TimelineEvent(memory.updated_at, is_a, "edited"))
        if memory.last_accessed_at is not None:
            events.append(TimelineEvent(memory.last_accessed_at, is_a, "last used"))
    return ContradictionCase(
        link=link,
        a=a,
        b=b,
        diff=tuple(word_diff.pieces(a.memory.content, b.memory.content)),
        rule=str(link.evidence.get("rule", "marked by a person")),
        sure=sure if isinstance(sure, float) else None,
        parts=named,
        events=tuple(sorted(events, key=lambda event: event.at)),
    )


def _effects(
    workspace: Workspace, case: ContradictionCase, resolution: Resolution, scope: str, content: str | None
) -> list[Effect]:
    impacts = contradictions.preview(workspace, case.link.id, resolution, scope=scope, content=content)
    ids = {id for impact in impacts for id in (*impact.before, *impact.after)}
    contents = {id: browse.find(workspace, str(id)).content for id in ids}

    def rows(impact: Impact) -> list[Effect]:
        length = max(len(impact.before), len(impact.after))
        now = [contents[id] for id in impact.before] + [""] * (length - len(impact.before))
        then = [contents[id] for id in impact.after] + [""] * (length - len(impact.after))
        places = enumerate(zip(now, then, strict=True), 1)
        return [Effect(impact.question.text, place, *pair) for place, pair in places]

    return [effect for impact in impacts for effect in rows(impact)]
