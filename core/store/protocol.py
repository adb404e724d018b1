"""The protocols of a store: all that modules above the store know of an engine.

An engine implements Store, Reader and Writer, and Maintenance if it can. The rules of a write are not in the engine:
`core/store/transaction.py` checks them once and calls the Writer of the engine. Parameters that an implementation may
name itself are positional only.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.changes import Changes, Op
from core.clock import Clock
from core.location import StoreLocation
from core.model import UNSAVED, Embedding, Filter, Link, LinkId, LinkKind, Memory, MemoryId, Space, Uid
from core.search_reader import LinkSearchReader, MemorySearchReader, SearchReader, TextSearchReader, VectorSearchReader
from core.search_types import Order, Selection, Vocabulary
from core.store.records import (
    Backup,
    Call,
    CallFilter,
    CheckFinding,
    Clean,
    Image,
    JournalEntry,
    JournalOperation,
    Judgement,
    Proposal,
    ProposalState,
    Row,
    SpaceUse,
    StoreState,
    Version,
)

if TYPE_CHECKING:
    from core.store.transaction import Transaction


class MemoryReader(MemorySearchReader, Protocol):
    """Memories by id, uid, text, page and session."""

    def memory(self, id: MemoryId, /) -> Memory | None: ...
    def memory_by_uid(self, uid: Uid, /) -> Memory | None: ...
    def has_uid(self, uid: Uid, /) -> bool: ...
    def same_content(self, content: str, /) -> list[Memory]:
        """Return memories whose text differs at most in case, spacing and character forms."""
        ...

    def page(self, wanted: Filter, /, *, before: MemoryId | None = None, limit: int = 100) -> list[Memory]:
        """Return the newest memories that pass a filter; `before` is the last id of the page before."""
        ...

    def pages(self, wanted: Filter, /) -> Iterator[list[Memory]]:
        """Return all memories that pass a filter, newest first, a page at a time."""
        ...

    def list_ids(self, wanted: Selection, order: Order, now: datetime, limit: int | None = None) -> array[int]:
        """Return the ids of a selection in order, eight bytes each."""
        ...

    def next_memories(self, after: MemoryId, limit: int, /) -> list[Memory]:
        """Return the memories after an id, by id."""
        ...

    def predecessor(self, memory: Memory, /) -> Memory | None:
        """Return the memory before this one in its session."""
        ...

    def memory_ids(self) -> list[MemoryId]: ...


class TextReader(TextSearchReader, Protocol):
    """Full-text search, and how many memories hold a word."""

    def vocabulary(self, words: Sequence[str], /) -> Vocabulary: ...
    def matching(self, query: str, /, *, stemmed: bool = False, limit: int = 100) -> list[tuple[MemoryId, float]]:
        """Return memories with any of the query's words in any field, best first."""
        ...


class VectorReader(VectorSearchReader, Protocol):
    """Vector search, and which memories are embedded in which space."""

    def spaces(self) -> list[SpaceUse]: ...
    def vectors(self) -> Iterator[tuple[MemoryId, Space, Embedding]]:
        """Return every vector of the store."""
        ...

    def sample_vectors(self, space: Space, most: int, /) -> dict[MemoryId, bytes]:
        """Return at most so many vectors of a space, evenly by id, the same ones every time."""
        ...

    def not_embedded(self, space: Space, /, *, after: MemoryId = UNSAVED, limit: int = 64) -> list[Memory]: ...
    def expect_questions(self, space: Space | None, /) -> None:
        """Begin to load what makes searches fast, where one search is worth that."""
        ...


class LinkReader(LinkSearchReader, Protocol):
    """Links, and what follows from them."""

    def link(self, id: LinkId, /) -> Link | None: ...
    def has_link(self, link: Link, /) -> bool:
        """Return whether the same two memories are linked by the same kind."""
        ...

    def links_of_kind(self, kind: LinkKind, /) -> list[Link]: ...
    def links_from(self, id: MemoryId, /) -> list[Link]: ...
    def links_of(self, id: MemoryId, /) -> list[Link]:
        """Return links from a memory and links to it."""
        ...

    def contradicting(self, id: MemoryId, /) -> set[MemoryId]:
        """Return the memories that a link ever marked as contradicting this one, whatever was decided."""
        ...

    def superseded_by(self, id: MemoryId, /) -> set[MemoryId]:
        """Return the memories that this one supersedes, directly or through others."""
        ...

    def most_linked(self, limit: int, /) -> list[tuple[MemoryId, int]]: ...


