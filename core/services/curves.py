"""Decay curves: of selected memories, their order at any moment, and a histogram of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core import profiles
from core.changes import Op
from core.clock import DAY
from core.errors import UserError
from core.model import Filter, Memory, MemoryId, Status
from core.pipeline import decay_curves
from core.pipeline.decay_curves import Curve, DecayModel
from core.pipeline.stages.weigh import DecayWeight
from core.search_types import Order, Selection, SortColumn
from core.services import browse
from core.services.workspace import Workspace

MAX_CURVES = 8
BINS = 20

_WORDS = {
    Op.EDIT: "edited", Op.REINFORCE: "reinforced", Op.PIN: "pinned", Op.UNPIN: "unpinned", Op.MERGE: "merged",
    Op.RESTORE: "restored", Op.ARCHIVE: "archived",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chart:
    """Decay curves. `overlays` are the first curve under other half-lives, or as if it were pinned, each with its
    name."""

    decay_model: DecayModel
    begin: datetime
    end: datetime
    now: datetime
    curves: tuple[Curve, ...]
    overlays: tuple[tuple[str, Curve], ...]


@dataclass(frozen=True, slots=True)
class CurveReading:
    memory: Memory
    value: float


@dataclass(frozen=True, slots=True)
class Spread:
    """A histogram of the decay factor from 0 to 1; `pinned` memories never decay."""

    counts: tuple[int, ...]
    pinned: int


def decay_models() -> tuple[DecayModel, ...]:
    """Return every profile with a decay stage."""
    found = []
    for profile in profiles.PROFILES:
        stage = next((stage for stage in profile.stages if isinstance(stage, DecayWeight)), None)
        if stage is not None:
            found.append(DecayModel(profile.name, stage, decay_curves.described(stage)))
    return tuple(found)


def decay_model(profile: str) -> DecayModel:
    named = next((decay_model for decay_model in decay_models() if decay_model.profile == profile), None)
    if named is None:
        raise UserError(f"The profile {profile[:40]!r} has no decay by age.")
    return named


def examples(workspace: Workspace, count: int = 5) -> list[MemoryId]:
    """Return memories of all ages, for when none is selected."""
    active = Selection(filter=Filter(statuses=(Status.ACTIVE,)))
    rows = browse.rows(workspace, browse.listing(workspace, active, Order(SortColumn.CREATED)), 0)
    step = max(1, (len(rows) - 1) // max(1, count - 1)) if rows else 1
    return [row.memory.id for row in rows[::step][:count]]


def chart(
    workspace: Workspace,
    ids: Sequence[MemoryId],
    profile: str,
    *,
    ahead_days: float = 180.0,
    half_lives: Sequence[float] = (),
    as_if_pinned: bool = False,
) -> Chart:
    """Return the curves of some memories, from the creation of the oldest until `ahead_days` from now."""
    model, now = decay_model(profile), workspace.store.clock.now()
    with workspace.store.read() as reader:
        newest = reader.newest_created_at()
        known = reader.memories(ids[:MAX_CURVES])
        histories = {id: reader.versions(id) for id in known}
    memories = [known[id] for id in ids[:MAX_CURVES] if id in known]
    begin = min((memory.created_at for memory in memories), default=now - DAY)
    span = (min(begin, now - DAY), now + ahead_days * DAY)

    def done(memory: Memory) -> list[tuple[datetime, str]]:
        happened = [(memory.created_at, "written")]
        for version in histories[memory.id]:
            word = _WORDS.get(version.entry.op)
            if word and version.entry.at >= memory.created_at:
                happened.append((version.entry.at, word))
        if memory.last_accessed_at is not None:
            happened.append((memory.last_accessed_at, "last used"))
        return happened

    curves = tuple(decay_curves.curve(model.stage, memory, now, span, newest, done(memory)) for memory in memories)
    overlays = []
    for memory in memories[:1]:
        for days in half_lives:
            stage = decay_curves.with_half_life(model.stage, days)
            overlays.append((f"half-life {days:g} d", decay_curves.curve(stage, memory, now, span, newest)))
        if as_if_pinned:
            pinned = memory._replace(pinned=True)
            overlays.append(("pinned", decay_curves.curve(model.stage, pinned, now, span, newest)))
    return Chart(model, *span, now, curves, tuple(overlays))


def ranked_at(workspace: Workspace, ids: Sequence[MemoryId], profile: str, at: datetime) -> list[CurveReading]:
    """Return the memories with their decay factor at a moment, the highest first."""
    model = decay_model(profile)
    with workspace.store.read() as reader:
        newest = reader.newest_created_at()
        memories = reader.memories(ids[:MAX_CURVES]).values()
    readings = [CurveReading(memory, model.stage.remaining(memory, at, newest)) for memory in memories]
    return sorted(readings, key=lambda each: (-each.value, each.memory.id))


def spread(workspace: Workspace, profile: str) -> Spread:
    """Return the histogram of the decay factor over the whole store."""
    model, now = decay_model(profile), workspace.store.clock.now()
    with workspace.store.read() as reader:
        if model.stage.basis == "newest":
            now = min(reader.newest_created_at() or now, now)
        ages = [decay_curves.age_at(model.stage, number / BINS) for number in range(1, BINS)]
        borders = [now - age for age in ages]
        counts = reader.count_between(borders, by_use=model.stage.basis == "accessed")
        pinned = reader.count(Filter(pinned=True))
    return Spread(tuple(counts), pinned)
