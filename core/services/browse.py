"""Finding and reading memories. Looking changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import NotFound, UserError
from core.model import Filter, Link, Memory, MemoryId, Uid
from core.services.workspace import Workspace

MOST_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class Detail:
    memory: Memory
    links: list[Link]
    is_embedded: bool
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class Page:
    """`before` asks for the next page; None when this is the last."""

    memories: list[Memory]
    total: int
    before: MemoryId | None


def find(workspace: Workspace, name: str) -> Memory:
    """A memory by its id in this store or by its uid."""
    with workspace.store.read() as reader:
        found = None
        if name.isdecimal() and len(name) < 19:
            found = reader.memory(MemoryId(int(name)))
        found = found or reader.memory_by_uid(Uid(name))
    if found is None:
        raise NotFound(f"There is no memory {name[:100]!r}; `memory-inspector list` shows what there is.")
    return found


def detail(workspace: Workspace, name: str) -> Detail:
    memory = find(workspace, name)
    model = workspace.model()
    with workspace.store.read() as reader:
        found = [reader.embedding(memory.id, use.space) for use in reader.spaces() if use.space.model == model.name]
        links = reader.links_of(memory.id)
    vectors = [embedding for embedding in found if embedding is not None]
    return Detail(memory, links, bool(vectors), any(vector.truncated for vector in vectors))


def every(workspace: Workspace, wanted: Filter) -> list[Memory]:
    """All memories of a filter, oldest first."""
    with workspace.store.read() as reader:
        return [memory for page in reader.pages(wanted) for memory in page][::-1]


def page(workspace: Workspace, wanted: Filter, *, before: MemoryId | None = None, limit: int = 50) -> Page:
    """The newest memories of a filter, a page at a time."""
    if not 1 <= limit <= MOST_LISTED:
        raise UserError(f"A page holds from 1 to {MOST_LISTED:,} memories, not {limit}.")
    with workspace.store.read() as reader:
        memories = reader.page(wanted, before=before, limit=limit + 1)
        total = reader.count(wanted)
    shown = memories[:limit]
    return Page(shown, total, shown[-1].id if len(memories) > limit else None)