class JournalReader(Protocol):
    """The journal: entries, images, and the states and versions that follow from them."""

    def journal_entries(
        self, *, limit: int = 100, without: Iterable[Op] = (), actor: str | None = None
    ) -> list[JournalEntry]:
        """Return the newest entries, except some kinds; of one actor or of all."""
        ...

    def operation(self, seq: int, /) -> JournalEntry:
        """Return one entry; NotFound if there is none."""
        ...

    def operations(self) -> Iterator[JournalOperation]:
        """Return the complete journal, oldest first."""
        ...

    def operations_after(self, seq: int, limit: int, /) -> list[tuple[JournalEntry, list[MemoryId]]]:
        """Return the entries after a number, oldest first, each with the memories that it changed."""
        ...

    def actors(self, without: Iterable[Op] = ()) -> dict[str, int]:
        """Return every actor with its number of entries."""
        ...

    def touched(self, seq: int, limit: int, /) -> tuple[int, list[MemoryId]]:
        """Return how many memories an operation changed, linked or unlinked, and the first of them."""
        ...

    def undone(self) -> set[int]:
        """Return the operations that are undone at present."""
        ...

    def undoes(self, seq: int, /) -> list[int]: ...
    def has_all_images(self, seq: int, /) -> bool:
        """Return whether the journal still has every image of an operation; a purge removes some."""
        ...

    def images(self, seq: int, /) -> list[Image]: ...
    def all_images(self) -> Iterator[Image]:
        """Return every image, oldest first."""
        ...

    def state(self) -> StoreState: ...
    def state_at(self, moment: datetime, /) -> StoreState: ...
    def vectors_at(self, moment: datetime, state: StoreState, /) -> Iterator[tuple[MemoryId, Space, Embedding]]:
        """Return the vectors of the texts of a state at a moment, as far as the store has them."""
        ...

    def versions(self, id: MemoryId, /) -> list[Version]: ...


class CallReader(Protocol):
    """Recorded calls of agents."""

    def call(self, id: int, /) -> Call:
        """Return one call with its trace; NotFound if there is none."""
        ...

    def call_page(self, wanted: CallFilter, /, *, before: int | None = None, limit: int = 100) -> list[Call]:
        """Return the newest calls of a filter, with their results and without their traces."""
        ...

    def call_figures(self, wanted: CallFilter, limit: int, /) -> list[tuple[str, str, int, int, str, str]]:
        """Return (client, tool, elapsed µs, returned, mode, outcome) of the newest calls."""
        ...


class JudgementReader(Protocol):
    """Golden sets, and proposals that wait for a decision."""

    def judgements(self, golden_set: str, query: str | None = None, /) -> list[Judgement]: ...
    def golden_sets(self) -> dict[str, tuple[int, int]]:
        """Return each golden set with how many queries and judgements it has."""
        ...

    def proposal(self, id: int, /) -> Proposal:
        """Return one proposal; NotFound if there is none."""
        ...

    def proposals(self, state: ProposalState | None = None, *, limit: int) -> list[Proposal]:
        """Return the newest proposals of a state, or of all."""
        ...


class SettingReader(Protocol):
    """Settings of the store."""

    def setting(self, name: str, /) -> Any:
        """Return the value, or None if it was never set."""
        ...


class StatisticsReader(Protocol):
    """Counts."""

    def count(self, wanted: Filter | None = None, /) -> int: ...
    def counts_by(self, column: str, /) -> dict[str, int]: ...
    def count_between(self, borders: Sequence[datetime], /, *, by_use: bool) -> list[int]:
        """Return how many unpinned memories were written, or last used, between moments in rising order."""
        ...

    def tag_counts(self, limit: int, /) -> dict[str, int]: ...
    def count_links(self) -> int: ...
    def count_embedded(self, space: Space, /) -> int: ...
    def count_not_embedded(self, space: Space, /) -> int: ...
    def count_forgotten_unembedded(self, space: Space, /) -> int: ...
    def count_open_proposals(self) -> int: ...


class Reader(
    StatisticsReader,
    MemoryReader,
    TextReader,
    VectorReader,
    LinkReader,
    JournalReader,
    CallReader,
    JudgementReader,
    SettingReader,
    SearchReader,
    Protocol,
):
    """A snapshot: every answer is of the same moment."""


