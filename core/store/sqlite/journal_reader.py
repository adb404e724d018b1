"""Reading the journal, settings, golden sets, proposals and recorded calls from one snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import apsw

from core.changes import Op
from core.errors import NotFound
from core.model import Embedding, MemoryId, Space
from core.store import history
from core.store.records import (
    Call,
    CallFilter,
    Image,
    JournalEntry,
    JournalOperation,
    Judgement,
    Proposal,
    ProposalState,
    StoreState,
    Version,
)
from core.store.sqlite import calls, journal, judgements, links, memories, proposals, settings, vectors


class SqliteJournalReader:
    """The journal and what follows from it, and settings."""

    _connection: apsw.Connection

    def setting(self, name: str) -> Any:
        return settings.get(self._connection, name)

    def journal_entries(
        self, *, limit: int = 100, without: Iterable[Op] = (), actor: str | None = None
    ) -> list[JournalEntry]:
        return list(journal.entries(self._connection, limit=limit, without=without, actor=actor))

    def actors(self, without: Iterable[Op] = ()) -> dict[str, int]:
        return journal.actors(self._connection, without)

    def touched(self, seq: int, limit: int) -> tuple[int, list[MemoryId]]:
        return journal.touched(self._connection, seq, limit)

    def operation(self, seq: int) -> JournalEntry:
        found = next(journal.entries(self._connection, before=seq + 1, limit=1), None)
        if found is None or found.seq != seq:
            raise NotFound(f"There is no operation {seq}; the journal and the history of a memory show their numbers.")
        return found

    def undone(self) -> set[int]:
        """Return the operations that are undone at present."""
        return journal.undone(self._connection)

    def undoes(self, seq: int) -> list[int]:
        return journal.undoes(self._connection, seq)

    def versions(self, id: MemoryId) -> list[Version]:
        return history.versions(journal.images_of(self._connection, "memory", str(id)))

    def has_all_images(self, seq: int) -> bool:
        """Return whether the journal has every image of an operation; a purge removes some."""
        return journal.has_all_images(self._connection, seq)

    def images(self, seq: int) -> list[Image]:
        return list(journal.images(self._connection, seq))

    def all_images(self) -> Iterator[Image]:
        return journal.all_images(self._connection)

    def state(self) -> StoreState:
        return StoreState(
            memories={memory.id: memory for memory in memories.found(self._connection)},
            links={link.id: link for link in links.found(self._connection, "", ())},
            settings=dict(settings.read_all(self._connection)),
        )

    def state_at(self, moment: datetime) -> StoreState:
        return history.state_before(self.state(), journal.images_after(self._connection, moment))

    def operations(self) -> Iterator[JournalOperation]:
        """Return the whole journal, oldest first."""
        return journal.operations(self._connection)

    def operations_after(self, seq: int, limit: int) -> list[tuple[JournalEntry, list[MemoryId]]]:
        """Return the operations after a number, oldest first, each with the memories it changed."""
        return list(journal.after(self._connection, seq, limit))

    def vectors_at(self, moment: datetime, state: StoreState) -> Iterator[tuple[MemoryId, Space, Embedding]]:
        """Return the present vectors where the embedded text is the same, else those of the journal, which keeps a
        vector that a change of its text removed."""
        kept = {(id, number): taken for id, number, taken in journal.vectors_after(self._connection, moment)}
        same = history.same_embedded_text(state, self.state())
        for number, space in vectors.spaces(self._connection):
            for id in state.memories:
                if (id, number) in kept:
                    yield id, space, kept[id, number]
            for id, embedding in vectors.read_all(self._connection, number):
                if id in same and (id, number) not in kept:
                    yield id, space, embedding


class SqliteRecordReader:
    """Golden sets, proposals and recorded calls, which the journal does not mention."""

    _connection: apsw.Connection

    def judgements(self, golden_set: str, query: str | None = None) -> list[Judgement]:
        return list(judgements.of_set(self._connection, golden_set, query))

    def golden_sets(self) -> dict[str, tuple[int, int]]:
        return judgements.sets(self._connection)

    # proposals

    def proposal(self, id: int) -> Proposal:
        found = proposals.get(self._connection, id)
        if found is None:
            raise NotFound(f"There is no proposal {id}.")
        return found

    def proposals(self, state: ProposalState | None = None, *, limit: int) -> list[Proposal]:
        """Return the newest proposals first."""
        return list(proposals.of_state(self._connection, state, limit))

    def count_open_proposals(self) -> int:
        return proposals.count_open(self._connection)

    # recorded calls

    def call(self, id: int) -> Call:
        found = calls.get(self._connection, id)
        if found is None:
            raise NotFound(f"There is no call {id}.")
        return found

    def call_page(self, wanted: CallFilter, *, before: int | None = None, limit: int = 100) -> list[Call]:
        return calls.page(self._connection, wanted, before, limit)

    def call_figures(self, wanted: CallFilter, limit: int) -> list[tuple[str, str, int, int, str, str]]:
        return calls.figures(self._connection, wanted, limit)
