"""Readers for trial runs of a query: one that caches the answers of a snapshot, and one in which a memory is
changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from core import filters
from core.model import Filter, Memory, MemoryId, Space
from core.pipeline.pool import with_memory
from core.pipeline.stage import SearchReader
from core.search_types import FactColumns, TextSearch, TextStatistics

Answered = TypeVar("Answered")


class HypotheticalReader:
    """A reader in which one memory has other fields, also where a source filters or sorts by them."""

    def __init__(self, reader: SearchReader, memory: Memory) -> None:
        self._reader, self._memory = reader, memory

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def memories(self, ids: Iterable[MemoryId]) -> dict[MemoryId, Memory]:
        found = self._reader.memories(ids)
        return {id: self._memory if id == self._memory.id else memory for id, memory in found.items()}

    def fitting(self, ids: Iterable[MemoryId], wanted: Filter) -> set[MemoryId]:
        asked = set(ids)
        found = self._reader.fitting(asked, wanted) - {self._memory.id}
        return found | {self._memory.id} if self._memory.id in asked and self._fits(wanted) else found

    def search_text(self, search: TextSearch, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        found = self._reader.search_text(search, wanted, limit)
        own = dict(found).get(self._memory.id)
        if own is None:
            statistics = self._reader.text_statistics(search, (self._memory.id,)).get(self._memory.id)
            own = None if statistics is None else statistics.index_score
        return self._placed(found, own, wanted, limit)

    def search_vectors(self, vector: bytes, space: Space, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        found = self._reader.search_vectors(vector, space, wanted, limit)
        return self._placed(
            found, self._reader.cosines(vector, space, (self._memory.id,)).get(self._memory.id), wanted, limit
        )

    def recently_accessed(self, wanted: Filter, space: Space | None, limit: int) -> list[MemoryId]:
        found = [id for id in self._reader.recently_accessed(wanted, space, limit) if id != self._memory.id]
        others = self._reader.memories(found[-1:])
        oldest = min((memory.last_used_at for memory in others.values()), default=None)
        is_embedded = space is None or self._reader.embedding(self._memory.id, space) is not None
        if (
            is_embedded
            and self._fits(wanted)
            and (len(found) < limit or oldest is None or self._memory.last_used_at > oldest)
        ):
            return [self._memory.id, *found][:limit]
        return found

    def facts(self, ids: Iterable[MemoryId]) -> FactColumns:
        return with_memory(self._reader.facts(ids), self._memory)

    def session_neighbours(
        self, ids: Iterable[MemoryId], wanted: Filter, steps: int
    ) -> dict[MemoryId, list[tuple[MemoryId, int]]]:
        """One step further is asked for, so that it can be taken out of where it stands and put where it would."""
        givers = tuple(ids)
        around = self._reader.session_neighbours(givers, wanted, steps + 1)
        others = self._reader.memories({*givers, *(id for near in around.values() for id, _ in near)})
        return {id: self._neighbours(others[id], others, near, wanted, steps) for id, near in around.items()}

    def _neighbours(
        self,
        giver: Memory,
        others: Mapping[MemoryId, Memory],
        near: list[tuple[MemoryId, int]],
        wanted: Filter,
        steps: int,
    ) -> list[tuple[MemoryId, int]]:
        own = self._memory
        there = [others[id] for id, _ in near if id != own.id]
        if self._fits(wanted) and (own.session, own.collection) == (giver.session, giver.collection):
            there.append(own)
        there.sort(key=lambda memory: (memory.created_at, memory.id))
        before = [memory.id for memory in there if memory.created_at < giver.created_at][::-1][:steps]
        after = [memory.id for memory in there if memory.created_at > giver.created_at][:steps]
        return [
            *((id, -step) for step, id in enumerate(before, 1)),
            *((id, step) for step, id in enumerate(after, 1)),
        ]

    def _placed(
        self, found: list[tuple[MemoryId, float]], own: float | None, wanted: Filter, limit: int
    ) -> list[tuple[MemoryId, float]]:
        others = [each for each in found if each[0] != self._memory.id]
        if own is not None and self._fits(wanted):
            others.append((self._memory.id, own))
        return sorted(others, key=lambda each: (-each[1], each[0]))[:limit]

    def _fits(self, wanted: Filter) -> bool:
        return filters.matches(wanted, self._memory)


class MemoizingReader:
    """A reader of one snapshot that reads each answer once."""

    def __init__(self, reader: SearchReader) -> None:
        self._reader = reader
        self._known: dict[tuple[Any, ...], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def memories(self, ids: Iterable[MemoryId]) -> dict[MemoryId, Memory]:
        wanted = frozenset(ids)
        return self._once(("memories", wanted), lambda: self._reader.memories(wanted))

    def search_text(self, search: TextSearch, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        key = ("search_text", str(search), wanted, limit)
        return self._once(key, lambda: self._reader.search_text(search, wanted, limit))

    def text_scores(self, search: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, float]:
        wanted = frozenset(ids)
        key = ("text_scores", str(search), wanted)
        return self._once(key, lambda: self._reader.text_scores(search, wanted))

    def text_statistics(self, search: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, TextStatistics]:
        wanted = frozenset(ids)
        key = ("text_statistics", str(search), wanted)
        return self._once(key, lambda: self._reader.text_statistics(search, wanted))

    def search_vectors(self, vector: bytes, space: Space, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        key = ("search_vectors", vector, space, wanted, limit)
        return self._once(key, lambda: self._reader.search_vectors(vector, space, wanted, limit))

    def cosines(self, vector: bytes, space: Space, ids: Iterable[MemoryId]) -> dict[MemoryId, float]:
        wanted = frozenset(ids)
        key = ("cosines", vector, space, wanted)
        return self._once(key, lambda: self._reader.cosines(vector, space, wanted))

    def facts(self, ids: Iterable[MemoryId]) -> FactColumns:
        wanted = frozenset(ids)
        return self._once(("facts", wanted), lambda: self._reader.facts(wanted))

    def session_neighbours(
        self, ids: Iterable[MemoryId], wanted: Filter, steps: int
    ) -> dict[MemoryId, list[tuple[MemoryId, int]]]:
        givers = tuple(ids)
        key = ("session_neighbours", givers, wanted, steps)
        return self._once(key, lambda: self._reader.session_neighbours(givers, wanted, steps))

    def _once(self, key: tuple[Any, ...], ask: Callable[[], Answered]) -> Answered:
        if key not in self._known:
            self._known[key] = ask()
        found: Answered = self._known[key]
        return found
