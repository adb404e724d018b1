"""Judging a new text against similar memories: duplicate or contradiction; bounded in work and in time.

The work is bounded by what `core/write` reads of a text and by the number of neighbours. It can also be given up: the
time is looked at before each comparison, and what was not compared by then is taken neither for a copy nor for a
contradiction, since a memory kept twice costs less than one lost.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from core import text
from core.model import Embedding, Memory, MemoryId, Space
from core.search_types import Vocabulary
from core.services import neighbours
from core.services.workspace import Workspace
from core.write import contradiction, duplicate
from core.write.contradiction import Suspicion
from core.write.duplicate import DuplicateVerdict, Policy, SimilarMemory

# Below the time that a stopping server waits for calls in progress. A judgement takes some 10 ms.
MAX_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class WriteJudgement:
    """`known` are the neighbours; `not_compared` of them came too late to be compared."""

    known: list[SimilarMemory]
    vocabulary: Vocabulary
    verdict: DuplicateVerdict | None
    suspicions: tuple[tuple[MemoryId, Suspicion], ...]
    not_compared: int


def judge(
    workspace: Workspace,
    memory: Memory,
    vectors: Mapping[Space, Embedding],
    policy: Policy,
    *,
    max_seconds: float = MAX_SECONDS,
) -> WriteJudgement:
    """Compare a memory that is not saved yet with its neighbours in the store. Reads only."""
    until = time.monotonic() + max_seconds
    known, vocabulary = neighbours.gather(workspace, memory, vectors, policy)
    own, own_hash = contradiction.statements(memory.content), text.content_hash(memory.content)
    suspicions: list[tuple[MemoryId, Suspicion]] = []
    likely: list[SimilarMemory] = []
    not_compared = 0
    for each in known:
        suspicion = None
        if text.content_hash(each.memory.content) != own_hash:  # else there is nothing to compare
            if time.monotonic() >= until:
                not_compared += 1
                continue
            suspicion = contradiction.compare(own, contradiction.statements(each.memory.content))
        if suspicion is not None:  # what speaks against a known text is no copy of it, however many words they share
            suspicions.append((each.memory.id, suspicion))
        elif duplicate.is_about_the_same(memory, each.memory):
            likely.append(each)
    # Oro's rule asks neither what a text speaks against nor what it is about.
    verdict = duplicate.judge(memory.content, known if policy is Policy.ORO else likely, vocabulary, policy)
    return WriteJudgement(known, vocabulary, verdict, tuple(suspicions), not_compared)
