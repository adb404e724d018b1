"""The SQLite engine's Writer: rows with their full text, vectors and journal images, and a record of what changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice

import apsw

from core.changes import Changes, Op
from core.errors import UserError
from core.model import EMBEDDED_FIELDS, Embedding, Json, Link, LinkId, Memory, MemoryId, Space, Uid
from core.search_types import FIELDS
from core.store.json_text import to_json
from core.store.records import Call, Image, JournalOperation, Judgement, Proposal, ProposalState, Row, StoreState
from core.store.row_format import difference, link_to_row
from core.store.sqlite import (
    calls,
    check,
    fulltext,
    journal,
    judgements,
    links,
    memories,
    proposals,
    purge,
    search_log,
    settings,
    vectors,
)
from core.store.sqlite.reader import SqliteReader

# New memories are written in batches table by table: one by one each touches a dozen tables and indexes that have left
# the processor's caches, which takes twice as long. The limits of a batch.
MAX_PENDING = 2_000
MAX_PENDING_CHARS = 4_000_000


class SqliteWriter:
    """Writes for one operation. New memories are written in batches; `flushed()` writes them and returns the
    connection, so that every other read and write sees them."""

    def __init__(self, connection: apsw.Connection, op: Op, actor: str, reason: str, now: datetime) -> None:
        self._connection = connection
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
        self.searched: set[MemoryId] = set()  # those that a search may find otherwise
        self.ranked: set[MemoryId] = set()  # those that a stage may score otherwise

    def reader(self) -> SqliteReader:
        return SqliteReader(self.flushed())  # a new one each time: a reader keeps what it has read

    def flushed(self) -> apsw.Connection:
        """Write the new memories that are pending and return the connection to read from and write to."""
        self.flush()
        return self._connection

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
        """Write what is pending, before the commit."""
        self.flush()
        if self.searched or self.ranked:
            search_log.append(self.flushed(), self.searched, self.ranked)

    # new memories

    def add_memory(self, memory: Memory, embeddings: Mapping[Space, Embedding]) -> Memory:
        """Keep a new memory to be written with others; returned with its id, a new one if it has none."""
        if self._next_id is None:
            self._next_id = memories.next_id(self._connection)
            self.journal_seq()  # so that the operation has its number from the start
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
        if len(self._gathered) >= MAX_PENDING or self._gathered_chars >= MAX_PENDING_CHARS:
            self.flush()
        return memory

    def flush(self) -> None:
        if not self._gathered:
            return
        new, embedded = self._gathered, self._gathered_vectors
        self._gathered, self._gathered_chars, self._gathered_vectors, self._next_id = [], 0, {}, None
        self._insert(new)
        for space, added in embedded.items():
            vectors.add(self.flushed(), self._space_id(space), added, self._now)
        journal.add_new_memories(self.flushed(), self.journal_seq(), self._images, [memory.id for memory in new])
        self._images += len(new)

    def _insert(self, new: list[Memory]) -> None:
        try:
            memories.insert(self.flushed(), new)
        except apsw.ConstraintError as error:
            taken = memories.taken_uid(self.flushed(), new)
            if taken is None:
                raise
            raise UserError(f"A memory with the uid {taken} is already in the store.") from error
        fulltext.add(self.flushed(), list(map(fulltext.of_memory, new)))

    # existing memories

    def change_memory(self, id: MemoryId, before: Row, after: Row) -> None:
        memories.update(self.flushed(), id, after)
        self._record([Image("memory", str(id), before, after)])
        if after.keys() & EMBEDDED_FIELDS:
            self._take_vectors(id)
        if after.keys() & set(FIELDS):
            fulltext.remove(self.flushed(), id)
            fulltext.add(self.flushed(), list(fulltext.of_file(self.flushed(), "where m.id = ?", (id,))))
        if after.keys() & memories.SEARCHED_COLUMNS:
            self.searched.add(id)
        if after.keys() & memories.RANKED_COLUMNS:
            self.ranked.add(id)
        self.memories.add(id)

    def count_accesses(self, changes: Sequence[tuple[MemoryId, Row, Row]]) -> None:
        """Change the fields that count accesses, of each memory from one row to another."""
        memories.count_accesses(self.flushed(), [(after, id) for id, _, after in changes])
        self._record([Image("memory", str(id), *difference(before, after)) for id, before, after in changes])
        ids = [id for id, _, _ in changes]
        self.ranked.update(ids)
        self.memories.update(ids)

    def delete_memory(self, id: MemoryId, row: Row) -> None:
        self._record([Image("memory", str(id), row, None)])
        self._take_vectors(id)
        fulltext.remove(self.flushed(), id)
        memories.delete(self.flushed(), id)
        self.memories.add(id)
        self.searched.add(id)

    def purge_memory(self, id: MemoryId) -> None:
        """Remove a memory without a journal image."""
        vectors.take(self.flushed(), id)
        fulltext.remove(self.flushed(), id)
        memories.delete(self.flushed(), id)
        self.memories.add(id)
        self.searched.add(id)

    def purge_history(self, ids: Collection[MemoryId]) -> None:
        """Remove purged memories and links from journal, calls and full-text segments."""
        purge.forget_images(self.flushed(), ids, self.links)
        purge.merge_segments(self.flushed())
        self.journal_seq()

    def rebuild_derived(self) -> None:
        check.repair(self.flushed())
        self.vectors.update(memories.ids(self._connection))
        self.searched.add(MemoryId(search_log.ALL))
        self.journal_seq()

    # vectors

    def put_vector(self, id: MemoryId, space: Space, embedding: Embedding) -> None:
        self._refuse_unusable(space, embedding)
        self._put_vector(self._space_id(space), id, embedding)

    def restore_vectors(self, seq: int) -> None:
        """Restore the vectors that an operation removed, of memories that exist; an unusable one is embedded again."""
        taken = list(journal.vectors(self.flushed(), seq))
        existing = {memory.id for memory in memories.of_ids(self._connection, {id for id, _, _ in taken})}
        for id, space, embedding in taken:
            if id in existing and vectors.is_usable(self._connection, embedding.vector):
                self._put_vector(space, id, embedding)

    def _put_vector(self, space: vectors.SpaceId, id: MemoryId, embedding: Embedding) -> None:
        vectors.put(self.flushed(), space, id, embedding, self._now)
        self.vectors.add(id)
        self.searched.add(id)

    def _refuse_unusable(self, space: Space, embedding: Embedding) -> None:
        if len(embedding.vector) != space.dimension * 4:
            raise ValueError(f"{len(embedding.vector)} bytes are not {space.dimension} float32 numbers")
        if not vectors.is_usable(self._connection, embedding.vector):
            raise UserError(
                f"A vector of {space.model} is all zeros or not finite, so it cannot be compared with others."
            )

    def _space_id(self, space: Space) -> vectors.SpaceId:
        known = self._spaces.get(space)
        if known is None:
            known = self._spaces[space] = vectors.ensure_space(self._connection, space, self._now)
        return known

    def _take_vectors(self, id: MemoryId) -> None:
        """Remove a memory's vectors; the journal keeps them, so that undo needs no model."""
        for space, embedding in vectors.take(self.flushed(), id):
            journal.keep_vector(self.flushed(), self.journal_seq(), id, space, embedding)
            self.vectors.add(id)

    # links and settings

    def add_link(self, link: Link) -> Link:
        saved = links.insert(self.flushed(), link)
        self._record_link(saved.id, None, link_to_row(saved))
        return saved

    def change_link(self, id: LinkId, before: Row, after: Row) -> None:
        links.update(self.flushed(), id, after)
        self._record_link(id, before, after)

    def delete_link(self, id: LinkId, row: Row) -> None:
        links.delete(self.flushed(), id)
        self._record_link(id, row, None)

    def purge_link(self, id: LinkId) -> None:
        links.delete(self.flushed(), id)
        self.links.add(id)

    def put_setting(self, name: str, before: Row, after: Row) -> None:
        settings.put(self.flushed(), name, after["value"])
        self._record([Image("setting", name, before, after)])
        self.settings.add(name)

    # the journal

    def journal_seq(self) -> int:
        if self._seq is None:
            self._seq = journal.begin(self._connection, self._now, self._op, self._actor, self._reason)
        return self._seq

    def note_undo(self, seq: int) -> None:
        """Record that this operation undoes another."""
        journal.note_undo(self.flushed(), self.journal_seq(), seq)

    def _record_link(self, id: LinkId, before: Row | None, after: Row | None) -> None:
        self._record([Image("link", str(id), before, after)])
        self.links.add(id)

    def _record(self, images: Sequence[Image]) -> None:
        journal.add_images(self.flushed(), self.journal_seq(), self._images, images)
        self._images += len(images)

    def fill_empty(self, state: StoreState, operations: Iterable[JournalOperation]) -> None:
        """Fill an empty store with rows under their own ids and with the given journal; later rows get other ids."""
        try:
            self._fill_empty(state, operations)
        except apsw.ConstraintError as error:
            raise UserError("Two rows have the same number, or one names another that is not there.") from error
        memories.never_reuse_ids(self.flushed())

    def _fill_empty(self, state: StoreState, operations: Iterable[JournalOperation]) -> None:
        given = iter(state.memories.values())
        while some := list(islice(given, MAX_PENDING)):
            self._insert(some)
        self.memories.update(state.memories)
        self.searched.update(state.memories)
        for link in state.links.values():
            links.insert(self.flushed(), link)
        self.links.update(state.links)
        for name, value in state.settings.items():
            settings.put(self.flushed(), name, value)
        for operation in operations:
            journal.insert_operation(self.flushed(), operation, self._now)
            self._seq = operation.entry.seq

    # calls, judgements and proposals, which the journal does not mention

    def record_call(self, call: Call) -> int:
        return calls.insert(self.flushed(), call)

    def trim_calls(self, keep: int, days: int) -> None:
        calls.trim(self.flushed(), keep)
        calls.trim_old(self.flushed(), self._now, days)

    def put_judgement(self, judgement: Judgement) -> None:
        judgements.put(self.flushed(), judgement)

    def remove_judgement(self, golden_set: str, query: str, memory: Uid) -> None:
        judgements.remove(self.flushed(), golden_set, query, memory)

    def add_proposal(self, proposal: Proposal) -> int:
        return proposals.insert(self.flushed(), proposal)

    def decide_proposal(self, id: int, state: ProposalState, actor: str) -> None:
        proposals.decide(self.flushed(), id, state, actor, self._now)


def _chars(value: Json) -> int:
    return len(to_json(value)) if value else 0
