"""Contradictions between memories: clusters, the strength of each side, and the resolution by a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.clock import DAY, age, to_iso
from core.curate import operations
from core.errors import NotFound, UserError
from core.formulas import decay
from core.model import Link, LinkId, LinkKind, LinkStatus, Memory, MemoryId, Status
from core.store.protocol import Reader
from core.store.transaction import Transaction
from core.write import contradiction

RECENCY_RATE_PER_DAY = 0.05  # OpenMem, stage 4


class Resolution(StrEnum):
    """What a person may decide about two contradicting memories; A is the source of the link, B its target."""

    KEEP_A = "keep-a"
    KEEP_B = "keep-b"
    MERGE = "merge"
    BOTH_VALID = "both-valid"
    DEFER = "defer"
    NOT_A_CONTRADICTION = "not-a-contradiction"


@dataclass(frozen=True, slots=True)
class ContradictionSide:
    """A memory in a contradiction, with its weight: strength · confidence · recency. OpenMem, stage 5."""

    memory: Memory
    strength: float
    confidence: float
    recency: float

    @property
    def effective(self) -> float:
        return self.strength * self.confidence * self.recency


@dataclass(frozen=True, slots=True)
class ContradictionCluster:
    """Memories that contradict each other directly or through others, the strongest first, with their links."""

    sides: tuple[ContradictionSide, ...]
    links: tuple[Link, ...]


def clusters(reader: Reader, now: datetime, *, open_only: bool = True) -> list[ContradictionCluster]:
    """Return every cluster of contradicting memories, those with the newest link first."""
    wanted = {LinkStatus.OPEN} if open_only else {LinkStatus.OPEN, LinkStatus.ACCEPTED}
    links = [link for link in reader.links_of_kind(LinkKind.CONTRADICTS) if link.status in wanted]
    memories = reader.memories({end for link in links for end in (link.source_id, link.target_id)})
    gone = {
        id for id, memory in memories.items() if memory.status is Status.DELETED
    }  # a forgotten memory contradicts nothing
    links = [link for link in links if not gone & {link.source_id, link.target_id}]
    found = []
    for group in _connected(links):
        sides = sorted((_side(memories[id], now) for id in group), key=lambda side: (-side.effective, side.memory.id))
        inside = tuple(link for link in links if link.source_id in group)
        found.append(ContradictionCluster(tuple(sides), inside))
    return sorted(found, key=lambda cluster: max(link.id for link in cluster.links), reverse=True)


def resolve(
    transaction: Transaction,
    id: LinkId,
    verdict: Resolution,
    *,
    reason: str = "",
    scope: str = "",
    content: str | None = None,
) -> Link | None:
    """Carry out a resolution. It is recorded in the evidence of the link with its reason, and one undo reverts it."""
    link = transaction.reader().link(id)
    if link is None or link.kind is not LinkKind.CONTRADICTS:
        raise NotFound(f"There is no contradiction {id}; `memory-inspector contradictions` shows them.")
    if verdict is Resolution.BOTH_VALID and not scope.strip():
        raise UserError("Both memories can be valid only in a scope; name the scope.")
    _undo_earlier_resolution(transaction, link)
    decided = {"verdict": str(verdict), "reason": reason, "decided_at": to_iso(transaction.now)}
    if scope:
        decided["scope"] = scope
    evidence = {**link.evidence, "decision": decided}
    if verdict is Resolution.MERGE:
        # The merge removes the link: a memory does not contradict itself.
        operations.merge(transaction, [link.source_id, link.target_id], content)
        return None
    if verdict in (Resolution.KEEP_A, Resolution.KEEP_B):
        loser = link.target_id if verdict is Resolution.KEEP_A else link.source_id
        operations.set_status(transaction, loser, Status.CONTRADICTED)
        return transaction.update_link(id, {"status": LinkStatus.ACCEPTED, "evidence": evidence})
    status = LinkStatus.OPEN if verdict is Resolution.DEFER else LinkStatus.DISMISSED
    return transaction.update_link(id, {"status": status, "evidence": evidence})


def _undo_earlier_resolution(transaction: Transaction, link: Link) -> None:
    """Undo the earlier resolution of the same link: restore the memory that it retired."""
    earlier = link.evidence.get("decision", {})
    losers = {str(Resolution.KEEP_A): link.target_id, str(Resolution.KEEP_B): link.source_id}
    loser = losers.get(earlier.get("verdict", "")) if isinstance(earlier, dict) else None
    if loser is not None and transaction.existing(loser).status is Status.CONTRADICTED:
        operations.set_status(transaction, loser, Status.ACTIVE)


def reopen(transaction: Transaction, id: MemoryId) -> None:
    """Reopen the dismissed contradictions of a changed memory whose texts still contradict each other."""
    for link in transaction.reader().links_of(id):
        if link.kind is LinkKind.CONTRADICTS and link.status is LinkStatus.DISMISSED:
            new, known = transaction.existing(link.source_id), transaction.existing(link.target_id)
            if contradiction.judge(new.content, known.content) is not None:
                transaction.update_link(link.id, {"status": LinkStatus.OPEN})


def _side(memory: Memory, now: datetime) -> ContradictionSide:
    days = age(memory.last_used_at, now, DAY)
    recency = 1.0 if memory.pinned else decay.exponential(days, RECENCY_RATE_PER_DAY)
    return ContradictionSide(memory, memory.strength, memory.confidence, recency)


def _connected(links: Iterable[Link]) -> list[set[MemoryId]]:
    groups: list[set[MemoryId]] = []
    for link in links:
        ends = {link.source_id, link.target_id}
        touching = [group for group in groups if group & ends]
        groups = [group for group in groups if not group & ends]
        groups.append(ends.union(*touching))
    return groups
