"""Which memories pass a filter, for the few filters that are asked again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.model import Filter
from core.search_cache.arrays import Ids, grown
from core.search_cache.feed import Int64s, Snapshot

MAX_FILTERS = 24


class FilterMask:
    """A flag for each id, and the number of memories that pass."""

    def __init__(self, flags: NDArray[np.bool_]) -> None:
        self.flags = flags
        self.count = int(np.count_nonzero(flags))

    @cached_property
    def ids(self) -> Ids:
        return np.flatnonzero(self.flags).astype(np.int32)

    def update(self, changed: Int64s, passing: Int64s) -> None:
        """Let those of the changed memories pass that are also given as passing."""
        self.count += len(passing) - int(np.count_nonzero(self.flags[changed]))
        self.flags[changed] = False
        self.flags[passing] = True
        self.__dict__.pop("ids", None)


@dataclass(slots=True)
class FilterMasks:
    """The masks of the filters used last."""

    _masks: OrderedDict[Filter, FilterMask] = field(default_factory=OrderedDict)

    def of(self, snapshot: Snapshot, wanted: Filter, size: int) -> FilterMask:
        """Return the mask of a filter, with a flag for at least so many ids."""
        found = self._masks.pop(wanted, None)
        if found is None:
            found = FilterMask(self._read(snapshot, wanted, size))
        elif len(found.flags) < size:
            found.flags = grown(found.flags, size, 0)
        self._masks[wanted] = found
        while len(self._masks) > MAX_FILTERS:
            self._masks.popitem(last=False)
        return found

    def _read(self, snapshot: Snapshot, wanted: Filter, size: int) -> NDArray[np.bool_]:
        if not wanted.tags:
            return _flags(snapshot.matching_ids(wanted), size)
        # An index of tags answers by itself; to look up each memory for the other fields takes five times as long.
        others = self.of(snapshot, replace(wanted, tags=()), size).flags
        tagged = snapshot.tagged_ids(wanted.tags)
        return others & _flags(tagged[(tagged >= 0) & (tagged < len(others))], len(others))

    def apply_changes(self, snapshot: Snapshot, changed: Sequence[int], size: int) -> None:
        """Ask again about some memories, for every filter at once."""
        if not self._masks:
            return
        again = np.array(changed)
        ids, passing = snapshot.matching_each(changed, list(self._masks))
        for mask, passes in zip(self._masks.values(), passing, strict=True):
            mask.flags = grown(mask.flags, size, 0)
            mask.update(again, ids[passes != 0])


def _flags(ids: Int64s, size: int) -> NDArray[np.bool_]:
    """Return a flag for each id below `size`, set for the given ones."""
    flags = np.zeros(size, dtype=bool)
    flags[ids] = True
    return flags
