"""The verbs of one write, for every engine. Each checks its rules, then the Writer of the engine keeps memory, full
text, vectors, links and journal consistent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar, cast

from core import draft
from core.changes import Changes
from core.errors import NotFound, StaleEdit, UserError
from core.model import Embedding, Link, LinkId, LinkKind, Memory, MemoryId, Space, Uid
from core.store import history, undo
from core.store.protocol import Reader, Writer
from core.store.records import Call, Clean, JournalOperation, Judgement, Proposal, ProposalState, StoreState
from core.store.row_format import access_row, difference, link_to_row, memory_to_row

Verb = TypeVar("Verb", bound=Callable[..., Any])


def unchanged(value: Any) -> Any:
    return value


def verb(method: Verb) -> Verb:
    """Mark a method as a change that succeeds completely or fails the operation: after an error halfway the operation
    must not be committed, even if the error was caught."""

    @wraps(method)
    def guarded(self: Transaction, *arguments: Any, **named: Any) -> Any:
        self.refuse_if_over()
        try:
            return method(self, *arguments, **named)
        except BaseException:
            self.has_failed = True
            raise

    return cast(Verb, guarded)


class Transaction:
    """One operation in progress, made by `Store.transact` only; afterwards `changes` says what it changed."""

    def __init__(self, writer: Writer, now: datetime, clean: Clean = unchanged) -> None:
        self.now = now
        self._clean = clean
        self.is_over = self.has_failed = False
        self._writer = writer

    def reader(self) -> Reader:
        """Write what is pending, then read the store as it is now; take a new reader after each write."""
        self.refuse_if_over()
        try:
            return self._writer.reader()
        except BaseException:
            self.has_failed = True
            raise

    def refuse_if_over(self) -> None:
        if self.is_over:
            raise RuntimeError("this operation is over; what it wrote is committed or gone")

    @property
    def changes(self) -> Changes:
        return self._writer.changes

    def end(self) -> None:
        """Write what is pending before the commit; refused if a part of the operation failed."""
        if self.has_failed:
            raise RuntimeError("a part of this operation failed, so none of it is kept")
        self._writer.end()

    # memories

    @verb
    def add_memory(self, memory: Memory, embeddings: Mapping[Space, Embedding] | None = None) -> Memory:
        """Add a memory and return it with its id. New memories are written in batches, so a used uid may be refused
        only by a later verb or at the end; the operation is not committed then either."""
        return self._writer.add_memory(memory, embeddings or {})

    @verb
    def update_memory(self, id: MemoryId, changes: Mapping[str, Any], *, expected_version: int | None = None) -> Memory:
        """Change fields of a memory; StaleEdit if it is no longer the version that the caller has read."""
        if "uid" in changes:
            raise UserError("A memory's uid never changes.")
        checked = draft.changes(changes)
        old = self.existing(id, expected_version)
        new = old._replace(**checked)
        before, after = difference(memory_to_row(old), memory_to_row(new))
        if not after:
            return old
        if after.keys() - undo.ACCESS_FIELDS:
            new = new._replace(version=old.version + 1, updated_at=self.now)
            before, after = difference(memory_to_row(old), memory_to_row(new))
        self._writer.change_memory(id, before, after)
        return new

    @verb
    def count_accesses(self, accesses: Mapping[MemoryId, tuple[int, int]]) -> None:
        """Count how often memories were accessed, and how often a recall returned them; those that no longer exist are
        left out. What `update_memory` does of each, in a tenth of the time: every recall does it for all its results.
        """
        changes = []
        for id, memory in self.reader().memories(accesses).items():
            accessed, returned = accesses[id]
            counted = memory._replace(
                access_count=memory.access_count + accessed,
                return_count=memory.return_count + returned,
                last_accessed_at=self.now,
            )
            changes.append((id, access_row(memory), access_row(counted)))
        self._writer.count_accesses(changes)

    @verb
    def remove_memory(self, id: MemoryId) -> None:
        """Remove a memory from every table, its links first; the journal keeps what is needed to undo it."""
        row = memory_to_row(self.existing(id))
        for link in self.reader().links_of(id):
            self.remove_link(link.id)
        self._writer.delete_memory(id, row)

    @verb
    def purge_memories(self, ids: Collection[MemoryId]) -> None:
        """Remove memories for good, also from the journal; this cannot be undone."""
        for id in ids:
            self.existing(id)
            for link in self.reader().links_of(id):
                self._writer.purge_link(link.id)
            self._writer.purge_memory(id)
        self._writer.purge_history(ids)

    # links

    @verb
    def add_link(self, link: Link) -> Link:
        for end in (link.source_id, link.target_id):
            self.existing(end)
        if link.source_id == link.target_id:
            raise UserError("A memory cannot be linked to itself.")
        if self.reader().has_link(link):
            raise UserError(f"Memory {link.source_id} already has a {link.kind} link to {link.target_id}.")
        if link.kind is LinkKind.SUPERSEDES and link.source_id in self.reader().superseded_by(link.target_id):
            raise UserError(
                f"Memory {link.source_id} is itself superseded by {link.target_id}, so this would go in a circle."
            )
        return self._writer.add_link(replace(link, evidence=self._clean(link.evidence)))

    @verb
    def update_link(self, id: LinkId, changes: Mapping[str, Any]) -> Link:
        old = self._existing_link(id)
        new = replace(old, **self._clean(changes))
        before, after = difference(link_to_row(old), link_to_row(new))
        if after:
            self._writer.change_link(id, before, after)
        return new

    @verb
    def remove_link(self, id: LinkId) -> None:
        self._writer.delete_link(id, link_to_row(self._existing_link(id)))

    # vectors and settings

    @verb
    def put_embedding(self, id: MemoryId, space: Space, embedding: Embedding) -> None:
        """Store a vector. It can be computed again from the text, so the journal does not mention it."""
        self._writer.put_vector(id, space, embedding)

    @verb
    def set_setting(self, name: str, value: Any) -> None:
        old, value = self.reader().setting(name), self._clean(value)
        if old != value:
            self._writer.put_setting(name, {"value": old}, {"value": value})

    @verb
    def rebuild_derived(self) -> None:
        """Rebuild the full-text index and remove inconsistent vectors, which are then embedded again."""
        self._writer.rebuild_derived()

    @verb
    def note(self) -> None:
        """Write a journal entry even if nothing changes, as for a decision to change nothing."""
        self._writer.journal_seq()

    @verb
    def fill_empty(self, state: StoreState, operations: Iterable[JournalOperation] | None = None) -> None:
        """Fill an empty store with the rows of another under their own ids, and with its history if given; UserError if
        the history does not lead to those rows."""
        if self.reader().count() or self.reader().journal_entries(limit=1):
            raise UserError("Only an empty store can be filled with another one.")
        self._writer.fill_empty(state, operations or ())
        if operations is not None:
            reader = self.reader()
            try:
                history.check_history(reader.all_images(), reader.state())
            except (ValueError, KeyError, TypeError) as error:
                raise UserError("The history does not lead to the memories and links of the file.") from error

    # recorded calls

    @verb
    def record_call(self, call: Call) -> int:
        """Record a call of an agent and return its id. It changes no memory, so the journal does not mention it."""
        texts = ("client", "session", "complaint", "question", "trace")
        return self._writer.record_call(replace(call, **{name: self._clean(getattr(call, name)) for name in texts}))

    @verb
    def trim_calls(self, keep: int, days: int) -> None:
        """Delete the oldest calls beyond a number, and those older than so many days."""
        self._writer.trim_calls(keep, days)

    # golden sets

    @verb
    def put_judgement(self, judgement: Judgement) -> None:
        texts = ("golden_set", "query", "judge", "category")
        self._writer.put_judgement(
            replace(judgement, **{name: self._clean(getattr(judgement, name)) for name in texts})
        )

    @verb
    def withdraw_judgement(self, golden_set: str, query: str, memory: Uid) -> None:
        self._writer.remove_judgement(self._clean(golden_set), self._clean(query), memory)

    # proposals

    @verb
    def add_proposal(self, proposal: Proposal) -> Proposal:
        """Add a proposal and return it with its id."""
        return replace(proposal, id=self._writer.add_proposal(proposal))

    @verb
    def decide_proposal(self, id: int, state: ProposalState, actor: str) -> None:
        self._writer.decide_proposal(id, state, actor)

    # undo

    @verb
    def undo(self, seqs: Iterable[int]) -> None:
        """Undo several operations, the last first, and record that they are undone; all of them or none."""
        for seq in sorted(seqs, reverse=True):
            self.revert(seq)
            self._writer.note_undo(seq)

    @verb
    def revert(self, seq: int) -> None:
        """Revert an earlier operation, its last change first; StaleEdit if a row has changed since."""
        undo.revert(self, self._writer, seq)

    def existing(self, id: MemoryId, version: int | None = None) -> Memory:
        """Return a memory; NotFound if there is none, StaleEdit if it is not at the given version."""
        found = self.reader().memory(id)
        if found is None:
            raise NotFound(f"There is no memory {id}.")
        if version not in (None, found.version):
            raise StaleEdit(f"Memory {id} is at version {found.version} now, not {version}; read it again first.")
        return found

    def _existing_link(self, id: LinkId) -> Link:
        found = self.reader().link(id)
        if found is None:
            raise NotFound(f"There is no link {id}.")
        return found
