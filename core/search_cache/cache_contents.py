"""What the cache holds, and how it is brought up to date with a snapshot."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from core.model import Filter
from core.search_cache.cache_protocol import HIGHEST_ID, CacheMiss, SpaceId
from core.search_cache.fact_table import FactTable
from core.search_cache.feed import CacheFeed, ChangedMemories, Snapshot, TextIndex
from core.search_cache.filter_masks import FilterMask, FilterMasks
from core.search_cache.posting import FullPostings
from core.search_cache.postings import Postings
from core.search_cache.vector_index import VectorIndex

# After more changes than these, at once or since the postings were read, reading them again is faster than applying the
# changes. Changes of vectors are always applied: reading all of them again takes seconds in a large store.
MAX_CHANGES_AT_ONCE = 2_000
MAX_CHANGES = 20_000

# What arrays and lists that another program has written may raise when they are read.
DAMAGE = (IndexError, ValueError, TypeError, OverflowError)


class CacheContents:
    """Postings, facts, filter masks and vector indexes, all as of one change of the store.

    Every method but the constructor is called with `lock` held, or takes it.
    """

    def __init__(self, feed: CacheFeed) -> None:
        self._feed = feed
        self.lock = threading.RLock()
        self.as_of = -1
        self.postings: Postings | None = None
        self.facts: FactTable | None = None
        self.vector_indexes: dict[SpaceId, VectorIndex] = {}
        self._masks = FilterMasks()

    @property
    def nbytes(self) -> int:
        """About how many bytes all of it takes."""
        postings = 0 if self.postings is None else self.postings.nbytes
        facts = 0 if self.facts is None else self.facts.nbytes
        return postings + facts + sum(each.nbytes for each in self.vector_indexes.values())

    @contextmanager
    def up_to_date(self, snapshot: Snapshot, *, begin: bool = True) -> Iterator[Postings]:
        """Hold the lock with everything as of the snapshot; CacheMiss for a snapshot older than the contents, and where
        the engine fails on the way. Without `begin` postings are not read where there are none."""
        with self.lock:
            try:
                yield self.bring_up_to_date(snapshot, begin=begin)
            except self._feed.interrupted:  # the caller has stopped waiting
                raise
            except (self._feed.failed, IndexError) as error:  # the engine's own answer will say what is wrong
                raise CacheMiss from error

    def bring_up_to_date(self, snapshot: Snapshot, *, begin: bool = True) -> Postings:
        """Apply what has changed until the snapshot, and return its postings."""
        now = snapshot.last_change()
        if now < self.as_of or (self.postings is None and not begin):
            raise CacheMiss
        if now > self.as_of:
            try:
                self._apply_changes(snapshot, now)
            except Exception as error:
                self.clear()  # a change may have been applied in part
                if isinstance(error, DAMAGE):
                    raise CacheMiss from error
                raise
            self.as_of = now  # before postings are read, which may be interrupted: vectors are up to date by now
        if self.postings is None:
            self.postings = Postings.read(snapshot, now)
        return self.postings

    def _apply_changes(self, snapshot: Snapshot, now: int) -> None:
        changed = _changed_since(snapshot, self.as_of)
        if changed is None:
            self.clear()
            return
        if self.facts is not None:
            self.facts.apply_changes(snapshot, changed.facts, now)
        if not changed.searched:
            return
        for index in self.vector_indexes.values():
            index.apply_changes(snapshot, changed.searched, now)
        are_many = len(changed.searched) > MAX_CHANGES_AT_ONCE
        if self.postings is None or are_many or self.postings.changed > MAX_CHANGES:
            self._drop_postings()
            return
        try:
            self.postings.apply_changes(snapshot, changed.searched, now)
            self._masks.apply_changes(snapshot, changed.searched, len(self.postings.lengths))
        except CacheMiss:  # of a damaged store postings are read anew as its index has them
            self._drop_postings()

    def clear(self) -> None:
        self._drop_postings()
        self.vector_indexes.clear()
        self.facts = None

    def _drop_postings(self) -> None:
        self.postings, self._masks = None, FilterMasks()

    def mask(self, snapshot: Snapshot, wanted: Filter, postings: Postings) -> FilterMask:
        """Return which memories pass a filter, by id."""
        return self._masks.of(snapshot, wanted, len(postings.lengths))

    def add_vector_index(self, snapshot: Snapshot, index: VectorIndex) -> None:
        """Keep a vector index that was read as of an earlier snapshot, unless too much has changed since."""
        self.bring_up_to_date(snapshot)
        changed = _changed_since(snapshot, index.as_of)
        if changed is not None:
            if changed.searched:
                index.apply_changes(snapshot, changed.searched, self.as_of)
            self.vector_indexes[index.space] = index

    def add_facts(self, snapshot: Snapshot, table: FactTable) -> None:
        """Keep the facts that were read as of an earlier snapshot, unless too much has changed since."""
        self.bring_up_to_date(snapshot)
        changed = _changed_since(snapshot, table.as_of)
        if changed is not None:
            if changed.facts:
                table.apply_changes(snapshot, changed.facts, self.as_of)
            self.facts = table

    def add_full_postings(self, snapshot: Snapshot, index: TextIndex, full: FullPostings) -> Postings:
        """Keep all posting lists of an index that were read as of an earlier snapshot, unless too much has changed."""
        postings = self.bring_up_to_date(snapshot)
        changed = _changed_since(snapshot, full.as_of)
        if changed is not None:
            postings.add_full(snapshot, index, full, changed.searched)
        return postings


def _changed_since(snapshot: Snapshot, change: int) -> ChangedMemories | None:
    """Return what was changed after a change; None when everything is to be read anew."""
    changed = snapshot.changed_since(change)
    if changed and changed.facts and changed.facts[-1] > HIGHEST_ID:  # a removed memory may have had any id
        return None
    return changed
