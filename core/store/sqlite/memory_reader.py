"""Reading memories and links from one snapshot."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import apsw

from core.model import Filter, Link, LinkId, LinkKind, Memory, MemoryId, Uid
from core.search_types import Order, Selection
from core.store import link_graph
from core.store.sqlite import links, listing, memories

MEMORIES_A_PAGE = 1_000


class SqliteMemoryReader:
    """Memories: one, some, pages, lists and counts. `core/store/protocol.py` says what each method returns."""

    _connection: apsw.Connection

    def memory(self, id: MemoryId) -> Memory | None:
        return memories.get(self._connection, id)

    def memory_by_uid(self, uid: Uid) -> Memory | None:
        return memories.get_by_uid(self._connection, uid)

    def memories(self, ids: Iterable[MemoryId]) -> dict[MemoryId, Memory]:
        """Return the memories of the ids that exist."""
        return {memory.id: memory for memory in memories.of_ids(self._connection, ids)}

    def has_uid(self, uid: Uid) -> bool:
        return memories.has_uid(self._connection, uid)

    def same_content(self, content: str) -> list[Memory]:
        """Return memories whose text differs at most in case, spacing and character forms."""
        return memories.same_content(self._connection, content)

    def page(self, wanted: Filter, *, before: MemoryId | None = None, limit: int = 100) -> list[Memory]:
        """Return the newest memories of a filter; `before` is the last id of the page already seen."""
        return memories.page(self._connection, wanted, before, limit)

    def list_ids(self, wanted: Selection, order: Order, now: datetime, limit: int | None = None) -> array[int]:
        return listing.ids(self._connection, wanted, order, now, limit)

    def count_between(self, borders: Sequence[datetime], *, by_use: bool) -> list[int]:
        return listing.count_between(self._connection, borders, by_use=by_use)

    def pages(self, wanted: Filter) -> Iterator[list[Memory]]:
        """Yield all memories of a filter, newest first, a page at a time."""
        before: MemoryId | None = None
        while found := self.page(wanted, before=before, limit=MEMORIES_A_PAGE):
            yield found
            before = found[-1].id

    def predecessor(self, memory: Memory) -> Memory | None:
        """Return the memory before this one in its session."""
        return memories.predecessor(self._connection, memory)

    def next_memories(self, after: MemoryId, limit: int) -> list[Memory]:
        """Return the memories after an id, in the order in which they came."""
        return memories.after(self._connection, after, limit)

    def memory_ids(self) -> list[MemoryId]:
        return memories.ids(self._connection)

    def fitting(self, ids: Iterable[MemoryId], wanted: Filter) -> set[MemoryId]:
        """Return those of the ids that a filter lets through."""
        condition, bindings = memories.condition(wanted)
        return set(memories.fitting(self._connection, sorted(ids), condition, bindings))

    def newest_created_at(self) -> datetime | None:
        return memories.newest_created_at(self._connection)

    def counts_by(self, column: str) -> dict[str, int]:
        return listing.counts_by(self._connection, column)

    def tag_counts(self, limit: int) -> dict[str, int]:
        return listing.tag_counts(self._connection, limit)


class SqliteLinkReader:
    """Links, and what follows from them."""

    _connection: apsw.Connection

    def link(self, id: LinkId) -> Link | None:
        return links.get(self._connection, id)

    def has_link(self, link: Link) -> bool:
        return links.is_there(self._connection, link)

    def links_of_kind(self, kind: LinkKind) -> list[Link]:
        return links.of_kind(self._connection, kind)

    def links_from(self, id: MemoryId) -> list[Link]:
        return links.from_memory(self._connection, id)

    def links_of(self, id: MemoryId) -> list[Link]:
        return links.of_memory(self._connection, id)

    def links_around(self, ids: Iterable[MemoryId], kinds: Iterable[LinkKind]) -> list[Link]:
        return links.around(self._connection, ids, kinds)

    def contradicting(self, id: MemoryId) -> set[MemoryId]:
        return link_graph.contradicting(id, self.links_of(id))

    def superseded_by(self, id: MemoryId) -> set[MemoryId]:
        return link_graph.superseded(id, self.links_from)

    def most_linked(self, limit: int) -> list[tuple[MemoryId, int]]:
        return links.most_linked(self._connection, limit)

    def count_links(self) -> int:
        return links.count(self._connection)
