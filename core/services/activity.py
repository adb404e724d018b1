"""Data of the Activity view: calls with statistics, one call in detail, its replay, and the journal with the memories
of each entry. Read-only."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from core import formatting, word_diff
from core.changes import PERSON, Op
from core.clock import DAY, EPOCH, HOUR
from core.curate import undo
from core.model import Memory, MemoryId
from core.pipeline.run_report import FunnelStep
from core.progress import Progress, silent
from core.services import audit
from core.services.audit import Call, CallFilter, Figures, JournalEntry
from core.services.workspace import Workspace
from core.store.protocol import Reader
from core.store.records import CallResult

# Operations that every call causes by itself, not shown as changes.
AUTOMATIC = frozenset({Op.TOUCH, Op.EMBED})
MAX_TOUCHED = 200
ONLY_LINKS = "Its text and fields are unchanged: only its links changed, or it was purged since."


class ActivityPeriod(StrEnum):
    """The period that is shown."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    ALL = "all"


_LENGTHS = {
    ActivityPeriod.HOUR: HOUR,
    ActivityPeriod.DAY: DAY,
    ActivityPeriod.WEEK: 7 * DAY,
}


def since(workspace: Workspace, period: ActivityPeriod) -> datetime:
    """Return the start of a period that ends now."""
    length = _LENGTHS.get(period)
    return EPOCH if length is None else workspace.store.clock.now() - length


# Calls


@dataclass(frozen=True, slots=True)
class Calls:
    """The newest calls of a filter; `figures` are statistics of all its recorded calls. `clients` and `tools` are all
    there are, with the number of calls of each."""

    calls: tuple[Call, ...]
    has_more: bool
    figures: Figures
    clients: Mapping[str, int]
    tools: Mapping[str, int]
    now: datetime


@dataclass(frozen=True, slots=True)
class ReceivedMemory:
    """A memory that a call returned or nearly returned; None if it is gone since. `why` says in a sentence why it was
    cut."""

    place: int
    id: MemoryId
    memory: Memory | None
    score: float | None
    kind: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class DetailedCall:
    """A call with everything known of it; `wrote` is its journal entry, None if it changed nothing."""

    call: Call
    text: str
    settings: tuple[tuple[str, str], ...]
    funnel: tuple[FunnelStep, ...]
    returned: tuple[ReceivedMemory, ...]
    near: tuple[ReceivedMemory, ...]
    notes: tuple[str, ...]
    wrote: TouchedMemory | None = None


@dataclass(frozen=True, slots=True)
class ReplayRank:
    """A memory's ranks for one query: as recorded, replayed on the store of that moment, and on the store of now.
    `move` is the gain since, None if it is in only one of the two answers."""

    memory: Memory
    recorded: int | None
    then: int | None
    now: int | None

    @property
    def move(self) -> int | None:
        return None if self.then is None or self.now is None else self.then - self.now


@dataclass(frozen=True, slots=True)
class ReplayComparison:
    call: Call
    ranks: tuple[ReplayRank, ...]
    then: int
    now: int
    changed: int


def calls(
    workspace: Workspace, wanted: CallFilter, period: ActivityPeriod = ActivityPeriod.ALL, *, limit: int = 200
) -> Calls:
    now = workspace.store.clock.now()
    wanted = wanted if period is ActivityPeriod.ALL else replace(wanted, since=since(workspace, period))
    found = audit.calls(workspace, wanted, limit=limit + 1)
    with workspace.store.read() as reader:
        everything = reader.call_figures(CallFilter(), audit.MAX_MEASURED_CALLS)
    return Calls(
        calls=tuple(found[:limit]),
        has_more=len(found) > limit,
        figures=audit.metrics(workspace, replace(wanted, only_without_result=False)).total,
        clients=dict(Counter(row[0] for row in everything).most_common()),
        tools=dict(Counter(row[1] for row in everything).most_common()),
        now=now,
    )


def call_detail(workspace: Workspace, id: int) -> DetailedCall:
    """Return one call with the memories it names."""
    call = audit.call(workspace, id)
    trace: Mapping[str, Any] = call.trace or {}
    question = dict(call.question or {})
    sentences = trace.get("near", [])
    with workspace.store.read() as reader:
        memories = reader.memories([each.memory_id for each in call.results])
    near = [each for each in call.results if each.missed]
    return DetailedCall(
        call=call,
        text=str(question.pop("query", "")),
        settings=tuple((name, _plain(value)) for name, value in question.items()),
        funnel=tuple(_funnel(trace)),
        returned=tuple(_received([each for each in call.results if not each.missed], memories, ())),
        near=tuple(_received(near, memories, sentences)),
        notes=tuple(filter(None, (str(trace.get("why_this_mode", "")), *map(str, trace.get("warnings", []))))),
        wrote=touched(workspace, call.operation) if call.operation else None,
    )


