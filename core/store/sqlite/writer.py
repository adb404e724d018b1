"""What every write ends in: rows with their full text, vectors and journal images, and the book of what was touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice

import apsw

from core.changes import Changes, Op
from core.errors import UserError
from core.model import EMBEDDED_FIELDS, Embedding, Json, Link, LinkId, Memory, MemoryId, Space
from core.search_types import FIELDS
from core.store.records import Image, JournalOperation, Row, StoreState
from core.store.sqlite import fulltext, journal, links, memories, search_log, settings, vectors
from core.store.sqlite.rows import to_json

# New memories are gathered and written table by table: one after the other they touch a dozen tables and indexes each,
# find nothing of them in the processor's caches, and take twice as long. No more than these are gathered.
MAX_GATHERED = 2_000
MAX_GATHERED_CHARS = 4_000_000


class Writer:
    """Writes for one operation; whoever writes or reads by another way takes its `connection`."""

    def __init__(self, connection: apsw.Connection, op: Op, actor: str, reason: str, now: datetime) -> None:
        self._bare_connection = connection
        self._op, self._actor, self._reason, self._now = op, actor, reason, now
        self._seq: int | None = None
        self._images = 0
        self._spaces: dict[Space, vectors.SpaceId] = {}
        self._next_id: MemoryId | None = None
        self._gathered: list[Memory] = []
        self._gathered_chars = 0
        self._gathered_vectors: dict[Space, list[tuple[MemoryId, Embedding]]] = {}
        self.memories: set[MemoryId] = set()
        self.links: set[LinkId] = set()
        self.vectors: set[MemoryId] = set()
        self.settings: set[str] = set()
        self.searched: set[MemoryId] = set()  # those that a search may find otherwise than before

    @property
    def connection(self) -> apsw.Connection:
        """What to read from and write to: all that was gathered is there."""
        self.write_gathered()
        return self._bare_connection

    @property
    def changes(self) -> Changes:
        return Changes(
            op=self._op,
            at=self._now,
            seq=self._seq,
            memories=frozenset(self.memories),
            links=frozenset(self.links),
            vectors=frozenset(self.vectors),
            settings=frozenset(self.settings),
        )

    def end(self) -> None:
        """Before the commit."""
        self.write_gathered()
        if self.searched:
            search_log.append(self.connection, self.searched)

    # new memories

    def gather(self, memory: Memory, embeddings: Mapping[Space, Embedding]) -> Memory:
        """Take a new memory in, to be written with others; returned with its id, given to it if it has none."""
        if self._next_id is None:
            self._next_id = memories.next_id(self._bare_connection)
            self.journal_seq()  # that there is an operation is known at once
        if not memory.id:
            memory = memory.numbered(self._next_id)
        id = memory.id
        self._next_id = max(self._next_id, MemoryId(id + 1))
        for space, embedding in embeddings.items():
            self._refuse_unusable(space, embedding)
            self._gathered_vectors.setdefault(space, []).append((id, embedding))
            self.vectors.add(id)
        self._gathered.append(memory)
        self._gathered_chars += len(memory.content) + _chars(memory.provenance) + _chars(memory.context)
        self.memories.add(id)
        self.searched.add(id)
        if len(self._gathered) >= MAX_GATHERED or self._gathered_chars >= MAX_GATHERED_CHARS:
            self.write_gathered()
        return memory

    def write_gathered(self) -> None:
        if not self._gathered:
            return
        new, embedded = self._gathered, self._gathered_vectors
        self._gathered, self._gathered_chars, self._gathered_vectors, self._next_id = [], 0, {}, None
        self._insert(new)
        for space, added in embedded.items():
            vectors.add(self.connection, self._space_id(space), added, self._now)
        journal.add_new_memories(self.connection, self.journal_seq(), self._images, [memory.id for memory in new])
        self._images += len(new)

    def _insert(self, new: list[Memory]) -> None:
        try:
            memories.insert(self.connection, new)
        except apsw.ConstraintError as error:
            taken = memories.taken_uid(self.connection, new)
            if taken is None:
                raise
            raise UserError(f"A memory with the uid {taken} is already in the store.") from error
        fulltext.add(self.connection, list(map(fulltext.of_memory, new)))

    # memories that are there

    def change_memory(self, id: MemoryId, before: Row, after: Row) -> None:
        memories.update(self.connection, id, after)
        self._record([Image("memory", str(id), before, after)])
        if after.keys() & EMBEDDED_FIELDS:
            self._take_vectors(id)
        if after.keys() & set(FIELDS):
            fulltext.remove(self.connection, id)
            fulltext.add(self.connection, list(fulltext.of_file(self.connection, "where m.id = ?", (id,))))
        if after.keys() & memories.SEARCHED_COLUMNS:
            self.searched.add(id)
        self.memories.add(id)

    def delete_memory(self, id: MemoryId, row: Row) -> None:
        self._record([Image("memory", str(id), row, None)])
        self._take_vectors(id)
        fulltext.remove(self.connection, id)
        memories.delete(self.connection, id)
        self.memories.add(id)
        self.searched.add(id)

    def purge_memory(self, id: MemoryId) -> None:
        """Without a trace in the journal."""
        vectors.take(self.connection, id)
        fulltext.remove(self.connection, id)
        memories.delete(self.connection, id)
        self.memories.add(id)
        self.searched.add(id)

    # vectors

    def put_vector(self, id: MemoryId, space: Space, embedding: Embedding) -> None:
        self._refuse_unusable(space, embedding)
        self.put_vector_in(self._space_id(space), id, embedding)

    def put_vector_in(self, space: vectors.SpaceId, id: MemoryId, embedding: Embedding) -> None:
        vectors.put(self.connection, space, id, embedding, self._now)
        self.vectors.add(id)
        self.searched.add(id)

    def _refuse_unusable(self, space: Space, embedding: Embedding) -> None:
        if len(embedding.vector) != space.dimension * 4:
            raise ValueError(f"{len(embedding.vector)} bytes are not {space.dimension} float32 numbers")
        if not vectors.is_usable(self._bare_connection, embedding.vector):
            raise UserError(f"A vector of {space.model} is all zeros or not finite, so it can be compared with none.")

    def _space_id(self, space: Space) -> vectors.SpaceId:
        known = self._spaces.get(space)
        if known is None:
            known = self._spaces[space] = vectors.ensure_space(self._bare_connection, space, self._now)
        return known

    def _take_vectors(self, id: MemoryId) -> None:
        """A vector taken away is kept with its operation, so that undo needs no model."""
        for space, embedding in vectors.take(self.connection, id):
            journal.keep_vector(self.connection, self.journal_seq(), id, space, embedding)
            self.vectors.add(id)

    # links and settings

    def add_link(self, link: Link) -> Link:
        saved = links.insert(self.connection, link)
        self._record_link(saved.id, None, links.to_row(saved))
        return saved

    def change_link(self, id: LinkId, before: Row, after: Row) -> None:
        links.update(self.connection, id, after)
        self._record_link(id, before, after)

    def delete_link(self, id: LinkId, row: Row) -> None:
        links.delete(self.connection, id)
        self._record_link(id, row, None)

    def purge_link(self, id: LinkId) -> None:
        links.delete(self.connection, id)
        self.links.add(id)

    def put_setting(self, name: str, before: Row, after: Row) -> None:
        settings.put(self.connection, name, after["value"])
        self._record([Image("setting", name, before, after)])
        self.settings.add(name)

    # the journal

    def journal_seq(self) -> int:
        if self._seq is None:
            self._seq = journal.begin(self._bare_connection, self._now, self._op, self._actor, self._reason)
        return self._seq

    def _record_link(self, id: LinkId, before: Row | None, after: Row | None) -> None:
        self._record([Image("link", str(id), before, after)])
        self.links.add(id)

    def _record(self, images: Sequence[Image]) -> None:
        journal.add_images(self.connection, self.journal_seq(), self._images, images)
        self._images += len(images)

    # what another store was

    def lay_down(self, state: StoreState, operations: Iterable[JournalOperation]) -> None:
        """Rows under their own numbers; their history is what is given of it."""
        given = iter(state.memories.values())
        while some := list(islice(given, MAX_GATHERED)):
            self._insert(some)
        self.memories.update(state.memories)
        self.searched.update(state.memories)
        for link in state.links.values():
            links.insert(self.connection, link)
        self.links.update(state.links)
        for name, value in state.settings.items():
            settings.put(self.connection, name, value)
        for operation in operations:
            journal.lay_down(self.connection, operation, self._now)
            self._seq = operation.entry.seq


def _chars(value: Json) -> int:
    return len(to_json(value)) if value else 0
