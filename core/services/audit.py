"""History of memories and calls: versions with author, time and reason; recorded calls, their replay and statistics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core import word_diff
from core.changes import Changes
from core.curate import operations
from core.errors import UserError
from core.formulas.metrics import percentile
from core.model import Memory, MemoryId
from core.pipeline.trace import Mode
from core.progress import Progress, silent
from core.services import browse, curate, query, time_travel
from core.services.query import Answer, Question
from core.services.recorder import BY_LIKE
from core.services.workspace import Workspace
from core.store.records import Call as Call
from core.store.records import CallFilter as CallFilter
from core.store.records import CallOutcome as CallOutcome
from core.store.records import JournalEntry as JournalEntry

# The tool whose calls are recalls, and how many of the newest calls the statistics cover.
RECALL = "memory_recall"
MAX_MEASURED_CALLS = 50_000
MAX_CLIENTS = 50
FALLBACK_MODES = (
    Mode.BM25_ONLY,
    BY_LIKE,
)  # a profile had no vectors, or the full-text index was unavailable


# The fields that a revision shows: those that can be edited, and those that other operations set.
SHOWN_FIELDS = operations.EDITABLE | {"pinned", "status", "source", "agent"}


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of a memory other than its text, before and after an operation."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Revision:
    """One version of a memory, its operation, and the differences from the version before."""

    entry: JournalEntry
    memory: Memory | None
    changed: tuple[str, ...]
    diff: tuple[word_diff.Piece, ...]
    fields: tuple[FieldChange, ...] = ()

    @property
    def summary(self) -> tuple[word_diff.Piece, ...]:
        """Everything that changed as one text: a line for each field, then the diff of the text."""
        return _summary(self.fields, self.diff)


def difference(before: Memory, after: Memory) -> tuple[word_diff.Piece, ...]:
    """Return the difference of two versions of a memory as one text, as a revision shows it."""
    fields = (_field_change(name, before, after) for name in _changed(before, after) if name != "content")
    return _summary(tuple(fields), tuple(word_diff.pieces(before.content, after.content)))


def _summary(fields: Iterable[FieldChange], diff: tuple[word_diff.Piece, ...]) -> tuple[word_diff.Piece, ...]:
    lines: list[word_diff.Piece] = []
    for each in fields:
        lines += [("same", f"{each.name}: "), ("gone", each.before), ("same", " → "), ("new", each.after)]
        lines.append(("same", "\n"))
    is_text_changed = any(kind != "same" for kind, _ in diff)
    return (*lines, *diff) if is_text_changed or not lines else tuple(lines)


def history(workspace: Workspace, name: str) -> list[Revision]:
    """Return every version of a memory, oldest first."""
    return _revisions(workspace, browse.find(workspace, name).id)


def revision_by(workspace: Workspace, seq: int, id: MemoryId) -> Revision | None:
    """Return the version that an operation made of a memory; None if it changed only links, or the memory was
    purged."""
    return next((each for each in _revisions(workspace, id) if each.entry.seq == seq), None)


def _revisions(workspace: Workspace, id: MemoryId) -> list[Revision]:
    with workspace.store.read() as reader:
        versions = reader.versions(id)
    revisions = []
    before: Memory | None = None
    for version in versions:
        now = version.memory
        changed = _changed(before, now)
        old, new = before.content if before else "", now.content if now else ""
        fields = tuple(_field_change(name, before, now) for name in changed if name != "content" and before and now)
        revisions.append(Revision(version.entry, now, changed, tuple(word_diff.pieces(old, new)), fields))
        before = now
    return revisions


def restore_version(workspace: Workspace, name: str, version: int, *, actor: str) -> Changes:
    """Set the editable fields of a memory to an earlier version; itself an edit that can be undone."""
    memory = browse.find(workspace, name)
    for revision in history(workspace, name):
        if revision.memory is not None and revision.memory.version == version:
            fields = {field: getattr(revision.memory, field) for field in operations.EDITABLE}
            different = {field: value for field, value in fields.items() if value != getattr(memory, field)}
            if not different:
                raise UserError(f"Memory {memory.id} already equals version {version}.")
            # The earlier version was accepted when it was written and is restored unchanged.
            reason = f"back to version {version}"
            return curate.edit(workspace, [memory.id], different, actor=actor, reason=reason, allow_secrets=True)
    raise UserError(f"Memory {memory.id} has no version {version}; its history shows those it has.")


def _changed(before: Memory | None, now: Memory | None) -> tuple[str, ...]:
    if before is None or now is None:
        return ()
    return tuple(sorted(name for name in SHOWN_FIELDS if getattr(before, name) != getattr(now, name)))


def _field_change(name: str, before: Memory | None, now: Memory | None) -> FieldChange:
    return FieldChange(name, *(_shown(getattr(side, name)) for side in (before, now)))


def _shown(value: Any) -> str:
    """Return the value of a field on one line; an empty one is named so."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else "none"
    return str(value) or "none"


