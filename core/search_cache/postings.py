"""The posting lists that were asked for, brought up to date change by change."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.search_cache.arrays import Ids, Number, Rows, positions
from core.search_cache.cache_protocol import HIGHEST_ID, CacheMiss
from core.search_cache.changed_tokens import ChangedTokens
from core.search_cache.feed import FIELD_BITS, FIELD_MASK, Snapshot, TextIndex
from core.search_cache.field_lengths import FieldLengths, Lengths
from core.search_cache.posting import FullPostings, Posting, read_posting, read_posting_among

# The least recently used posting lists are dropped when all of them take more than this.
MAX_BYTES = 96_000_000

# Prefetching stops here, which leaves as much room again for the lists that are asked for.
_MAX_PREFETCHED_BYTES = MAX_BYTES // 2


@dataclass(frozen=True, slots=True)
class Change:
    """Memories whose tokens have changed up to `as_of`, and how many changed tokens were known before."""

    as_of: int
    ids: Ids
    tokens_before: int


@dataclass(slots=True)
class Postings:
    """Posting lists, the length of every memory, and the changes since the oldest of the lists was read.

    A change is only noted when it comes, and applied to a list when that is asked for next.
    """

    field_lengths: FieldLengths
    rows: int
    as_of: int
    _lists: OrderedDict[tuple[TextIndex, str], Posting] = field(default_factory=OrderedDict)
    _full: dict[TextIndex, FullPostings] = field(default_factory=dict)
    _changes: list[Change] = field(default_factory=list)
    _changed_tokens: ChangedTokens = field(default_factory=ChangedTokens)
    _changes_since: dict[int, Change] = field(default_factory=dict)
    _bytes: int = 0
    _sizes: dict[tuple[str, ...], tuple[int, float]] = field(default_factory=dict)

    @classmethod
    def read(cls, snapshot: Snapshot, as_of: int) -> Postings:
        """Begin with the lengths of all memories and no list."""
        ids, lengths = snapshot.field_lengths()
        # Of all memories, not of the indexed ones: a damaged index may have lost the last of them.
        highest = int(ids.max(initial=snapshot.highest_id()))
        if highest > HIGHEST_ID:
            raise CacheMiss
        return cls(FieldLengths(highest, ids, lengths), len(ids), as_of)

    @property
    def lengths(self) -> Lengths:
        """The tokens of every memory over all fields, −1 where there is none."""
        return self.field_lengths.total

    @property
    def nbytes(self) -> int:
        full = sum(each.nbytes for each in self._full.values())
        return self._bytes + self.field_lengths.nbytes + self._changed_tokens.nbytes + full

    @property
    def full_indexes(self) -> set[TextIndex]:
        """The indexes of which all posting lists are here."""
        return set(self._full)

    @property
    def changed(self) -> int:
        """How many changed memories have been noted."""
        return sum(len(change.ids) for change in self._changes)

    def holds(self, index: TextIndex, token: str) -> bool:
        return index in self._full or (index, token) in self._lists

    def of(self, snapshot: Snapshot, index: TextIndex, token: str) -> Posting:
        """Return the up-to-date posting list of a token, read from the engine if it is not here."""
        found = self._lists.get((index, token))
        if found is not None:
            self._lists.move_to_end((index, token))
        else:
            full = self._full.get(index)
            found = self.read_list(snapshot, index, token) if full is None else full.posting(token)
            self._lists[index, token] = found
            self._bytes += found.nbytes
        if found.as_of < self.as_of:
            since = self._since(found.as_of)
            counts = self._changed_tokens.counts(index, token, since.tokens_before)
            self._bytes += _apply(found, since.ids, counts, self.lengths)
            found.as_of = self.as_of
        while self._bytes > MAX_BYTES and len(self._lists) > 1:
            self._bytes -= self._lists.popitem(last=False)[1].nbytes
        return found

    def text_size(self, snapshot: Snapshot, fields: Sequence[str]) -> tuple[int, float]:
        """Return the number of indexed memories and the average number of tokens in some fields; read once, since it
        changes only with a text."""
        key = tuple(fields)
        if key not in self._sizes:
            self._sizes[key] = snapshot.text_size(fields)
        return self._sizes[key]

    def document_frequency(self, snapshot: Snapshot, index: TextIndex, token: str) -> int | None:
        """Return how many memories hold a token; None when its list is not here."""
        return len(self.of(snapshot, index, token).ids) if self.holds(index, token) else None

    def apply_changes(self, snapshot: Snapshot, changed: Sequence[int], as_of: int) -> None:
        """Note the present tokens and lengths of changed memories; CacheMiss, with nothing noted, where the engine's
        index does not hold the tokens of their texts."""
        now = snapshot.indexed_tokens(changed)
        ids = np.array(sorted(changed), dtype=np.int32)
        self.field_lengths.grow(int(ids[-1]) + 1)
        known = ids[self.lengths[ids] >= 0]
        tokens_before = self._changed_tokens.count
        self._changed_tokens.replace(known, now.tokens, now.occurrences)
        self._changes.append(Change(as_of, ids, tokens_before))
        self.rows += len(now.ids) - len(known)
        self.field_lengths.replace(ids, now.ids, now.lengths)
        self._changes_since.clear()
        self._sizes.clear()
        self.as_of = as_of

    def _since(self, as_of: int) -> Change:
        """Return all later changes as one, which is kept: many lists are of the same age."""
        if as_of not in self._changes_since:
            each = self._changes[bisect_right(self._changes, as_of, key=lambda change: change.as_of) :]
            ids = np.unique(np.concatenate([change.ids for change in each]))
            self._changes_since[as_of] = Change(self.as_of, ids, each[0].tokens_before)
        return self._changes_since[as_of]

    def add_full(self, snapshot: Snapshot, index: TextIndex, full: FullPostings, changed: Sequence[int]) -> None:
        """Keep all posting lists of an index; `changed` are the memories changed since they were read."""
        if changed:
            self.apply_changes(snapshot, changed, self.as_of)
        try:
            full.measure(self.lengths)
        except IndexError as error:  # in a damaged store a posting may be of a memory that never was
            raise CacheMiss from error
        self._full[index] = full

    @property
    def is_prefetch_full(self) -> bool:
        """Whether there is no room for lists that have not been asked for."""
        return self._bytes >= _MAX_PREFETCHED_BYTES

    def add_prefetched(self, index: TextIndex, token: str, posting: Posting) -> None:
        """Keep a list that has not been asked for, as the first to be dropped; never in place of another."""
        if (index, token) not in self._lists:
            self._lists[index, token] = posting
            self._lists.move_to_end((index, token), last=False)
            self._bytes += posting.nbytes

    def read_list(self, snapshot: Snapshot, index: TextIndex, token: str) -> Posting:
        """Read a list from the engine; valid only while the postings are as of the snapshot."""
        return read_posting(snapshot, index, token, self.lengths, self.as_of)

    def read_among(self, snapshot: Snapshot, index: TextIndex, word: str, ids: Ids) -> Posting:
        """Read from the engine what the list of a query word has of some memories."""
        return read_posting_among(snapshot, index, word, ids, self.lengths, self.as_of)


def _apply(posting: Posting, changed: Ids, counts: Mapping[int, int], lengths: Lengths) -> int:
    """Move changed memories into or out of a list by their present counts (by occurrence), all at once, since lists may
    be long; return by how many bytes the list has grown."""
    gone: Rows = np.zeros(0, dtype=np.intp)
    if len(posting.ids) and changed[0] <= posting.ids[-1]:  # else all of them are new
        at, are_there = positions(changed, posting.ids)
        gone = at[are_there]
    if not len(gone) and not counts:
        return 0
    nbytes = posting.nbytes
    for column in {occurrence & FIELD_MASK for occurrence in counts} - posting.counts.keys():
        posting.counts[column], posting.max_counts[column] = np.zeros(len(posting.ids), dtype=np.uint8), 0
    holding = sorted({occurrence >> FIELD_BITS for occurrence in counts})
    ids = np.array(holding, dtype=np.int32)
    kept = _without(posting.ids, gone)
    where = kept.searchsorted(ids)
    posting.ids = _inserted(kept, where, ids)
    for column, before in posting.counts.items():
        own = [counts.get(id << FIELD_BITS | column, 0) for id in holding]
        highest, kind = max(own, default=0), before.dtype
        if highest > posting.max_counts[column]:
            posting.max_counts[column], kind = highest, np.promote_types(kind, np.min_scalar_type(highest))
        posting.counts[column] = _inserted(_without(before, gone), where, np.array(own, dtype=kind))
    posting.min_length = min([posting.min_length, *lengths[ids].tolist()])
    return posting.nbytes - nbytes


def _without(array: NDArray[Number], gone: Rows) -> NDArray[Number]:
    return np.delete(array, gone) if len(gone) else array


def _inserted(array: NDArray[Number], where: Rows, new: NDArray[Number]) -> NDArray[Number]:
    """Return the array with new elements. New memories mostly come last: appending takes a tenth of the time of
    inserting."""
    if not len(where) or where[0] == len(array):
        return np.concatenate([array, new])
    return np.insert(array.astype(new.dtype), where, new)
