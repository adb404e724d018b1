"""Which memories a filter lets through, for the few filters that are asked again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from core.model import Filter
from core.store.quick.numbers import Ids, grown, parsed
from core.store.sqlite import memories

MAX_FILTERS = 24


class Mask:
    """A flag for each id, and how many are let through."""

    def __init__(self, flags: NDArray[np.bool_]) -> None:
        self.flags = flags
        self.count = int(np.count_nonzero(flags))

    @cached_property
    def ids(self) -> Ids:
        return np.flatnonzero(self.flags).astype(np.int32)

    def put(self, changed: NDArray[np.int64], passing: NDArray[np.int64]) -> None:
        """Of those that have changed let some through."""
        self.count += len(passing) - int(np.count_nonzero(self.flags[changed]))
        self.flags[changed] = False
        self.flags[passing] = True
        self.__dict__.pop("ids", None)


@dataclass(slots=True)
class Masks:
    _masks: OrderedDict[tuple[Any, ...], Mask] = field(default_factory=OrderedDict)

    def of(self, connection: apsw.Connection, wanted: Filter, size: int) -> Mask:
        """The mask of a filter, with a flag for at least so many ids."""
        condition, bindings = memories.condition(wanted)
        key = (condition, *bindings)
        found = self._masks.pop(key, None)
        if found is None:
            found = Mask(self._read(connection, wanted, size))
        elif len(found.flags) < size:
            found.flags = grown(found.flags, size, 0)
        self._masks[key] = found
        while len(self._masks) > MAX_FILTERS:
            self._masks.popitem(last=False)
        return found

    def _read(self, connection: apsw.Connection, wanted: Filter, size: int) -> NDArray[np.bool_]:
        if wanted == Filter():
            return _all(connection, size)
        if not wanted.tags:
            condition, bindings = memories.condition(wanted)
            return _flags(connection, f"select m.id from memories m where {condition}", bindings, size)
        # Tags alone are told by their index; going on to each memory for the rest would take five times as long.
        rest = self.of(connection, replace(wanted, tags=()), size).flags
        # In a damaged file a tag may be of a memory that never was.
        any_of = ", ".join("?" * len(wanted.tags))
        tagged = f"select memory_id as id from tags where tag in ({any_of}) and id between 0 and ?"
        return rest & _flags(connection, tagged, (*wanted.tags, len(rest) - 1), len(rest))

    def follow(self, connection: apsw.Connection, changed: Sequence[int], size: int) -> None:
        """Ask again about some memories, for every filter."""
        if not self._masks:
            return
        again = np.array(changed)
        conditions = [(condition, bindings) for condition, *bindings in self._masks]
        found = memories.fitting_each(connection, changed, conditions)
        columns = list(zip(*found, strict=True)) or [()] * (1 + len(conditions))  # several times as quick as row by row
        ids, *passing = (np.array(column, dtype=np.int64) for column in columns)
        for mask, passes in zip(self._masks.values(), passing, strict=True):
            mask.flags = grown(mask.flags, size, 0)
            mask.put(again, ids[passes != 0])


def _all(connection: apsw.Connection, size: int) -> NDArray[np.bool_]:
    """A flag for each memory: told by their number alone where none is missing in between."""
    count, first, last = connection.execute(
        "select (select count(*) from memories), (select min(id) from memories), (select max(id) from memories)"
    ).get
    if not count or count <= last - first:
        return _flags(connection, "select id from memories", (), size)
    flags = np.zeros(size, dtype=bool)
    flags[first : last + 1] = True
    return flags


def _flags(connection: apsw.Connection, ids: str, bindings: Sequence[Any], size: int) -> NDArray[np.bool_]:
    """A flag for each id, set for those that are selected."""
    flags = np.zeros(size, dtype=bool)
    flags[parsed(connection.execute(f"select group_concat(id) from ({ids})", tuple(bindings)).get)] = True
    return flags
