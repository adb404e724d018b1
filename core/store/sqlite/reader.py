"""What can be asked of a store, all from one snapshot; how it is asked stands with the rows of each kind."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

import apsw

from core import text
from core.changes import Op
from core.errors import NotFound
from core.model import UNSAVED, Embedding, Filter, Link, LinkId, LinkKind, Memory, MemoryId, Space, Uid
from core.search_cache.cache_protocol import CachedSearch, CacheMiss, PendingSearch
from core.search_types import FIELDS, Order, Selection, TextSearch, TextStatistics, Vocabulary
from core.store.sqlite import (
    calls,
    journal,
    judgements,
    links,
    listing,
    memories,
    proposals,
    search,
    settings,
    states,
    vectors,
)

Answer = TypeVar("Answer")
MEMORIES_A_PAGE = 1_000


class Reader:
    """Reads through one connection; every answer within one `with store.read()` is of the same moment."""

    def __init__(
        self, connection: apsw.Connection, find_cache: Callable[[], CachedSearch | None] = lambda: None
    ) -> None:
        self._connection = connection
        self._find_cache = find_cache
        self._begun: tuple[tuple[Any, ...], PendingSearch] | None = None
        self._count: int | None = None
        self._spaces: dict[Space, vectors.SpaceId | None] = {}

    def close(self) -> None:
        """The end of the snapshot: what was begun and is not done is given up."""
        if self._begun is not None:
            self._begun[1].close()
            self._begun = None

    @cached_property
    def _cache(self) -> CachedSearch | None:
        """The search cache, asked for with the first search only: reading without a search needs none."""
        return self._find_cache()

    def _cached(self, ask: Callable[[CachedSearch], Answer], otherwise: Callable[[], Answer]) -> Answer:
        """Answer from the cache, or from the file on a miss."""
        if self._cache is not None:
            with suppress(CacheMiss):
                return ask(self._cache)
        return otherwise()

    # memories

    def memory(self, id: MemoryId) -> Memory | None:
        return memories.get(self._connection, id)

    def memory_by_uid(self, uid: Uid) -> Memory | None:
        return memories.get_by_uid(self._connection, uid)

    def memories(self, ids: Iterable[MemoryId]) -> dict[MemoryId, Memory]:
        """The memories of the ids that exist."""
        return {memory.id: memory for memory in memories.of_ids(self._connection, ids)}

    def has_uid(self, uid: Uid) -> bool:
        return memories.has_uid(self._connection, uid)

    def same_content(self, content: str) -> list[Memory]:
        """Memories whose text differs at most in case, spacing and character forms."""
        return memories.same_content(self._connection, content)

    def page(self, wanted: Filter, *, before: MemoryId | None = None, limit: int = 100) -> list[Memory]:
        """The newest memories of a filter; `before` is the last id of the page already seen."""
        return memories.page(self._connection, wanted, before, limit)

    def list_ids(self, wanted: Selection, order: Order, now: datetime, limit: int | None = None) -> array[int]:
        return listing.ids(self._connection, wanted, order, now, limit)

    def count_between(self, borders: Sequence[datetime], *, by_use: bool) -> list[int]:
        return listing.count_between(self._connection, borders, by_use=by_use)

    def pages(self, wanted: Filter) -> Iterator[list[Memory]]:
        """All memories of a filter, newest first, a page at a time."""
        before: MemoryId | None = None
        while found := self.page(wanted, before=before, limit=MEMORIES_A_PAGE):
            yield found
            before = found[-1].id

    def predecessor(self, memory: Memory) -> Memory | None:
        """The memory before this one in its session."""
        return memories.predecessor(self._connection, memory)

    def session_neighbours(
        self, found: Iterable[Memory], wanted: Filter, steps: int
    ) -> dict[MemoryId, list[tuple[MemoryId, int]]]:
        """For each memory those of its session at most so many steps before (−1, −2 …) and after it (1, 2 …)."""
        return memories.session_neighbours(self._connection, found, wanted, steps)

    def next_memories(self, after: MemoryId, limit: int) -> list[Memory]:
        """The memories after an id, in the order in which they came."""
        return memories.after(self._connection, after, limit)

    def memory_ids(self) -> list[MemoryId]:
        return memories.ids(self._connection)

    def count(self, wanted: Filter | None = None) -> int:
        if wanted:
            return memories.count(self._connection, wanted)
        if self._count is None:
            self._count = self._cached(lambda cache: cache.count(), lambda: memories.count(self._connection, Filter()))
        return self._count

    def fitting(self, ids: Iterable[MemoryId], wanted: Filter) -> set[MemoryId]:
        """Those of the ids that a filter lets through."""
        condition, bindings = memories.condition(wanted)
        return set(memories.fitting(self._connection, sorted(ids), condition, bindings))

    def newest_created_at(self) -> datetime | None:
        return memories.newest_created_at(self._connection)

    def counts_by(self, column: str) -> dict[str, int]:
        return listing.counts_by(self._connection, column)

    def tag_counts(self, limit: int) -> dict[str, int]:
        return listing.tag_counts(self._connection, limit)

    # links

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

    def disputed_with(self, id: MemoryId) -> set[MemoryId]:
        return links.disputed_with(self._connection, id)

    def superseded_by(self, id: MemoryId) -> set[MemoryId]:
        return links.superseded_by(self._connection, id)

    def most_linked(self, limit: int) -> list[tuple[MemoryId, int]]:
        return links.most_linked(self._connection, limit)

    def count_links(self) -> int:
        return links.count(self._connection)

    # full text and vectors together

    def expect_questions(self, space: Space | None) -> None:
        """Begin to fill the search cache, where even a single question would be worth that."""
        known = None if space is None else self._space_id(space)
        if self._cache is not None:
            self._cache.expect_questions(known, 0 if space is None else space.dimension)

    # full text

    def search_text(self, asked: TextSearch, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        question = (asked, wanted, limit)
        return self._cached(
            lambda cache: cache.search_text(*question), lambda: search.search_text(self._connection, *question)
        )

    def text_scores(self, asked: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, float]:
        question = (asked, frozenset(ids))
        return self._cached(
            lambda cache: cache.text_scores(*question), lambda: search.text_scores(self._connection, *question)
        )

    def text_rank(self, asked: TextSearch, wanted: Filter, id: MemoryId) -> int | None:
        question = (asked, wanted, id)
        return self._cached(
            lambda cache: cache.text_rank(*question), lambda: search.text_rank(self._connection, *question)
        )

    def text_statistics(self, asked: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, TextStatistics]:
        question = (asked, frozenset(ids))
        return self._cached(
            lambda cache: cache.text_statistics(*question), lambda: search.text_statistics(self._connection, *question)
        )

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        known: dict[str, int] = self._cached(lambda cache: cache.document_frequencies(words), lambda: {})
        return search.vocabulary(self._connection, words, known)

    def count_embedded(self, space: Space) -> int:
        known = self._space_id(space)
        if known is None:
            return 0
        return self._cached(lambda cache: cache.count_embedded(known), lambda: vectors.count(self._connection, known))

    def containing(self, words: Iterable[str], wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        return search.containing(self._connection, words, wanted, limit)

    def matching(self, query: str, *, stemmed: bool = False, limit: int = 100) -> list[tuple[MemoryId, float]]:
        """The plainest question: memories with any of the query's words in any field, best first."""
        words = tuple(text.query_words(query))
        if not words:
            return []
        asked = TextSearch(words, stemmed, dict.fromkeys(FIELDS, 1.0))
        return self.search_text(asked, Filter(), limit)

    # vectors

    def _space_id(self, space: Space) -> vectors.SpaceId | None:
        """Looked up once: a recall asks for it again and again."""
        if space not in self._spaces:
            self._spaces[space] = vectors.space_id(self._connection, space)
        return self._spaces[space]

    def embedding(self, id: MemoryId, space: Space) -> Embedding | None:
        known = self._space_id(space)
        return None if known is None else vectors.get(self._connection, known, id)

    def sample_vectors(self, space: Space, most: int) -> dict[MemoryId, bytes]:
        known = self._space_id(space)
        return {} if known is None else vectors.sample(self._connection, known, most)

    def expect_vectors(self, vector: bytes, space: Space, wanted: Filter, limit: int) -> None:
        """This will be asked soon: where that takes long, begin to look beside what is asked until then."""
        known = self._space_id(space)
        question = (known, vector, wanted, limit)
        if known is not None and self._cache is not None and (self._begun is None or self._begun[0] != question):
            self.close()
            begun = self._cache.begin_vectors(known, vector, wanted, limit)
            self._begun = None if begun is None else (question, begun)

    def search_vectors(self, vector: bytes, space: Space, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        known = self._space_id(space)
        if known is None:
            return []
        question = (known, vector, wanted, limit)

        def from_file() -> list[tuple[MemoryId, float]]:
            if self._begun is not None and self._begun[0] == question:
                with suppress(CacheMiss):
                    return self._begun[1].result()
            return search.search_vectors(self._connection, *question)

        return self._cached(lambda cache: cache.search_vectors(*question), from_file)

    def is_vector_search_approximate(self, space: Space, wanted: Filter) -> bool:
        """Whether `search_vectors` may miss one of the nearest; the file itself never does."""
        known = self._space_id(space)
        if known is None:
            return False
        return self._cached(lambda cache: cache.is_approximate(known, wanted), lambda: False)

    def vector_rank(self, vector: bytes, space: Space, wanted: Filter, id: MemoryId) -> int | None:
        known = self._space_id(space)
        if known is None:
            return None
        question = (known, vector, wanted, id)
        return self._cached(
            lambda cache: cache.vector_rank(*question), lambda: search.vector_rank(self._connection, *question)
        )

    def cosines(self, vector: bytes, space: Space, ids: Iterable[MemoryId]) -> dict[MemoryId, float]:
        known = self._space_id(space)
        if known is None:
            return {}
        question = (known, vector, frozenset(ids))
        return self._cached(lambda cache: cache.cosines(*question), lambda: search.cosines(self._connection, *question))

    def recently_accessed(self, wanted: Filter, space: Space | None, limit: int) -> list[MemoryId]:
        known = None if space is None else self._space_id(space)
        if space is not None and known is None:
            return []  # there is a model, and nothing is embedded by it
        return search.recently_accessed(self._connection, known, wanted, limit)

    def not_embedded(self, space: Space, *, after: MemoryId = UNSAVED, limit: int = 64) -> list[Memory]:
        known = self._space_id(space)
        ids = vectors.pending(self._connection, known, after, limit)
        found = self.memories(ids)
        return [found[id] for id in ids]

    def count_forgotten_unembedded(self, space: Space) -> int:
        return vectors.count_forgotten(self._connection, self._space_id(space))

    def count_not_embedded(self, space: Space) -> int:
        return vectors.count_pending(self._connection, self._space_id(space))

    def spaces(self) -> list[vectors.SpaceUse]:
        return vectors.uses(self._connection)

    # settings and journal

    def setting(self, name: str) -> Any:
        return settings.get(self._connection, name)

    def journal_entries(
        self, *, limit: int = 100, without: Iterable[Op] = (), actor: str | None = None
    ) -> list[journal.Entry]:
        return list(journal.entries(self._connection, limit=limit, without=without, actor=actor))

    def actors(self, without: Iterable[Op] = ()) -> dict[str, int]:
        return journal.actors(self._connection, without)

    def touched(self, seq: int, limit: int) -> tuple[int, list[MemoryId]]:
        return journal.touched(self._connection, seq, limit)

    def operation(self, seq: int) -> journal.Entry:
        found = next(journal.entries(self._connection, before=seq + 1, limit=1), None)
        if found is None or found.seq != seq:
            raise NotFound(f"There is no operation {seq}; the journal and the history of a memory show their numbers.")
        return found

    def undone(self) -> set[int]:
        """The operations that are taken back at present."""
        return journal.undone(self._connection)

    def undoes(self, seq: int) -> list[int]:
        return journal.undoes(self._connection, seq)

    def versions(self, id: MemoryId) -> list[states.Version]:
        return states.versions(self._connection, id)

    def is_whole(self, seq: int) -> bool:
        """Whether the journal knows all that an operation changed: a purge takes some of it away."""
        return journal.is_whole(self._connection, seq)

    def images(self, seq: int) -> list[journal.Image]:
        return list(journal.images(self._connection, seq))

    def state(self) -> states.State:
        """Everything as it stands."""
        return states.state(self._connection)

    def state_at(self, moment: datetime) -> states.State:
        """Everything as it stood at a moment."""
        return states.state_at(self._connection, moment)

    def operations(self) -> Iterator[journal.Operation]:
        """The whole journal, oldest first."""
        return journal.operations(self._connection)

    def operations_after(self, seq: int, limit: int) -> list[tuple[journal.Entry, list[MemoryId]]]:
        """The operations after a number, oldest first, each with the memories it changed."""
        return list(journal.after(self._connection, seq, limit))

    def vectors(self) -> Iterator[tuple[MemoryId, Space, Embedding]]:
        """Every vector there is."""
        for id, space in vectors.spaces(self._connection):
            for memory, vector in vectors.every(self._connection, id):
                yield memory, space, vector

    def vectors_at(self, moment: datetime, state: states.State) -> Iterator[tuple[MemoryId, Space, Embedding]]:
        """The vectors of the texts as they stood at a moment, as far as there were or are any."""
        return states.vectors_at(self._connection, moment, state)

    # golden sets

    def judgements(self, golden_set: str, query: str | None = None) -> list[judgements.Judgement]:
        return list(judgements.of_set(self._connection, golden_set, query))

    def golden_sets(self) -> dict[str, tuple[int, int]]:
        return judgements.sets(self._connection)

    # proposals

    def proposal(self, id: int) -> proposals.Proposal:
        found = proposals.get(self._connection, id)
        if found is None:
            raise NotFound(f"There is no proposal {id}.")
        return found

    def proposals(self, state: proposals.ProposalState | None = None, *, limit: int) -> list[proposals.Proposal]:
        """The newest first."""
        return list(proposals.of_state(self._connection, state, limit))

    def count_open_proposals(self) -> int:
        return proposals.count_open(self._connection)

    # the flight recorder

    def call(self, id: int) -> calls.Call:
        found = calls.get(self._connection, id)
        if found is None:
            raise NotFound(f"There is no call {id}.")
        return found

    def call_page(self, wanted: calls.CallFilter, *, before: int | None = None, limit: int = 100) -> list[calls.Call]:
        return calls.page(self._connection, wanted, before, limit)

    def call_figures(self, wanted: calls.CallFilter, limit: int) -> list[tuple[str, str, int, int, str, str]]:
        return calls.figures(self._connection, wanted, limit)
