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
from core.model import Embedding, Link, LinkId, LinkKind, Memory, MemoryId, Space, Uid
from core.store.records import Call, Clean, Image, JournalOperation, Judgement, Proposal, ProposalState, Row, StoreState
from core.store.sqlite import calls, check, journal, judgements, links, memories, proposals, purge, search_log, vectors
from core.store.sqlite.reader import Reader
from core.store.sqlite.rows import difference
from core.store.sqlite.writer import Writer

# Being looked at is not an edit: these change without a new version, so no editor's work is refused for it.
_ACCESS_COLUMNS = frozenset({"last_accessed_at", "access_count", "return_count"})


Verb = TypeVar("Verb", bound=Callable[..., Any])


def unchanged(value: Any) -> Any:
    return value


def verb(method: Verb) -> Verb:
    """A change that is made whole or spoils the operation: caught half-way, it must not be committed all the same."""

    @wraps(method)
    def guarded(self: Transaction, *arguments: Any, **named: Any) -> Any:
        self.refuse_if_over()
        try:
            return method(self, *arguments, **named)
        except BaseException:
            self.is_spoilt = True
            raise

    return cast(Verb, guarded)


class Transaction:
    """One operation in progress; made by `Store.transact` only, and read from after it through `changes`."""

    def __init__(
        self, connection: apsw.Connection, op: Op, actor: str, reason: str, now: datetime, clean: Clean = unchanged
    ) -> None:
        self.now = now
        self._clean = clean
        self.is_over = self.is_spoilt = False
        self._connection = connection
        self._writer = Writer(connection, op, actor, reason, now)

    @property
    def read(self) -> Reader:
        """The store with all that was written so far; to be taken anew after a write."""
        self.refuse_if_over()
        try:
            self._writer.write_gathered()
        except BaseException:
            self.is_spoilt = True
            raise
        return Reader(self._connection)  # what one has read it keeps

    def refuse_if_over(self) -> None:
        if self.is_over:
            raise RuntimeError("this operation is over; what it wrote is committed or gone")

    @property
    def changes(self) -> Changes:
        return self._writer.changes

    def end(self) -> None:
        """Called before the commit: an operation of which a part failed is not committed."""
        if self.is_spoilt:
            raise RuntimeError("a part of this operation failed, so none of it is kept")
        self._writer.end()

    # memories

    @verb
    def add_memory(self, memory: Memory, embeddings: Mapping[Space, Embedding] | None = None) -> Memory:
        """Returned with its id. Written with others, so that a uid that is taken may be found only by a later verb or
        at the end; none of the operation is kept then either."""
        return self._writer.gather(memory, embeddings or {})

    @verb
    def update_memory(self, id: MemoryId, changes: Mapping[str, Any], *, expected_version: int | None = None) -> Memory:
        """Change fields of a memory; refused when it is no longer the version the caller has read."""
        if "uid" in changes:
            raise UserError("A memory's uid never changes.")
        checked = draft.changes(changes)
        old = self.existing(id, expected_version)
        new = old._replace(**checked)
        before, after = difference(memories.to_row(old), memories.to_row(new))
        if not after:
            return old
        if after.keys() - _ACCESS_COLUMNS:
            new = new._replace(version=old.version + 1, updated_at=self.now)
            before, after = difference(memories.to_row(old), memories.to_row(new))
        self._writer.change_memory(id, before, after)
        return new

    @verb
    def remove_memory(self, id: MemoryId) -> None:
        """Take a memory out of every table, its links first; the journal keeps all that is needed to undo it."""
        row = memories.to_row(self.existing(id))
        for link in self.read.links_of(id):
            self.remove_link(link.id)
        self._writer.delete_memory(id, row)

    @verb
    def purge_memories(self, ids: Collection[MemoryId]) -> None:
        """Forget memories for good, also in the journal; nothing can bring them back."""
        for id in ids:
            self.existing(id)
            for link in self.read.links_of(id):
                self._writer.purge_link(link.id)
            self._writer.purge_memory(id)
        purge.forget_images(self._writer.connection, ids, self._writer.links)
        purge.merge_segments(self._writer.connection)
        self._writer.journal_seq()

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
        return self._writer.add_link(replace(link, evidence=self._clean(link.evidence)))

    @verb
    def update_link(self, id: LinkId, changes: Mapping[str, Any]) -> Link:
        old = self._existing_link(id)
        new = replace(old, **self._clean(changes))
        before, after = difference(links.to_row(old), links.to_row(new))
        if after:
            self._writer.change_link(id, before, after)
        return new

    @verb
    def remove_link(self, id: LinkId) -> None:
        self._writer.delete_link(id, links.to_row(self._existing_link(id)))

    # vectors and settings

    @verb
    def put_embedding(self, id: MemoryId, space: Space, embedding: Embedding) -> None:
        """Store a vector. It can be made again from the text at any time, so the journal does not mention it."""
        self._writer.put_vector(id, space, embedding)

    @verb
    def set_setting(self, name: str, value: Any) -> None:
        old, value = self.read.setting(name), self._clean(value)
        if old != value:
            self._writer.put_setting(name, {"value": old}, {"value": value})

    @verb
    def rebuild_derived(self) -> None:
        """Make full text anew and drop vectors out of step, which are then embedded again."""
        check.repair(self._writer.connection)
        self._writer.vectors.update(self.read.memory_ids())
        self._writer.searched.add(MemoryId(search_log.ALL))
        self._writer.journal_seq()

    @verb
    def note(self) -> None:
        """Leave a journal row even if nothing changes: a decision is a deed too."""
        self._writer.journal_seq()

    @verb
    def lay_down(self, state: StoreState, operations: Iterable[JournalOperation] | None = None) -> None:
        """Make an empty store what another one was, with its ids; with its history too, when that is given and leads
        to the very rows."""
        if self.read.count() or self.read.journal_entries(limit=1):
            raise UserError("Only an empty store can be made what another one was.")
        try:
            self._writer.lay_down(state, operations or ())
        except apsw.ConstraintError as error:
            raise UserError("Two rows have the same number, or one names another that is not there.") from error
        if operations is not None:
            try:
                check.refuse_unsound_history(self._writer.connection)
            except (ValueError, KeyError, TypeError) as error:
                raise UserError("The history does not lead to what comes with it.") from error
        memories.never_reuse_ids(self._writer.connection)

    # the flight recorder

    @verb
    def record_call(self, call: Call) -> int:
        """Write down a call of an agent; not a change of the memories, so the journal does not mention it."""
        texts = ("client", "session", "complaint", "question", "trace")
        return calls.insert(
            self._writer.connection, replace(call, **{name: self._clean(getattr(call, name)) for name in texts})
        )

    @verb
    def trim_calls(self, keep: int, days: int) -> None:
        """Let go of the calls beyond a number, and of those older than so many days."""
        calls.trim(self._writer.connection, keep)
        calls.trim_old(self._writer.connection, self.now, days)

    # golden sets

    @verb
    def put_judgement(self, judgement: Judgement) -> None:
        texts = ("golden_set", "query", "judge", "category")
        judgements.put(
            self._writer.connection,
            replace(judgement, **{name: self._clean(getattr(judgement, name)) for name in texts}),
        )

    @verb
    def withdraw_judgement(self, golden_set: str, query: str, memory: Uid) -> None:
        judgements.remove(self._writer.connection, self._clean(golden_set), self._clean(query), memory)

    # proposals

    @verb
    def add_proposal(self, proposal: Proposal) -> Proposal:
        """Returned with its id."""
        return replace(proposal, id=proposals.insert(self._writer.connection, proposal))

    @verb
    def decide_proposal(self, id: int, state: ProposalState, actor: str) -> None:
        proposals.decide(self._writer.connection, id, state, actor, self.now)

    # taking back

    @verb
    def undo(self, seqs: Iterable[int]) -> None:
        """Take several operations back, the last first, and note that they are; all of them or none."""
        for seq in sorted(seqs, reverse=True):
            self.revert(seq)
            journal.note_undo(self._writer.connection, self._writer.journal_seq(), seq)

    @verb
    def revert(self, seq: int) -> None:
        """Take an earlier operation back, its last change first; refused when a row has moved on since."""
        self.read.operation(seq)  # or says that there is none
        for image in reversed(self.read.images(seq)):
            match image.entity:
                case "memory":
                    self._revert_memory(MemoryId(int(image.key)), image)
                case "link":
                    self._revert_link(LinkId(int(image.key)), image)
                case _:
                    self._revert_setting(image)
        taken = list(journal.vectors(self._writer.connection, seq))
        back = self.read.memories({id for id, _, _ in taken})  # but for one that the operation itself had added
        for id, space, embedding in taken:
            if id in back and vectors.is_usable(self._writer.connection, embedding.vector):  # else it is embedded anew
                self._writer.put_vector_in(space, id, embedding)

    def _revert_memory(self, id: MemoryId, image: Image) -> None:
        found = self.read.memory(id)
        current = None if found is None else memories.to_row(found)
        self._refuse_if_moved_on(f"Memory {id}", current, image.after)
        if image.before is None:
            if self.read.links_of(id):
                raise StaleEdit(f"Memory {id} has been linked since, so this cannot be taken back.")
            self._writer.delete_memory(id, current or {})
        elif image.after is None:
            # A version is never given twice, or an edit of a taken-back version would pass for one of this.
            row = {**image.before, "version": image.before["version"] + 1}
            if self.read.has_uid(row["uid"]):
                raise StaleEdit(f"The uid {row['uid']} is taken again, so this cannot be taken back.")
            self._writer.gather(memories.from_row(row), {})
        else:
            assert current is not None
            wanted = dict(image.before)
            if "version" in wanted:
                wanted["version"] = current["version"] + 1
            self._writer.change_memory(id, {name: current[name] for name in wanted}, wanted)

    def _revert_link(self, id: LinkId, image: Image) -> None:
        found = self.read.link(id)
        self._refuse_if_moved_on(f"Link {id}", None if found is None else links.to_row(found), image.after)
        if image.before is None:
            self._writer.delete_link(id, image.after or {})
        elif image.after is None:
            restored = links.from_row(image.before)
            if len(self.read.memories((restored.source_id, restored.target_id))) < 2:
                raise StaleEdit(f"Link {id} has lost one of its memories, so this cannot be taken back.")
            if self.read.has_link(restored):
                raise StaleEdit(f"Link {id} has been made anew since, so this cannot be taken back.")
            self._writer.add_link(restored)
        else:
            self._writer.change_link(id, image.after, image.before)

    def _revert_setting(self, image: Image) -> None:
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

    def existing(self, id: MemoryId, version: int | None = None) -> Memory:
        """A memory that must be there, and still at a version if one is given."""
        found = self.read.memory(id)
        if found is None:
            raise NotFound(f"There is no memory {id}.")
        if version not in (None, found.version):
            raise StaleEdit(f"Memory {id} is at version {found.version} now, not {version}; look at it again first.")
        return found

    def _existing_link(self, id: LinkId) -> Link:
        found = self.read.link(id)
        if found is None:
            raise NotFound(f"There is no link {id}.")
        return found
