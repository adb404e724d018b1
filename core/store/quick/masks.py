"""Which memories a filter lets through, for the few filters that are asked again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from core.model import Filter
from core.store.quick.numbers import Ids, grown, parsed
from core.store.sqlite import memories

MOST_FILTERS = 24


class Mask:
    """A flag for each id, and how many are let through."""

    def __init__(self, flags: NDArray[np.bool_]) -> None:
        self.flags = flags
        self.count = int(np.count_nonzero(flags))

    @cached_property
    def ids(self) -> Ids:
        return np.flatnonzero(self.flags).astype(np.int32)


@dataclass(slots=True)
class Masks:
    _masks: OrderedDict[tuple[Any, ...], Mask] = field(default_factory=OrderedDict)

    def of(self, connection: apsw.Connection, wanted: Filter, size: int) -> Mask:
        """The mask of a filter, with a flag for at least so many ids."""
        condition, bindings = memories.condition(wanted)
        key = (condition, *bindings)
        found = self._masks.pop(key, None)
        if found is None:
            passing = f"select group_concat(m.id) from memories m where {condition}"
            flags = np.zeros(size, dtype=bool)
            flags[parsed(connection.execute(passing, tuple(bindings)).get)] = True
            found = Mask(flags)
        elif len(found.flags) < size:
            found = Mask(grown(found.flags, size, 0))
        self._masks[key] = found
        while len(self._masks) > MOST_FILTERS:
            self._masks.popitem(last=False)
        return found

    def follow(self, connection: apsw.Connection, changed: Sequence[int], size: int) -> None:
        """Ask again about some memories, for every filter."""
        for (condition, *bindings), mask in list(self._masks.items()):
            flags = grown(mask.flags, size, 0).copy()
            flags[list(changed)] = False
            flags[memories.fitting(connection, changed, condition, bindings)] = True
            self._masks[condition, *bindings] = Mask(flags)