# What agents asked


@dataclass(frozen=True, slots=True)
class Figures:
    """Statistics of recalls: count, latency, share without results, share without vectors, share answered by LIKE
    because the index was unavailable."""

    calls: int
    recalls: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    zero_hit_rate: float
    fallback_rate: float
    refused: int
    failed: int


@dataclass(frozen=True, slots=True)
class Metrics:
    total: Figures
    by_client: dict[str, Figures]


@dataclass(frozen=True, slots=True)
class Replay:
    """A replayed call: the answer of the store as it was, and of the store as it is now."""

    call: Call
    then: Answer
    now: Answer


def calls(
    workspace: Workspace, wanted: CallFilter | None = None, *, before: int | None = None, limit: int = 100
) -> list[Call]:
    """Return the newest calls of agents."""
    with workspace.store.read() as reader:
        return reader.call_page(wanted or CallFilter(), before=before, limit=limit)


def call(workspace: Workspace, id: int) -> Call:
    """Return one call with its trace."""
    with workspace.store.read() as reader:
        return reader.call(id)


def newest_operation(workspace: Workspace) -> int:
    """Return the number of the last operation; 0 when there was none."""
    with workspace.store.read() as reader:
        return next((entry.seq for entry in reader.journal_entries(limit=1)), 0)


def operations_after(workspace: Workspace, seq: int, limit: int = 200) -> list[tuple[JournalEntry, list[MemoryId]]]:
    """Return the operations after one, by any actor, oldest first, with the memories each changed."""
    with workspace.store.read() as reader:
        return reader.operations_after(seq, limit)


def replay(workspace: Workspace, id: int, progress: Progress = silent) -> Replay:
    """Replay the query of a call on the store as it was and as it is now. Read-only."""
    found = call(workspace, id)
    if found.question is None:
        raise UserError(f"Call {id} has no query to replay.")
    question = query.question_of(found.question)
    progress("rebuilding the store of that moment", 0, 3)
    with time_travel.workspace_at(workspace, found.at) as then:
        progress("querying the store of that moment", 1, 3)
        answered_then = query.ask(then, question)
    progress("asking now", 2, 3)
    return Replay(found, answered_then, query.ask(workspace, question))


def metrics(workspace: Workspace, wanted: CallFilter | None = None) -> Metrics:
    """Return statistics of recalls over the newest recorded calls."""
    with workspace.store.read() as reader:
        rows = reader.call_figures(wanted or CallFilter(), MAX_MEASURED_CALLS)
    by_client: dict[str, list[tuple[str, str, int, int, str, str]]] = {}
    for row in rows:
        by_client.setdefault(row[0], []).append(row)
    busiest = sorted(by_client, key=lambda client: (-len(by_client[client]), client))[:MAX_CLIENTS]
    return Metrics(_figures(rows), {client: _figures(by_client[client]) for client in sorted(busiest)})


def recent_questions(workspace: Workspace, limit: int) -> list[Question]:
    """Return the most recent distinct queries of agents."""
    found: dict[str, Question] = {}
    for each in calls(workspace, CallFilter(tools=(RECALL,)), limit=limit * 5):
        if each.question is not None:
            question = query.question_of(each.question)
            found.setdefault(f"{question.profile} {question.text}", question)
    return list(found.values())[:limit]


def _figures(rows: Sequence[tuple[str, str, int, int, str, str]]) -> Figures:
    recalls = [row for row in rows if row[1] == RECALL and row[5] == CallOutcome.ANSWERED]
    times = sorted(row[2] / 1000 for row in recalls)
    return Figures(
        calls=len(rows),
        recalls=len(recalls),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        p99_ms=percentile(times, 0.99),
        zero_hit_rate=_share(sum(not row[3] for row in recalls), len(recalls)),
        fallback_rate=_share(sum(row[4] in FALLBACK_MODES for row in recalls), len(recalls)),
        refused=sum(row[5] == CallOutcome.REFUSED for row in rows),
        failed=sum(row[5] == CallOutcome.FAILED for row in rows),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
