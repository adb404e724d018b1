"""The facts of every memory as columns by id, and the order of the memories within each session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.model import MemoryId
from core.search_cache.cache_protocol import HIGHEST_ID, CacheMiss
from core.search_cache.feed import Snapshot
from core.search_cache.filter_masks import FilterMask
from core.search_types import FactColumns

Session = tuple[str, str]  # of a collection


class FactTable:
    """What stages read of the memories, for any of them by its id; `as_of` is the last change that was applied.

    A column has an element for every id. Gathering the facts of a hundred memories takes a tenth of the time of reading
    them from the file.
    """

    def __init__(self, as_of: int) -> None:
        self.as_of = as_of
        self._exists = np.zeros(0, dtype=bool)
        self._columns: dict[str, NDArray[np.generic]] = {}
        self._members: dict[Session, list[int]] = {}
        self._sorted: dict[Session, tuple[NDArray[np.int64], list[int]]] = {}

    @classmethod
    def read(cls, snapshot: Snapshot, as_of: int) -> FactTable:
        table = cls(as_of)
        for batch in snapshot.all_facts():
            table._put(batch)
        return table

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes; texts are shared between the memories that have them."""
        members = sum(56 + 8 * len(each) for each in self._members.values())
        return self._exists.nbytes + members + sum(column.nbytes for column in self._columns.values())

    def apply_changes(self, snapshot: Snapshot, changed: Sequence[int], as_of: int) -> None:
        """Replace the facts of some memories by those they have now."""
        for id in changed:
            if id < len(self._exists) and self._exists[id]:
                session = self._session(id)
                self._sorted.pop(session, None)
                if id in (members := self._members.get(session, [])):
                    members.remove(id)
                self._exists[id] = False
        self._put(snapshot.facts(changed))
        self.as_of = as_of

    def of(self, ids: Iterable[MemoryId]) -> FactColumns:
        """Return the facts of those of the ids that exist, in the order of the ids."""
        wanted = np.array(sorted(ids), dtype=np.int64)
        if not self._columns:  # the store is empty
            raise CacheMiss
        wanted = wanted[wanted < len(self._exists)]
        exists = self._exists[wanted]
        if not exists.all():
            wanted = wanted[exists]
        return FactColumns(wanted, **{name: column[wanted] for name, column in self._columns.items()})  # type: ignore[arg-type]

    def session_neighbours(
        self, ids: Iterable[MemoryId], mask: FilterMask, steps: int
    ) -> dict[MemoryId, list[tuple[MemoryId, int]]]:
        """Return for each memory of a session those that pass the mask and were made before or after it there."""
        return {
            id: self._neighbours(id, mask, steps)
            for id in ids
            if id < len(self._exists) and self._exists[id] and self._columns["session"][id]
        }

    def _neighbours(self, id: MemoryId, mask: FilterMask, steps: int) -> list[tuple[MemoryId, int]]:
        created, members = self._in_order(self._session(id))
        own, flags = self._columns["created"][id], mask.flags
        first, last = int(created.searchsorted(own, "left")), int(created.searchsorted(own, "right"))
        found: list[tuple[MemoryId, int]] = []
        for way, places in ((-1, range(first - 1, -1, -1)), (1, range(last, len(members)))):
            step = 0
            for at in places:
                if step == steps:
                    break
                if flags[members[at]]:
                    step += 1
                    found.append((MemoryId(members[at]), way * step))
        return found

    def _in_order(self, session: Session) -> tuple[NDArray[np.int64], list[int]]:
        """Return the times of a session's memories, ascending, and the memories; equals by id."""
        if session not in self._sorted:
            ids = np.array(sorted(self._members[session]), dtype=np.int64)
            created = self._columns["created"][ids].astype(np.int64)
            order = np.argsort(created, kind="stable")
            self._sorted[session] = created[order], ids[order].tolist()
        return self._sorted[session]

    def _session(self, id: int) -> Session:
        return str(self._columns["collection"][id]), str(self._columns["session"][id])

    def _put(self, facts: FactColumns) -> None:
        if not len(facts.ids):
            return
        highest = int(facts.ids[-1])
        if highest > HIGHEST_ID or facts.ids[0] < 0:
            raise CacheMiss
        self._grow(facts, highest + 1)
        self._exists[facts.ids] = True
        for name, column in self._columns.items():
            column[facts.ids] = getattr(facts, name)
        for id, collection, session in zip(
            facts.ids.tolist(), facts.collection.tolist(), facts.session.tolist(), strict=True
        ):
            if session:
                self._members.setdefault((collection, session), []).append(id)
                self._sorted.pop((collection, session), None)

    def _grow(self, facts: FactColumns, size: int) -> None:
        if len(self._exists) >= size:
            return
        room = size + size // 4 + 64
        self._exists = _larger(self._exists, room)
        for name in FactColumns._fields[1:]:
            kind = getattr(facts, name).dtype
            self._columns[name] = _larger(self._columns.get(name, np.zeros(0, dtype=kind)), room)


def _larger(array: NDArray[np.generic], size: int) -> NDArray[np.generic]:
    larger = np.zeros(size, dtype=array.dtype)
    larger[: len(array)] = array
    return larger
