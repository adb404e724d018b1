"""Findings about the memories of a store, each with the affected memories and its repairs.

Finding is read-only; a repair is one operation of the journal, or a rebuild after a backup.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core import formatting
from core.changes import Changes
from core.clock import DAY, age
from core.errors import UserError
from core.model import NOT_FORGOTTEN, Filter, Memory, MemoryId, Status
from core.progress import Progress, silent
from core.search_types import Order, Selection, SortColumn
from core.services import consolidate, curate, health, proposals
from core.services.browse import LOW_CONFIDENCE, MAX_AT_ONCE, STALE_DAYS
from core.services.consolidate import ConsolidationPlan
from core.services.workspace import Workspace
from core.write import secrets

MAX_PREVIEWED = 200


class Concern(StrEnum):
    PROPOSALS = "proposals"
    DUPLICATES = "duplicates"
    SECRETS = "secrets"
    DRIFT = "drift"
    LOW_CONFIDENCE = "low confidence"
    STALE = "stale"
    NEVER_RECALLED = "never recalled"
    MIXED_MODELS = "mixed models"
    NOT_EMBEDDED = "not embedded"


class Repair(StrEnum):
    MERGE = "merge"
    ARCHIVE = "archive"
    FORGET = "forget"
    REDACT = "redact"
    REPAIR = "repair"
    EMBED = "embed"


REPAIRS = {
    Concern.PROPOSALS: (),  # decided one by one, where the change is shown
    Concern.DUPLICATES: (Repair.MERGE,),
    Concern.SECRETS: (Repair.REDACT, Repair.FORGET),
    Concern.DRIFT: (Repair.REPAIR,),
    Concern.LOW_CONFIDENCE: (Repair.ARCHIVE, Repair.FORGET),
    Concern.STALE: (Repair.ARCHIVE, Repair.FORGET),
    Concern.NEVER_RECALLED: (Repair.ARCHIVE, Repair.FORGET),
    Concern.MIXED_MODELS: (Repair.EMBED,),
    Concern.NOT_EMBEDDED: (Repair.EMBED,),
}


@dataclass(frozen=True, slots=True)
class FindingItem:
    """One affected memory, and why; secrets are removed from it. None if the finding has no single memory."""

    memory: Memory | None
    why: str


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A finding. `ids` are all affected memories, `items` the first of them; `plan` is what a merge would carry out."""

    concern: Concern
    count: int
    items: tuple[FindingItem, ...] = ()
    ids: tuple[MemoryId, ...] = ()
    plan: ConsolidationPlan = field(default_factory=ConsolidationPlan)
    can_be_repaired: bool = True

    @property
    def repairs(self) -> tuple[Repair, ...]:
        return REPAIRS[self.concern] if self.count and self.can_be_repaired else ()


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The result of a repair: a message and the changes, or None if the whole store must be reloaded."""

    sentence: str
    changes: Changes | None


def metadata_findings(workspace: Workspace) -> list[HealthFinding]:
    """Return the findings that need no texts; fast."""
    active = Selection(filter=Filter(statuses=(Status.ACTIVE,)))
    unpinned = replace(active, filter=replace(active.filter, pinned=False))
    unsure = replace(active, max_confidence=math.nextafter(LOW_CONFIDENCE, 0.0))
    stale = replace(unpinned, min_unused_days=STALE_DAYS)
    return [
        _proposals(workspace),
        _listed(workspace, Concern.LOW_CONFIDENCE, unsure, Order(SortColumn.CONFIDENCE, False)),
        _listed(workspace, Concern.STALE, stale, Order(SortColumn.ACCESSED, False)),
        _listed(
            workspace, Concern.NEVER_RECALLED, replace(active, never_recalled=True), Order(SortColumn.CREATED, False)
        ),
        _mixed_models(workspace),
        _not_embedded(workspace),
    ]


def content_findings(workspace: Workspace, progress: Progress = silent) -> list[HealthFinding]:
    """Return the findings that need all texts: duplicates, secrets, index drift. Can be cancelled."""
    progress("reading texts", 0, 0)
    found = _secrets(workspace, progress)
    progress("checking indexes", 0, 0)
    drift = _drift(workspace)
    return [_duplicates(workspace, progress), found, drift]


def repair(
    workspace: Workspace,
    finding: HealthFinding,
    kind: Repair,
    selected: Sequence[MemoryId] = (),
    *,
    actor: str,
    progress: Progress = silent,
) -> RepairResult:
    """Repair all memories of a finding, or the selected ones; one undo reverts all of it."""
    if kind not in finding.repairs:
        raise UserError(f"{kind.value.capitalize()} does not repair: {finding.concern.value}.")
    wanted = set(selected)
    ids = [id for id in finding.ids if not wanted or id in wanted]
    if len(ids) > MAX_AT_ONCE:
        raise UserError(f"At most {MAX_AT_ONCE:,} memories can be changed at once; select fewer.")
    reason = f"health: {finding.concern.value}"
    if kind is Repair.MERGE:
        plan = replace(finding.plan, merges=[each for each in finding.plan.merges if each.memory.id in ids])
        changes = consolidate.apply(workspace, plan, actor=actor, reason=reason)
        return RepairResult(f"{formatting.memories(len(plan.merges))} merged into their duplicates.", changes)
    if kind is Repair.ARCHIVE:
        going = ids if wanted else _not_pinned(workspace, ids)
        changes = curate.archive(workspace, going, actor=actor, reason=reason, progress=progress)
        stayed = len(ids) - len(going)
        note = f"; {formatting.counted(stayed, 'pinned memory', 'pinned memories')} stayed" if stayed else ""
        return RepairResult(f"{formatting.memories(len(going))} archived{note}.", changes)
    if kind is Repair.FORGET:
        changes = curate.forget(workspace, ids, actor=actor, reason=reason, progress=progress)
        return RepairResult(f"{formatting.memories(len(ids))} forgotten.", changes)
    if kind is Repair.REDACT:
        changes = curate.redact(workspace, ids, actor=actor, reason=reason, progress=progress)
        return RepairResult(f"Secrets were removed from {formatting.memories(len(ids))}.", changes)
    if kind is Repair.REPAIR:
        repaired, kept = health.repair(workspace, actor=actor)
        where = f"; the store as it was is kept as {kept.name}" if kept else ""
        return RepairResult(f"{len(repaired)} repaired{where}.", None)
    return RepairResult(f"{formatting.memories(workspace.embeddings.catch_up(progress))} embedded.", None)


def _not_pinned(workspace: Workspace, ids: Sequence[MemoryId]) -> list[MemoryId]:
    """Return the ids without pinned memories, which are removed only if selected individually."""
    with workspace.store.read() as reader:
        going = reader.fitting(ids, Filter(pinned=False))
    if not going:
        raise UserError("All of them are pinned, so they stay; select those that may go.")
    return [id for id in ids if id in going]


def _listed(workspace: Workspace, concern: Concern, selection: Selection, order: Order) -> HealthFinding:
    now = workspace.store.clock.now()
    with workspace.store.read() as reader:
        ids = tuple(MemoryId(id) for id in reader.list_ids(selection, order, now))
        known = reader.memories(ids[:MAX_PREVIEWED])

    def why(memory: Memory) -> str:
        if concern is Concern.LOW_CONFIDENCE:
            return f"confidence {memory.confidence:.2f}"
        if concern is Concern.STALE:
            return f"unused for {age(memory.last_used_at, now, DAY):.0f} days"
        return f"written {age(memory.created_at, now, DAY):.0f} days ago"

    items = tuple(FindingItem(known[id], why(known[id])) for id in ids[:MAX_PREVIEWED])
    return HealthFinding(concern, len(ids), items, ids)


def _proposals(workspace: Workspace) -> HealthFinding:
    waiting = proposals.pending(workspace)
    ids = tuple(dict.fromkeys(each.memory.id for each in waiting))
    items = tuple(FindingItem(each.memory, each.sentence) for each in waiting[:MAX_PREVIEWED])
    return HealthFinding(Concern.PROPOSALS, len(waiting), items, ids)


def _mixed_models(workspace: Workspace) -> HealthFinding:
    """Return the vectors of other spaces than the model's own: vectors of different spaces are never compared."""
    own = workspace.space()
    with workspace.store.read() as reader:
        uses = [use for use in reader.spaces() if use.vectors]
    others = [use for use in uses if use.space != own]
    items = tuple(
        FindingItem(None, f"{use.vectors:,} vectors of {use.space.model} ({use.space.dimension} numbers each)"
                   + (": in use" if use.space == own else ": not compared with the others"))
        for use in uses
    )  # fmt: skip
    if not others or (len(uses) == 1 and own is None):
        return HealthFinding(Concern.MIXED_MODELS, 0)
    return HealthFinding(Concern.MIXED_MODELS, sum(use.vectors for use in others), items)


