"""Judging a new text against similar memories: duplicate or contradiction; bounded in work and in time.

The work is bounded by how much `core/write` reads of a text and by the number of neighbours. The time is checked before
each comparison; a neighbour that was not compared in time counts neither as a duplicate nor as a contradiction, since a
memory stored twice costs less than a lost one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core import text
from core.model import Embedding, Memory, MemoryId, Space
from core.search_types import Vocabulary
from core.services import neighbours
from core.services.workspace import Workspace
from core.write import contradiction, duplicate
from core.write.contradiction import PossibleContradiction
from core.write.duplicate import DuplicateVerdict, Policy, SimilarMemory

# Below the time that a stopping server waits for calls in progress. A judgement takes some 10 ms.
MAX_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class WriteJudgement:
    """The judgement of a new text. `known` are its neighbours; for `not_compared` of them there was no time."""

    known: list[SimilarMemory]
    vocabulary: Vocabulary
    verdict: DuplicateVerdict | None
    contradictions: tuple[tuple[MemoryId, PossibleContradiction], ...]
    not_compared: int


def judge(
    workspace: Workspace,
    memory: Memory,
    vectors: Mapping[Space, Embedding],
    policy: Policy,
    *,
    also: Sequence[SimilarMemory] = (),
    max_seconds: float = MAX_SECONDS,
) -> WriteJudgement:
    """Compare an unsaved memory with its neighbours in the store and with `also`. Read-only."""
    until = time.monotonic() + max_seconds
    found_near, vocabulary = neighbours.gather(workspace, memory, vectors, policy)
    known = [*found_near, *also]
    own, own_hash = contradiction.parse_sentences(memory.content), text.content_hash(memory.content)
    contradictions: list[tuple[MemoryId, PossibleContradiction]] = []
    likely: list[SimilarMemory] = []
    not_compared = 0
    for each in known:
        found = None
        if text.content_hash(each.memory.content) != own_hash:  # an equal text cannot contradict
            if time.monotonic() >= until:
                not_compared += 1
                continue
            found = contradiction.compare(own, contradiction.parse_sentences(each.memory.content))
        if found is not None:  # never a duplicate too, however many words they share
            contradictions.append((each.memory.id, found))
        elif duplicate.has_same_subject(memory, each.memory):
            likely.append(each)
    # Oro's rule considers neither contradictions nor the subject.
    verdict = duplicate.judge(memory.content, known if policy is Policy.ORO else likely, vocabulary, policy)
    return WriteJudgement(known, vocabulary, verdict, tuple(contradictions), not_compared)