class Writer(Protocol):
    """Writes for one operation. Each method keeps row, indexes and journal image consistent."""

    @property
    def changes(self) -> Changes: ...
    def reader(self) -> Reader:
        """Write what is pending and read the store as it is now."""
        ...

    def end(self) -> None:
        """Write what is pending, before the commit."""
        ...

    def journal_seq(self) -> int:
        """Return the number of this operation's journal entry, written by the first call."""
        ...

    def note_undo(self, seq: int, /) -> None: ...
    def add_memory(self, memory: Memory, embeddings: Mapping[Space, Embedding], /) -> Memory: ...
    def change_memory(self, id: MemoryId, before: Row, after: Row, /) -> None: ...
    def count_accesses(self, changes: Sequence[tuple[MemoryId, Row, Row]], /) -> None: ...
    def delete_memory(self, id: MemoryId, row: Row, /) -> None: ...
    def purge_memory(self, id: MemoryId, /) -> None: ...
    def purge_link(self, id: LinkId, /) -> None: ...
    def purge_history(self, ids: Collection[MemoryId], /) -> None: ...
    def add_link(self, link: Link, /) -> Link: ...
    def change_link(self, id: LinkId, before: Row, after: Row, /) -> None: ...
    def delete_link(self, id: LinkId, row: Row, /) -> None: ...
    def put_vector(self, id: MemoryId, space: Space, embedding: Embedding, /) -> None: ...
    def restore_vectors(self, seq: int, /) -> None: ...
    def put_setting(self, name: str, before: Row, after: Row, /) -> None: ...
    def rebuild_derived(self) -> None: ...
    def fill_empty(self, state: StoreState, operations: Iterable[JournalOperation], /) -> None: ...
    def record_call(self, call: Call, /) -> int: ...
    def trim_calls(self, keep: int, days: int, /) -> None: ...
    def put_judgement(self, judgement: Judgement, /) -> None: ...
    def remove_judgement(self, golden_set: str, query: str, memory: Uid, /) -> None: ...
    def add_proposal(self, proposal: Proposal, /) -> int: ...
    def decide_proposal(self, id: int, state: ProposalState, actor: str, /) -> None: ...


class Maintenance(Protocol):
    """Maintenance of the storage. An engine whose server does this has none."""

    def back_up(self, reason: str, /) -> Path:
        """Make a checked copy in the folder of backups."""
        ...

    def copy_to(self, target: Path, /) -> None:
        """Make a checked copy at a path where nothing is yet."""
        ...

    def list_backups(self) -> list[Backup]:
        """Return the backups of this store, newest first."""
        ...

    def size(self) -> int:
        """Return the size of the store in bytes."""
        ...

    def check(self) -> list[CheckFinding]:
        """Return everything that is inconsistent or damaged. Read-only."""
        ...

    def empty_log(self) -> bool:
        """Remove deleted content from the engine's log too; False while another reader needs it."""
        ...


class Store(Protocol):
    """An open store. Safe to use from several threads: one writes at a time, each reads in a snapshot of its own."""

    clean: Clean
    """Removes credentials from what is written; set by what opens the store."""

    @property
    def location(self) -> StoreLocation:
        """The location that opens this store again."""
        ...

    @property
    def clock(self) -> Clock: ...
    @property
    def read_only_because(self) -> str:
        """Why nothing can be written, as a sentence; empty if it can."""
        ...

    @property
    def maintenance(self) -> Maintenance | None: ...

    def read(self, *, exact: bool = False) -> AbstractContextManager[Reader]:
        """Open a snapshot that no writer waits for. Searches may use a cache unless they are to be `exact`."""
        ...

    def stoppable(self, is_wanted: Callable[[], bool], /) -> AbstractContextManager[None]:
        """Cancel the reads of this thread within the block, with `Cancelled`, soon after `is_wanted` returns False."""
        ...

    def transact(
        self, op: Op, actor: str, reason: str = "", *, rehearse: bool = False, allow_secrets: bool = False
    ) -> AbstractContextManager[Transaction]:
        """Open a transaction, the only way to write: it is committed completely at the end or not at all; never if it
        only rehearses."""
        ...

    def other_commits(self) -> int:
        """Return a number that changes if another connection has committed since."""
        ...

    def wait_for_search_cache(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Store: ...
    def __exit__(self, *_: object) -> None: ...
