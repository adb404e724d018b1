"""Lookup, listing and detail of memories. Read-only."""

from __future__ import annotations

from array import array
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.clock import DAY, age
from core.errors import NotFound, UserError
from core.model import Filter, Link, LinkKind, LinkStatus, Memory, MemoryId, Uid
from core.search_types import Order, Selection, SortColumn
from core.services.workspace import Workspace
from core.store.records import Call, CallFilter

MAX_LISTED = 10_000
ROWS_A_PAGE = 200
MAX_AT_ONCE = 100_000
MAX_TAGS = 500
MAX_RECALLS = 50

# Thresholds of the badges `stale` and `low confidence`; no ranking depends on them.
STALE_DAYS = 90.0
LOW_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class Detail:
    memory: Memory
    links: list[Link]
    is_embedded: bool
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class Page:
    """A page of memories. `before` requests the next page; None on the last."""

    memories: list[Memory]
    total: int
    before: MemoryId | None


class Mark(StrEnum):
    """Badges of a memory in a list, most urgent first."""

    CONTRADICTION = "contradiction"
    UNSURE = "unsure"
    STALE = "stale"
    NEVER_RECALLED = "never recalled"
    NOT_EMBEDDED = "not embedded"


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory in a list, with its badges."""

    memory: Memory
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of any length, without its rows: the ids in order, and the moment it was read.

    If it is not complete it is the first page of a longer one.
    """

    selection: Selection
    order: Order
    now: datetime
    ids: array[int]
    position: int | None = None
    is_whole: bool = True

    @property
    def total(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Facets:
    """Values to filter by, each with its number of memories."""

    types: dict[str, int]
    tags: dict[str, int]
    statuses: dict[str, int]
    collections: dict[str, int]
    sessions: dict[str, int]
    sources: dict[str, int]


@dataclass(frozen=True, slots=True)
class LinkedMemory:
    """A link of a memory with the memory at its other end."""

    link: Link
    other: Memory
    is_outgoing: bool


@dataclass(frozen=True, slots=True)
class RecallRecord:
    """One time a memory was returned to a client, or nearly: then `missed` says why not."""

    at: datetime
    client: str
    query: str
    profile: str
    rank: int | None
    score: float | None
    missed: str


@dataclass(frozen=True, slots=True)
class MemoryOverview:
    """Everything that the detail pane shows of a memory."""

    memory: Memory
    marks: tuple[str, ...]
    neighbours: tuple[LinkedMemory, ...]
    recalls: tuple[RecallRecord, ...]
    is_embedded: bool
    is_truncated: bool


def find(workspace: Workspace, name: str) -> Memory:
    """Return a memory by its id in this store or by its uid; NotFound if there is none."""
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


def all_memories(workspace: Workspace, wanted: Filter) -> list[Memory]:
    """Return all memories of a filter, oldest first."""
    with workspace.store.read() as reader:
        return [memory for page in reader.pages(wanted) for memory in page][::-1]


def page(workspace: Workspace, wanted: Filter, *, before: MemoryId | None = None, limit: int = 50) -> Page:
    """Return the newest memories of a filter, a page at a time."""
    if not 1 <= limit <= MAX_LISTED:
        raise UserError(f"A page holds from 1 to {MAX_LISTED:,} memories, not {limit}.")
    with workspace.store.read() as reader:
        memories = reader.page(wanted, before=before, limit=limit + 1)
        total = reader.count(wanted)
    shown = memories[:limit]
    return Page(shown, total, shown[-1].id if len(memories) > limit else None)


def listing(workspace: Workspace, selection: Selection, order: Order, *, keep: MemoryId | None = None) -> Listing:
    """Return a list of any length; `keep` is a memory whose position is returned, to find it again after a change."""
    now = workspace.store.clock.now()
    with workspace.store.read() as reader:
        ids = reader.list_ids(selection, order, now)
    return Listing(selection, order, now, ids, _position(ids, keep))


def first_page(
    workspace: Workspace, selection: Selection, order: Order, *, keep: MemoryId | None = None
) -> tuple[Listing, list[MemoryRow]]:
    """Return the first page of a list with its rows, long before a long list is complete."""
    now = workspace.store.clock.now()
    with workspace.store.read() as reader:
        ids = reader.list_ids(selection, order, now, ROWS_A_PAGE + 1)
        is_whole, ids = len(ids) <= ROWS_A_PAGE, ids[:ROWS_A_PAGE]
        listed = Listing(selection, order, now, ids, _position(ids, keep), is_whole)
        return listed, rows(workspace, listed, 0)


def _position(ids: array[int], keep: MemoryId | None) -> int | None:
    with suppress(ValueError):
        return None if keep is None else ids.index(keep)
    return None


def rows(workspace: Workspace, listed: Listing, number: int) -> list[MemoryRow]:
    """Return one page of a list, from 0."""
    wanted = (
        [MemoryId(id) for id in listed.ids[number * ROWS_A_PAGE : (number + 1) * ROWS_A_PAGE]] if number >= 0 else []
    )
    with workspace.store.read() as reader:
        known = reader.memories(wanted)
        contradicted = _contradicted(workspace, wanted)
    memories = [known[id] for id in wanted if id in known]
    return [
        MemoryRow(memory, marks(memory, listed.now, has_contradiction=memory.id in contradicted)) for memory in memories
    ]


def all_ids(workspace: Workspace, selection: Selection) -> list[MemoryId]:
    """Return every id of a list, for operations on all of them."""
    now = workspace.store.clock.now()
    with workspace.store.read() as reader:
        found = [MemoryId(id) for id in reader.list_ids(selection, Order(SortColumn.ID), now, MAX_AT_ONCE + 1)]
    if len(found) > MAX_AT_ONCE:
        raise UserError(f"At most {MAX_AT_ONCE:,} memories can be changed at once; filter the list first.")
    return found


def facets(workspace: Workspace) -> Facets:
    with workspace.store.read() as reader:
        return Facets(
            types=reader.counts_by("type"),
            tags=reader.tag_counts(MAX_TAGS),
            statuses=reader.counts_by("status"),
            collections=reader.counts_by("collection"),
            sessions=reader.counts_by("session"),
            sources=reader.counts_by("source"),
        )


def overview(workspace: Workspace, name: str) -> MemoryOverview:
    """Return a memory with its links, the memories at their other ends, and its recalls."""
    found = detail(workspace, name)
    memory = found.memory
    now = workspace.store.clock.now()
    with workspace.store.read() as reader:
        others = reader.memories({end for link in found.links for end in (link.source_id, link.target_id)})
        calls = reader.call_page(CallFilter(memory=memory.id), limit=MAX_RECALLS)
    neighbours = []
    for link in found.links:
        is_outgoing = link.source_id == memory.id
        neighbours.append(LinkedMemory(link, others[link.target_id if is_outgoing else link.source_id], is_outgoing))
    has_contradiction = any(_is_open_contradiction(link) for link in found.links)
    shown = marks(memory, now, has_contradiction=has_contradiction, is_embedded=found.is_embedded)
    recalls = tuple(_recall(call, memory.id) for call in calls if call.question is not None)
    return MemoryOverview(memory, shown, tuple(neighbours), recalls, found.is_embedded, found.is_truncated)


def marks(
    memory: Memory, now: datetime, *, has_contradiction: bool = False, is_embedded: bool = True
) -> tuple[str, ...]:
    """Return the badges of a memory."""
    unused_days = age(memory.last_used_at, now, DAY)
    is_unused = memory.access_count == 0 and memory.return_count == 0
    found = (
        (Mark.CONTRADICTION, has_contradiction),
        (Mark.UNSURE, memory.confidence < LOW_CONFIDENCE),
        (Mark.STALE, unused_days >= STALE_DAYS and not memory.pinned),
        (Mark.NEVER_RECALLED, is_unused),
        (Mark.NOT_EMBEDDED, not is_embedded),
    )
    return tuple(str(mark) for mark, holds in found if holds)


def _recall(call: Call, id: MemoryId) -> RecallRecord:
    place, result = next((place, each) for place, each in enumerate(call.results, 1) if each.memory_id == id)
    question = call.question or {}
    rank = None if result.missed else place
    asked, profile = str(question.get("query", "")), str(question.get("profile", ""))
    return RecallRecord(call.at, call.client, asked, profile, rank, result.score, result.missed)


def _contradicted(workspace: Workspace, ids: list[MemoryId]) -> set[MemoryId]:
    with workspace.store.read() as reader:
        links = reader.links_around(ids, (LinkKind.CONTRADICTS,))
    return {end for link in links if _is_open_contradiction(link) for end in (link.source_id, link.target_id)}


def _is_open_contradiction(link: Link) -> bool:
    return link.kind is LinkKind.CONTRADICTS and link.status is LinkStatus.OPEN
