"""What follows from a memory's links: the memories that contradict it, and those that it supersedes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from core.model import Link, LinkKind, MemoryId


def contradicting(id: MemoryId, links: Iterable[Link]) -> set[MemoryId]:
    """Return the memories that a link ever marked as contradicting this one, whatever was decided."""
    claims = [link for link in links if link.kind is LinkKind.CONTRADICTS]
    return {end for link in claims for end in (link.source_id, link.target_id)} - {id}


def superseded(id: MemoryId, links_from: Callable[[MemoryId], Iterable[Link]]) -> set[MemoryId]:
    """Return the memories that this one supersedes, directly or through others. Reads the links of each once."""
    reached: set[MemoryId] = set()
    front = [id]
    while front:
        for each in links_from(front.pop()):
            if each.kind is LinkKind.SUPERSEDES and each.target_id not in reached:
                reached.add(each.target_id)
                front.append(each.target_id)
    return reached
