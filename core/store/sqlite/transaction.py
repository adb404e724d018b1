"""The verbs of one write. Each keeps memory, full text, vectors and links in step and notes what it changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar, cast

import apsw

from core import draft
from core.changes import Changes, Op
from core.errors import NotFound, StaleEdit, UserError
from core.model import EMBEDDED_FIELDS, Embedding, Link, LinkId, LinkKind, Memory, MemoryId, Space, Uid
from core.search import FIELDS
from core.store.sqlite import (
    calls,
    check,
    fulltext,
    journal,
    judgements,
    links,
    memories,
    purge,
    search_log,
    settings,
    vectors,
)
from core.store.sqlite.reader import Reader
from core.store.sqlite.rows import Row, difference
from core.store.sqlite.states import State

# Being looked at is not an edit: these change without a new version, so no editor's work is refused for it.
_ACCESS_COLUMNS = frozenset({"last_accessed_at", "access_count", "return_count"})


Verb = TypeVar("Verb", bound=Callable[..., Any])


def verb(method: Verb) -> Verb:
    """A change that is made whole or spoils the operation: caught half-way, it must not be committed all the same."""

    @wraps(method)
    def guarded(self: Transaction, *arguments: Any, **named: Any) -> Any:
        if self.is_over:
            raise RuntimeError("this operation is over; what it wrote is committed or gone")
        try:
            return method(self, *arguments, **named)
        except BaseException:
            self.is_spoilt = True
            raise

    return cast(Verb, guarded)


class Transaction:
    """One operation in progress; made by `Store.transact` only, and read from after it through `changes`."""

    def __init__(self, connection: apsw.Connection, op: Op, actor: str, reason: str, now: datetime) -> None:
        self.read = Reader(connection)
        self.now = now
        self.is_over = self.is_spoilt = False
        self._connection = connection
        self._op, self._actor, self._reason = op, actor, reason
        self._seq: int | None = None
        self._images = 0
        self._memories: set[MemoryId] = set()
        self._links: set[LinkId] = set()
        self._vectors: set[MemoryId] = set()
        self._settings: set[str] = set()
        self._spaces: dict[Space, vectors.SpaceId] = {}
        self._searched: set[MemoryId] = set()  # those that a search may find otherwise than before

    @property
    def changes(self) -> Changes:
        return Changes(
            op=self._op,
            at=self.now,
            seq=self._seq,
            memories=frozenset(self._memories),
            links=frozenset(self._links),
            vectors=frozenset(self._vectors),
            settings=frozenset(self._settings),
        )

    def end(self) -> None:
        """Called before the commit: an operation of which a part failed is not committed."""
        if self.is_spoilt:
            raise RuntimeError("a part of this operation failed, so none of it is kept")
        if self._searched:
            search_log.append(self._connection, self._searched)

    # memories

    @verb
    def add_memory(self, memory: Memory, embeddings: Mapping[Space, Embedding] | None = None) -> Memory:
        if self.read.has_uid(memory.uid):
            raise UserError(f"A memory with the uid {memory.uid} is already in the store.")
        row = memories.insert(self._connection, memory)
        saved = memories.numbered(memory, row["id"])
        fulltext.add(self._connection, saved.id, row)
        self._searched.add(saved.id)
        self._record("memory", saved.id, None, row)
        self._memories.add(saved.id)
        for space, embedding in (embeddings or {}).items():
            self.put_embedding(saved.id, space, embedding)
        return saved

    @verb
    def update_memory(self, id: MemoryId, changes: Mapping[str, Any], *, expected_version: int | None = None) -> Memory:
        """Change fields of a memory; refused when it is no longer the version the caller has read."""
        if "uid" in changes:
            raise UserError("A memory's uid never changes.")
        checked = draft.changes(changes)
        old = self.existing(id)
        if expected_version is not None and old.version != expected_version:
            raise StaleEdit(
                f"Memory {id} is at version {old.version} now, not {expected_version}; look at it again first."
            )
        new = replace(old, **checked)
        before, after = difference(memories.to_row(old), memories.to_row(new))
        if not after:
            return old
        if after.keys() - _ACCESS_COLUMNS:
            new = replace(new, version=old.version + 1, updated_at=self.now)
            before, after = difference(memories.to_row(old), memories.to_row(new))
        self._change_memory(id, before, after)
        return new

    @verb
    def remove_memory(self, id: MemoryId) -> None:
        """Take a memory out of every table, its links first; the journal keeps all that is needed to undo it."""
        row = memories.to_row(self.existing(id))
        for link in self.read.links_of(id):
            self.remove_link(link.id)
        self._delete_memory(id, row)

    @verb
    def purge_memories(self, ids: Collection[MemoryId]) -> None:
        """Forget memories for good, also in the journal; nothing can bring them back."""
        for id in ids:
            self.existing(id)
            for link in self.read.links_of(id):
                links.delete(self._connection, link.id)
                self._links.add(link.id)
            vectors.take(self._connection, id)
            fulltext.remove(self._connection, id)
            memories.delete(self._connection, id)
            self._memories.add(id)
            self._searched.add(id)
        purge.forget_images(self._connection, ids, self._links)
        purge.merge_segments(self._connection)
        self._journal_seq()

    # links

    @verb
    def add_link(self, link: Link) -> Link:
        for end in (link.source_id, link.target_id):
            self.existing(end)
        if link.source_id == link.target_id:
            raise UserError("A memory cannot be linked to itself.")
        if self.read.has_link(link):
            raise UserError(f"Memory {link.source_id} already has a {link.kind} link to {link.target_id}.")
        if link.kind is LinkKind.SUPERSEDES and link.source_id in self.read.superseded_by(link.target_id):
            raise UserError(
                f"Memory {link.source_id} is itself superseded by {link.target_id}, so this would go in a circle."
            )
        saved = links.insert(self._connection, link)
        self._record("link", saved.id, None, links.to_row(saved))
        self._links.add(saved.id)
        return saved

    @verb
    def update_link(self, id: LinkId, changes: Mapping[str, Any]) -> Link:
        old = self._existing_link(id)
        new = replace(old, **changes)
        before, after = difference(links.to_row(old), links.to_row(new))
        if after:
            links.update(self._connection, id, after)
            self._record("link", id, before, after)
            self._links.add(id)
        return new

    @verb
    def remove_link(self, id: LinkId) -> None:
        row = links.to_row(self._existing_link(id))
        links.delete(self._connection, id)
        self._record("link", id, row, None)
        self._links.add(id)

    # vectors and settings

    @verb
    def put_embedding(self, id: MemoryId, space: Space, embedding: Embedding) -> None:
        """Store a vector. It can be made again from the text at any time, so the journal does not mention it."""
        if len(embedding.vector) != space.dimension * 4:
            raise ValueError(f"{len(embedding.vector)} bytes are not {space.dimension} float32 numbers")
        known = self._spaces.get(space)
        if known is None:
            known = self._spaces[space] = vectors.ensure_space(self._connection, space, self.now)
        vectors.put(self._connection, known, id, embedding, self.now)
        self._vectors.add(id)
        self._searched.add(id)

    @verb
    def set_setting(self, name: str, value: Any) -> None:
        old = self.read.setting(name)
        if old == value:
            return
        settings.put(self._connection, name, value)
        self._record("setting", name, {"value": old}, {"value": value})
        self._settings.add(name)

    @verb
    def rebuild_derived(self) -> None:
        """Make full text anew and drop vectors out of step, which are then embedded again."""
        check.repair(self._connection)
        self._vectors.update(self.read.memory_ids())
        self._searched.add(MemoryId(search_log.ALL))
        self._journal_seq()

    @verb
    def note(self) -> None:
        """Leave a journal row even if nothing changes: a decision is a deed too."""
        self._journal_seq()

    @verb
    def lay_down(self, state: State, operations: Iterable[journal.Operation] | None = None) -> None:
        """Make an empty store what another one was, with its ids; with its history too, when that is given and leads
        to the very rows."""
        is_whole = operations is not None
        if self.read.count() or self.read.journal_entries(limit=1):
            raise UserError("Only an empty store can be made what another one was.")
        try:
            for memory in state.memories.values():
                fulltext.add(self._connection, memory.id, memories.insert(self._connection, memory))
                self._memories.add(memory.id)
                self._searched.add(memory.id)
            for link in state.links.values():
                links.insert(self._connection, link)
                self._links.add(link.id)
            for name, value in state.settings.items():
                settings.put(self._connection, name, value)
            for operation in operations or ():
                journal.lay_down(self._connection, operation, self.now)
                self._seq = operation.entry.seq
        except apsw.ConstraintError as error:
            raise UserError("Two rows have the same number, or one names another that is not there.") from error
        if is_whole:
            try:
                check.refuse_unsound_history(self._connection)
            except (ValueError, KeyError, TypeError) as error:
                raise UserError("The history does not lead to what comes with it.") from error
        memories.never_reuse_ids(self._connection)

    # the flight recorder

    @verb
    def record_call(self, call: calls.Call) -> int:
        """Write down a call of an agent; not a change of the memories, so the journal does not mention it."""
        return calls.insert(self._connection, call)

    @verb
    def trim_calls(self, keep: int, since: datetime) -> None:
        calls.trim(self._connection, keep, since)

    # golden sets

    @verb
    def put_judgement(self, judgement: judgements.Judgement) -> None:
        judgements.put(self._connection, judgement)

    @verb
    def withdraw_judgement(self, golden_set: str, query: str, memory: Uid) -> None:
        judgements.remove(self._connection, golden_set, query, memory)

    # taking back

    @verb
    def undo(self, seqs: Iterable[int]) -> None:
        """Take several operations back, the last first, and note that they are; all of them or none."""
        for seq in sorted(seqs, reverse=True):
            self.revert(seq)
            journal.note_undo(self._connection, self._journal_seq(), seq)

    @verb
    def revert(self, seq: int) -> None:
        """Take an earlier operation back, its last change first; refused when a row has moved on since."""
        if not self.read.has_operation(seq):
            raise NotFound(f"There is no operation {seq}; the journal and the history of a memory show their numbers.")
        for image in reversed(self.read.images(seq)):
            match image.entity:
                case "memory":
                    self._revert_memory(MemoryId(int(image.key)), image)
                case "link":
                    self._revert_link(LinkId(int(image.key)), image)
                case _:
                    self._revert_setting(image)
        for id, space, embedding in journal.vectors(self._connection, seq):
            vectors.put(self._connection, space, id, embedding, self.now)
            self._vectors.add(id)
            self._searched.add(id)

    def _revert_memory(self, id: MemoryId, image: journal.Image) -> None:
        found = self.read.memory(id)
        current = None if found is None else memories.to_row(found)
        self._refuse_if_moved_on(f"Memory {id}", current, image.after)
        if image.before is None:
            if self.read.links_of(id):
                raise StaleEdit(f"Memory {id} has been linked since, so this cannot be taken back.")
            self._delete_memory(id, current or {})
        elif image.after is None:
            # A version is never given twice, or an edit of a taken-back version would pass for one of this.
            row = {**image.before, "version": image.before["version"] + 1}
            if self.read.has_uid(row["uid"]):
                raise StaleEdit(f"The uid {row['uid']} is taken again, so this cannot be taken back.")
            memories.insert(self._connection, memories.from_row(row))
            fulltext.add(self._connection, id, row)
            self._record("memory", id, None, row)
            self._memories.add(id)
            self._searched.add(id)
        else:
            assert current is not None
            wanted = dict(image.before)
            if "version" in wanted:
                wanted["version"] = current["version"] + 1
            self._change_memory(id, {name: current[name] for name in wanted}, wanted)

    def _revert_link(self, id: LinkId, image: journal.Image) -> None:
        found = self.read.link(id)
        self._refuse_if_moved_on(f"Link {id}", None if found is None else links.to_row(found), image.after)
        if image.before is None:
            links.delete(self._connection, id)
        elif image.after is None:
            restored = links.from_row(image.before)
            if len(self.read.memories((restored.source_id, restored.target_id))) < 2:
                raise StaleEdit(f"Link {id} has lost one of its memories, so this cannot be taken back.")
            if self.read.has_link(restored):
                raise StaleEdit(f"Link {id} has been made anew since, so this cannot be taken back.")
            links.insert(self._connection, restored)
        else:
            links.update(self._connection, id, image.before)
        self._record("link", id, image.after, image.before)
        self._links.add(id)

    def _revert_setting(self, image: journal.Image) -> None:
        before, after = image.before or {}, image.after or {}
        self._refuse_if_moved_on(f"Setting {image.key}", {"value": self.read.setting(image.key)}, after)
        self.set_setting(image.key, before.get("value"))

    @staticmethod
    def _refuse_if_moved_on(name: str, current: Row | None, expected: Row | None) -> None:
        if expected is None and current is not None:
            raise StaleEdit(f"{name} is there again, so this cannot be taken back.")
        if expected is None:
            return
        compared = expected.keys() - _ACCESS_COLUMNS - {"version"} or expected.keys()
        if current is None or any(current[key] != expected[key] for key in compared):
            raise StaleEdit(f"{name} has changed since, so this cannot be taken back.")

    # what every verb above ends in

    def _change_memory(self, id: MemoryId, before: Row, after: Row) -> None:
        memories.update(self._connection, id, after)
        self._record("memory", id, before, after)
        if after.keys() & EMBEDDED_FIELDS:
            self._take_vectors(id)
        if after.keys() & set(FIELDS):
            fulltext.remove(self._connection, id)
            fulltext.add(self._connection, id, memories.to_row(self.existing(id)))
        if after.keys() & memories.SEARCHED_COLUMNS:
            self._searched.add(id)
        self._memories.add(id)

    def _delete_memory(self, id: MemoryId, row: Row) -> None:
        self._record("memory", id, row, None)
        self._take_vectors(id)
        fulltext.remove(self._connection, id)
        memories.delete(self._connection, id)
        self._memories.add(id)
        self._searched.add(id)

    def _take_vectors(self, id: MemoryId) -> None:
        """A vector taken away is kept with its operation, so that undo needs no model."""
        for space, embedding in vectors.take(self._connection, id):
            journal.keep_vector(self._connection, self._journal_seq(), id, space, embedding)
            self._vectors.add(id)

    def _record(self, entity: str, key: int | str, before: Row | None, after: Row | None) -> None:
        image = journal.Image(entity, str(key), before, after)
        journal.add_image(self._connection, self._journal_seq(), self._images, image)
        self._images += 1

    def _journal_seq(self) -> int:
        if self._seq is None:
            self._seq = journal.begin(self._connection, self.now, self._op, self._actor, self._reason)
        return self._seq

    def existing(self, id: MemoryId) -> Memory:
        """A memory that must be there."""
        found = self.read.memory(id)
        if found is None:
            raise NotFound(f"There is no memory {id}.")
        return found

    def _existing_link(self, id: LinkId) -> Link:
        found = self.read.link(id)
        if found is None:
            raise NotFound(f"There is no link {id}.")
        return found