def _not_embedded(workspace: Workspace) -> HealthFinding:
    space = workspace.space()
    with workspace.store.read() as reader:
        if space is None:
            first, count = reader.page(NOT_FORGOTTEN, limit=MAX_PREVIEWED), reader.count(NOT_FORGOTTEN)
        else:
            first, count = reader.not_embedded(space, limit=MAX_PREVIEWED), reader.count_not_embedded(space)
    name = workspace.model().name
    return HealthFinding(
        Concern.NOT_EMBEDDED, count, tuple(FindingItem(memory, f"no vector of {name}") for memory in first)
    )


def _duplicates(workspace: Workspace, progress: Progress) -> HealthFinding:
    plan = replace(consolidate.plan(workspace, progress=progress), archivals=[])
    items = tuple(FindingItem(each.memory, each.verdict.sentence) for each in plan.merges[:MAX_PREVIEWED])
    return HealthFinding(
        Concern.DUPLICATES, len(plan.merges), items, tuple(each.memory.id for each in plan.merges), plan
    )


def _secrets(workspace: Workspace, progress: Progress) -> HealthFinding:
    ids: list[MemoryId] = []
    items: list[FindingItem] = []
    read = 0
    with workspace.store.read() as reader:
        total = reader.count(NOT_FORGOTTEN)
        for page in reader.pages(NOT_FORGOTTEN):
            progress("looking for secrets", read, total)
            read += len(page)
            for memory in page:
                clean, kinds = secrets.redact_fields(curate.texts(memory))
                if kinds:
                    ids.append(memory.id)
                    items.append(FindingItem(memory._replace(**clean), ", ".join(kinds)))
    return HealthFinding(Concern.SECRETS, len(ids), tuple(items[:MAX_PREVIEWED]), tuple(ids))


def _drift(workspace: Workspace) -> HealthFinding:
    found = health.findings(workspace)
    items: list[FindingItem] = []
    with workspace.store.read() as reader:
        for each in found:
            known = reader.memories(each.ids[:MAX_PREVIEWED])
            items += [FindingItem(memory, each.sentence) for memory in known.values()] or [
                FindingItem(None, each.sentence)
            ]
    count = sum(max(1, len(each.ids)) for each in found)
    can_be_repaired = any(each.can_be_repaired for each in found)
    return HealthFinding(Concern.DRIFT, count, tuple(items[:MAX_PREVIEWED]), can_be_repaired=can_be_repaired)
