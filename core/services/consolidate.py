"""Consolidation for front-ends: a plan, which changes nothing, and its execution as one operation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from core.changes import Changes, Op
from core.curate import consolidate
from core.curate.consolidate import HALF_LIFE_DAYS as HALF_LIFE_DAYS
from core.curate.consolidate import MIN_RETENTION as MIN_RETENTION
from core.curate.consolidate import ConsolidationPlan as ConsolidationPlan
from core.errors import UserError
from core.model import Embedding, Filter, Memory, Space, Status
from core.progress import Progress, silent
from core.services import neighbours
from core.services.workspace import Workspace
from core.write import contradiction, duplicate
from core.write.duplicate import DuplicateVerdict, Policy


def plan(
    workspace: Workspace,
    *,
    collections: Sequence[str] = (),
    half_life_days: float = HALF_LIFE_DAYS,
    min_retention: float = MIN_RETENTION,
    progress: Progress = silent,
) -> ConsolidationPlan:
    """Return which near-duplicates would be merged and which decayed memories archived. Read-only; can be cancelled."""
    if not (math.isfinite(half_life_days) and half_life_days > 0):
        raise UserError(f"A half-life is a number of days above 0, not {half_life_days:g}.")
    if not 0 <= min_retention <= 1:
        raise UserError(f"The minimum retention is a number from 0 to 1, not {min_retention:g}.")
    wanted = Filter(statuses=(Status.ACTIVE,), collections=tuple(collections))
    with workspace.store.read() as reader:  # one snapshot for the complete plan
        memories = [memory for page in reader.pages(wanted) for memory in page]
        looked_at = 0

        def verdicts(memory: Memory) -> Iterator[DuplicateVerdict]:
            nonlocal looked_at
            looked_at += 1
            progress("comparing", looked_at, len(memories))
            return _verdicts(workspace, memory)

        merges = consolidate.redundant_memories(memories, verdicts)
    merged = {each.memory.id for each in merges} | {each.verdict.memory.id for each in merges}
    rest = [memory for memory in memories if memory.id not in merged]
    now = workspace.store.clock.now()
    return ConsolidationPlan(
        merges=merges,
        archivals=consolidate.decayed_memories(rest, now, half_life_days, min_retention),
        looked_at=len(memories),
        protected=sum(map(consolidate.is_protected, memories)),
    )


def apply(workspace: Workspace, planned: ConsolidationPlan, *, actor: str, reason: str = "") -> Changes:
    """Carry out a plan; one undo reverts all of it."""
    summary = f"{len(planned.merges)} merged, {len(planned.archivals)} archived"
    with workspace.store.transact(Op.CONSOLIDATE, actor, reason or summary) as transaction:
        consolidate.apply(transaction, planned)
    workspace.embeddings.notify()
    return transaction.changes


def _verdicts(workspace: Workspace, memory: Memory) -> Iterator[DuplicateVerdict]:
    """Yield the duplicate verdicts of a memory against its neighbours, by the rules of `remember`."""
    near, vocabulary = neighbours.gather(workspace, memory, _vectors(workspace, memory), Policy.DEFAULT)
    with workspace.store.read() as reader:
        contradicting = reader.contradicting(memory.id)
    for each in near:
        if each.memory.id not in contradicting:
            verdict = duplicate.judge(memory.content, [each], vocabulary, Policy.DEFAULT)
            if verdict is not None and may_be_merged(memory, each.memory):  # checked last: few are duplicates
                yield verdict


def may_be_merged(a: Memory, b: Memory) -> bool:
    """Return whether two memories can be merged: they have the same subject and do not contradict each other."""
    judged = (contradiction.judge(a.content, b.content), contradiction.judge(b.content, a.content))
    return judged == (None, None) and duplicate.has_same_subject(a, b)


def _vectors(workspace: Workspace, memory: Memory) -> dict[Space, Embedding]:
    """Return the vectors of a memory in the space of the store's model."""
    model = workspace.model().name
    with workspace.store.read() as reader:
        found = {
            use.space: reader.embedding(memory.id, use.space) for use in reader.spaces() if use.space.model == model
        }
    return {space: embedding for space, embedding in found.items() if embedding is not None}
