"""The viewmodel of Health: findings, statistics and repairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from core import formatting
from core.changes import Changes, Op
from core.model import MemoryId
from core.progress import Progress
from core.services import health, inspection, projection
from core.services.browse import LOW_CONFIDENCE, STALE_DAYS
from core.services.health import Info
from core.services.inspection import Concern, HealthFinding, Repair, RepairResult
from core.services.inspection import FindingItem as FindingItem
from core.services.projection import AGES, OLDER
from core.services.projection import Map as Map
from core.services.projection import Point as Point
from core.services.workspace import Workspace
from inspector.gui.models.plain_text import minute
from inspector.gui.ops import Tickets
from inspector.gui.tasks import Task
from inspector.gui.viewmodels.open_store import PERSON, OpenStore, StoreStatus

NO_MAP = Map("", 0, (), 0.0)
AGE_BANDS = (*(name for _, name in AGES), OLDER)
CHECKED_BY_ITSELF = 5_000  # a larger store is checked again only on request


@dataclass(frozen=True, slots=True)
class HealthEntry:
    """One check: its title, its colour when something is found, and its finding if it has run."""

    concern: Concern
    title: str
    about: str
    tint: str
    finding: HealthFinding | None = None

    @property
    def count(self) -> str:
        return "–" if self.finding is None else f"{self.finding.count:,}"

    @property
    def is_found(self) -> bool:
        return self.finding is not None and self.finding.count > 0


ENTRIES = (
    HealthEntry(
        Concern.PROPOSALS,
        "Proposed changes",
        "Changes that agents propose to memories that a person wrote or pinned. Nothing changes until you "
        "accept, in Activity › Proposals.",
        "warning",
    ),
    HealthEntry(
        Concern.SECRETS,
        "Secrets in texts",
        "Passwords, keys and tokens that were stored, shown here without their "
        "value. Redacting replaces them; the journal keeps the old text, so that it can be undone, until the memory "
        "is forgotten and purged.",
        "danger",
    ),
    HealthEntry(
        Concern.DRIFT,
        "Index drift",
        "Orphan vectors, and memories that full text, vectors or the journal do not "
        "agree with. A repair rebuilds the indexes from the memories, after a backup.",
        "danger",
    ),
    HealthEntry(
        Concern.DUPLICATES,
        "Near-duplicates",
        "Memories that repeat another one, by the rules that apply when a memory is added. Merging keeps all "
        "tags, names and links.",
        "warning",
    ),
    HealthEntry(
        Concern.LOW_CONFIDENCE,
        "Low confidence",
        f"Active memories with a confidence below {LOW_CONFIDENCE:g}.",
        "warning",
    ),
    HealthEntry(
        Concern.STALE,
        "Stale",
        f"Active memories that were not used for {STALE_DAYS:g} days or more and are not pinned.",
        "warning",
    ),
    HealthEntry(
        Concern.NEVER_RECALLED,
        "Never recalled",
        "Active memories that were never returned or used.",
        "muted",
    ),
    HealthEntry(
        Concern.MIXED_MODELS,
        "Mixed models",
        "Vectors of different models are never compared with each other. "
        "Embedding gives every memory a vector of the model that is in use; the others stay and do no harm.",
        "warning",
    ),
    HealthEntry(
        Concern.NOT_EMBEDDED,
        "Not embedded",
        "Memories without a vector of the store's model: only full text finds them.",
        "muted",
    ),
)

REPAIR_WORDS = {
    Repair.MERGE: ("Merge", "merge", "Merge each into the memory it repeats; Ctrl+Z undoes it"),
    Repair.ARCHIVE: (
        "Archive",
        "archive",
        "Hide it from queries; restore brings it back; pinned ones stay. Ctrl+Z undoes it",
    ),
    Repair.FORGET: ("Forget", "forget", "No profile returns them; Ctrl+Z undoes it"),
    Repair.REDACT: ("Redact", "lock", "Replace each secret by its kind; Ctrl+Z undoes it"),
    Repair.REPAIR: ("Back up and repair", "restore", "Rebuild the indexes; a backup is kept"),
    Repair.EMBED: ("Embed now", "reinforce", "Compute the missing vectors; can be stopped and resumed"),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A statistic of the store; `group` is named in its first line only."""

    group: str
    name: str
    value: str