def replay(workspace: Workspace, id: int, progress: Progress = silent) -> ReplayComparison:
    """Replay a call on the store as it was and as it is now, and compare the ranks. Read-only."""
    again = audit.replay(workspace, id, progress)
    memories = {memory.id: memory for memory in (*again.then.memories, *again.now.memories)}
    recorded = [each.memory_id for each in again.call.results if not each.missed]
    then, now = ([memory.id for memory in answer.memories] for answer in (again.then, again.now))
    by_id = [{id: rank for rank, id in enumerate(ids, 1)} for ids in (recorded, then, now)]
    ranks = tuple(ReplayRank(memories[id], *(rank.get(id) for rank in by_id)) for id in dict.fromkeys([*now, *then]))
    changed = sum(each.then != each.now for each in ranks)
    return ReplayComparison(again.call, ranks, len(then), len(now), changed)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _received(
    results: Sequence[CallResult], memories: Mapping[MemoryId, Memory], why: Sequence[str]
) -> Iterable[ReceivedMemory]:
    for place, each in enumerate(results, 1):
        sentence = why[place - 1] if place <= len(why) else ""
        yield ReceivedMemory(place, each.memory_id, memories.get(each.memory_id), each.score, each.missed, sentence)


def _funnel(trace: Mapping[str, Any]) -> Iterable[FunnelStep]:
    for each in trace.get("sources", []):
        yield FunnelStep(each["name"], True, 0, each["found"], each["ms"], {})
    for each in trace.get("stages", []):
        lost = each["entered"] - each["left"]
        yield FunnelStep(
            each["name"], False, each["entered"], each["left"], each["ms"], {"left here": lost} if lost else {}
        )


# The journal


@dataclass(frozen=True, slots=True)
class JournalChange:
    """An entry of the journal: how many memories it changed, and whether it is or can be undone."""

    entry: JournalEntry
    touched: int
    is_undone: bool
    is_undoable: bool


@dataclass(frozen=True, slots=True)
class Journal:
    changes: tuple[JournalChange, ...]
    has_more: bool
    actors: Mapping[str, int]
    now: datetime


@dataclass(frozen=True, slots=True)
class TouchedMemory:
    """The first memories that an entry changed; None for one that is gone since."""

    entry: JournalEntry
    memories: tuple[tuple[MemoryId, Memory | None], ...]
    count: int


def journal(workspace: Workspace, actor: str | None = None, *, limit: int = 200) -> Journal:
    """Return the newest entries, of one actor or of all."""
    with workspace.store.read() as reader:
        undone = reader.undone()
        entries = reader.journal_entries(limit=limit + 1, without=AUTOMATIC, actor=actor)
        changes = tuple(_journal_change(reader, entry, undone) for entry in entries[:limit])
        actors = reader.actors(AUTOMATIC)
    return Journal(changes, len(entries) > limit, dict(sorted(actors.items())), workspace.store.clock.now())


def touched(workspace: Workspace, seq: int) -> TouchedMemory:
    with workspace.store.read() as reader:
        count, ids = reader.touched(seq, MAX_TOUCHED)
        memories = reader.memories(ids)
        return TouchedMemory(reader.operation(seq), tuple((id, memories.get(id)) for id in ids), count)


def change(workspace: Workspace, seq: int, id: MemoryId) -> tuple[word_diff.Piece, ...]:
    """Return what an entry changed in one memory: each field before and after, and a word diff of the text."""
    revision = audit.revision_by(workspace, seq, id)
    return (("same", ONLY_LINKS),) if revision is None else revision.summary


def summarise(entries: Iterable[JournalEntry]) -> str:
    """Return a summary of several entries, the most frequent operation first."""
    counts = Counter(str(entry.op) for entry in entries).most_common()
    return ", ".join(f"{count:,} × {op}" for op, count in counts)


def _journal_change(reader: Reader, entry: JournalEntry, undone: set[int]) -> JournalChange:
    is_undone = entry.seq in undone
    can_be = entry.op is Op.UNDO or undo.is_undoable(reader, entry)
    return JournalChange(entry, reader.touched(entry.seq, 0)[0], is_undone, can_be and not is_undone)


# Operations whose name is not also a noun.
_NOUNS = {Op.REMEMBER: "addition", Op.FORGET: "forgetting", Op.REINFORCE: "reinforcement", Op.CONFIGURE: "settings"}


def describe(workspace: Workspace, entry: JournalEntry) -> str:
    """Return an entry as a noun phrase: `your edit of #109 (tags)`, `codex's forgetting of 12 memories`."""
    whose = "your" if entry.actor == PERSON else f"{entry.actor}'s"
    what = f"{whose} {_NOUNS.get(entry.op, entry.op)}"
    with workspace.store.read() as reader:
        count, ids = reader.touched(entry.seq, 1)
    if count == 0:
        return what
    if count > 1:
        return f"{what} of {formatting.memories(count)}"
    revision = audit.revision_by(workspace, entry.seq, ids[0]) if entry.op is Op.EDIT else None
    fields = f" ({', '.join(revision.changed)})" if revision is not None and revision.changed else ""
    return f"{what} of #{ids[0]}{fields}"