class HealthViewModel(QObject):
    """The findings. Nothing is computed until the view is shown, so that no other view waits for it."""

    listed = Signal(object)
    facts_changed = Signal(object)
    mapped = Signal(object)
    checking_changed = Signal(bool)

    def __init__(self, store: OpenStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._quick, self._infos, self._maps = Tickets(), Tickets(), Tickets()
        self._is_looked_at = False
        self._is_settled = True
        self._memories = 0
        self._task: Task | None = None
        self._wants_again = False
        self.is_outdated = False
        self.entries: tuple[HealthEntry, ...] = ENTRIES
        store.opened.connect(self._on_opened)
        store.closed.connect(self._on_opened)
        store.changed.connect(self._on_changed)
        store.status_changed.connect(self._on_status)
        store.work_ended.connect(self._on_ended)

    @property
    def is_checking(self) -> bool:
        return self._task is not None

    @property
    def can_repair(self) -> bool:
        return self._store.is_writable

    def look(self) -> None:
        if not self._is_looked_at and self._store.is_open:
            self._is_looked_at = True
            self._reload()
            self.check()

    def check(self) -> None:
        """Read the whole store for what only its texts and indexes show; shows its progress, can be stopped."""
        if self._task is not None:
            self._wants_again = True
            return
        self.is_outdated = self._wants_again = False
        self._task = self._store.long("Checking the store", inspection.content_findings, self._on_found)
        self.checking_changed.emit(self.is_checking)

    def repair(self, entry: HealthEntry, repair: Repair, selected: Sequence[MemoryId] = ()) -> None:
        """Carry a repair out, for the selected memories or for all of the finding."""
        finding = entry.finding
        if finding is None:
            return
        only = tuple(selected)

        def work(workspace: Workspace, progress: Progress) -> tuple[RepairResult, Changes | None]:
            result = inspection.repair(workspace, finding, repair, only, actor=PERSON, progress=progress)
            return result, result.changes

        def report(result: RepairResult) -> None:
            undo = " Ctrl+Z undoes it." if result.changes is not None else ""
            self._store.message.emit(result.sentence + undo)
            self._wants_again = True

        self._store.long_write(f"{REPAIR_WORDS[repair][0]}: {entry.title.lower()}", work, report)

    def _reload(self) -> None:
        self._store.read(inspection.metadata_findings, self._on_found, wanted=self._quick.take())
        self._store.read(health.info, self._on_info, wanted=self._infos.take())
        self._store.read(projection.embedding_map, self.mapped.emit, wanted=self._maps.take())

    def _on_found(self, findings: list[HealthFinding]) -> None:
        found = {finding.concern: finding for finding in findings}
        self.entries = tuple(
            replace(each, finding=found[each.concern]) if each.concern in found else each for each in self.entries
        )
        self.listed.emit(self.entries)

    def _on_info(self, info: Info) -> None:
        self._memories = info.memories
        self.facts_changed.emit(facts(info))

    def _on_opened(self) -> None:
        for tickets in (self._quick, self._infos, self._maps):
            tickets.take()
        self._is_looked_at, self._task, self.entries = False, None, ENTRIES
        self._wants_again = self.is_outdated = False
        self.listed.emit(self.entries)
        self.facts_changed.emit([])
        self.mapped.emit(NO_MAP)

    def _on_changed(self, changes: Changes | None) -> None:
        is_of_proposals = changes is not None and changes.op in (Op.PROPOSE, Op.REFUSE)
        if not self._is_looked_at or (changes is not None and not changes and not is_of_proposals):
            return
        self._reload()
        if self._wants_again or self._memories <= CHECKED_BY_ITSELF:
            self.check()
        else:
            self.is_outdated = True
            self.checking_changed.emit(self.is_checking)

    def _on_status(self, status: StoreStatus) -> None:
        """Check again when the model has embedded all memories."""
        was_settled, self._is_settled = self._is_settled, status.is_settled
        if self._is_looked_at and status.is_settled and not was_settled:
            self._reload()

    def _on_ended(self, task: Task) -> None:
        if task is self._task:
            self._task = None
            self.is_outdated = task.is_cancelled
            self.checking_changed.emit(False)
            if self._wants_again and not task.is_cancelled:
                self.check()


def facts(info: Info) -> list[Fact]:
    """Return statistics of the store."""
    found = [
        Fact("Store", "memories", f"{info.memories:,}"),
        Fact("", "links", f"{info.links:,}"),
        Fact("", "operations in the journal", f"{info.operations:,}"),
        Fact("", "size of the file", formatting.size(info.size)),
        Fact("", "backups", f"{len(info.backups):,}"),
    ]
    if info.backups:
        found.append(Fact("", "newest backup", minute(info.backups[0].at)))
    for group, counts in (
        ("Status", info.by_status),
        ("Type", info.by_type),
        ("Agent", info.by_agent),
        ("Collection", info.by_collection),
    ):
        found += [
            Fact("" if number else group, name or "none", f"{count:,}")
            for number, (name, count) in enumerate(counts.items())
        ]
    for number, use in enumerate(info.spaces):
        found.append(Fact("" if number else "Vectors", use.space.model, f"{use.vectors:,}"))
    return found
