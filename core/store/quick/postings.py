"""The words that were asked for, kept up to date change by change."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from core.search_types import FIELDS
from core.store.quick.lengths import FieldLengths, Lengths
from core.store.quick.numbers import Ids, Number, Rows, parsed, places
from core.store.quick.said import Said
from core.store.quick.vocabulary import FIELD_BITS, FIELD_MASK, Posting, Table, Whole, read_part, read_posting
from core.store.sqlite import fulltext
from core.store.sqlite.from_memory import HIGHEST_ID, NotInMemory
from core.store.sqlite.rows import among

# The least recently used words go when their lists take more than this.
MAX_BYTES = 96_000_000

# Words that nobody has asked for are read as long as there is room for as much again.
_ENOUGH_BYTES = MAX_BYTES // 2


@dataclass(frozen=True, slots=True)
class Change:
    """Memories whose words have changed, up to a number of the log: who, and how many words were said before."""

    as_of: int
    ids: Ids
    said_before: int


@dataclass(slots=True)
class Postings:
    """The words that were asked for, the length of every memory in words, and what has changed since the oldest of the
    lists was read."""

    field_lengths: FieldLengths
    rows: int
    as_of: int
    _lists: OrderedDict[tuple[Table, str], Posting] = field(default_factory=OrderedDict)
    _whole: dict[Table, Whole] = field(default_factory=dict)
    _changes: list[Change] = field(default_factory=list)
    _said: Said = field(default_factory=Said)
    _changes_since: dict[int, Change] = field(default_factory=dict)
    _bytes: int = 0

    @classmethod
    def read(cls, connection: apsw.Connection, as_of: int) -> Postings:
        ids, sizes = _sizes(connection)
        # Of the memories, not of those that full text holds: a damaged index may have lost the last of them.
        highest = int(ids.max(initial=connection.execute("select coalesce(max(id), 0) from memories").get))
        if highest > HIGHEST_ID:
            raise NotInMemory
        return cls(FieldLengths(highest, ids, sizes), len(ids), as_of)

    @property
    def lengths(self) -> Lengths:
        """The words of every memory over all fields, −1 where there is none."""
        return self.field_lengths.total

    @property
    def size(self) -> int:
        words = sum(each.size for each in self._whole.values())
        return self._bytes + self.field_lengths.nbytes + self._said.size + words

    def holds(self, table: Table, word: str) -> bool:
        return table in self._whole or (table, word) in self._lists

    def of(self, connection: apsw.Connection, table: Table, word: str) -> Posting:
        """The list of a word as it stands now."""
        found = self._lists.get((table, word))
        if found is not None:
            self._lists.move_to_end((table, word))
        else:
            whole = self._whole.get(table)
            found = self.read_word(connection, table, word) if whole is None else whole.posting(word)
            self._lists[table, word] = found
            self._bytes += found.size
        if found.as_of < self.as_of:
            since = self._since(found.as_of)
            self._bytes += _apply(found, since.ids, self._said.held(table, word, since.said_before), self.lengths)
            found.as_of = self.as_of
        while self._bytes > MAX_BYTES and len(self._lists) > 1:
            self._bytes -= self._lists.popitem(last=False)[1].size
        return found

    def count(self, connection: apsw.Connection, table: Table, word: str) -> int | None:
        """How many memories hold a word; None when its list is not here."""
        return len(self.of(connection, table, word).ids) if self.holds(table, word) else None

    def follow(self, connection: apsw.Connection, changed: Sequence[int], as_of: int) -> None:
        """Take in what became of some memories; NotInMemory where full text holds more or fewer words than they say."""
        now, sizes = _sizes(connection, *among("id", changed))
        indexed = set(now.tolist())
        texts = {
            id << FIELD_BITS | number: content
            for id, number, content in fulltext.said(connection, changed)
            if id in indexed  # in a damaged file full text may have lost one
        }
        codes = np.array(list(texts), dtype=np.int64)
        words = sizes[now.searchsorted(codes >> FIELD_BITS) * len(FIELDS) + (codes & FIELD_MASK)]
        if words.sum() != sizes.sum():
            raise NotInMemory
        ids = np.array(sorted(changed), dtype=np.int32)
        self.field_lengths.grow(int(ids[-1]) + 1)
        known = ids[self.lengths[ids] >= 0]
        said_before = self._said.count
        self._said.replace(connection, known, texts.values(), np.repeat(codes, words))
        self._changes.append(Change(as_of, ids, said_before))
        self.rows += len(now) - len(known)
        self.field_lengths.replace(ids, now, sizes)
        self._changes_since.clear()
        self.as_of = as_of

    @property
    def changed(self) -> int:
        return sum(len(change.ids) for change in self._changes)

    def _since(self, as_of: int) -> Change:
        """All that has changed since, as one; many lists are of the same age."""
        if as_of not in self._changes_since:
            each = self._changes[bisect_right(self._changes, as_of, key=lambda change: change.as_of) :]
            ids = np.unique(np.concatenate([change.ids for change in each]))
            self._changes_since[as_of] = Change(self.as_of, ids, each[0].said_before)
        return self._changes_since[as_of]

    def keep_whole(self, connection: apsw.Connection, table: Table, whole: Whole, changed: Sequence[int]) -> None:
        """Keep all words of a table, which has changed since they were read."""
        if changed:
            self.follow(connection, changed, self.as_of)
        try:
            whole.measure(self.lengths)
        except IndexError as error:  # in a damaged file words may be of a memory that never was
            raise NotInMemory from error
        self._whole[table] = whole

    @property
    def is_full(self) -> bool:
        """Whether there is no room for words that nobody has asked for."""
        return self._bytes >= _ENOUGH_BYTES

    def keep_spare(self, table: Table, word: str, posting: Posting) -> None:
        """Keep a list that nobody has asked for, as the first to go; in place of none."""
        if (table, word) not in self._lists:
            self._lists[table, word] = posting
            self._lists.move_to_end((table, word), last=False)
            self._bytes += posting.size

    def read_word(self, connection: apsw.Connection, table: Table, word: str) -> Posting:
        """A list as the file has it; of no use once the lists are of another moment than the connection."""
        return read_posting(connection, table, word, self.lengths, self.as_of)

    def read_part(self, connection: apsw.Connection, table: Table, asked: str, ids: Ids) -> Posting:
        """What a list has of some memories, as the file has it."""
        return read_part(connection, table, asked, ids, self.lengths, self.as_of)


def _apply(posting: Posting, changed: Ids, held: Mapping[int, int], lengths: Lengths) -> int:
    """Put changed memories where they belong by what they hold of the word now, all at once: lists may be long. Tells
    by how many bytes the list has grown."""
    gone: Rows = np.zeros(0, dtype=np.intp)
    if len(posting.ids) and changed[0] <= posting.ids[-1]:  # else all of them are new
        at, are_there = places(changed, posting.ids)
        gone = at[are_there]
    if not len(gone) and not held:
        return 0
    size = posting.size
    for column in {code & FIELD_MASK for code in held} - posting.counts.keys():
        posting.counts[column], posting.most[column] = np.zeros(len(posting.ids), dtype=np.uint8), 0
    holding = sorted({code >> FIELD_BITS for code in held})
    ids = np.array(holding, dtype=np.int32)
    kept = _without(posting.ids, gone)
    where = kept.searchsorted(ids)
    posting.ids = _inserted(kept, where, ids)
    for column, before in posting.counts.items():
        counts = [held.get(id << FIELD_BITS | column, 0) for id in holding]
        most, kind = max(counts, default=0), before.dtype
        if most > posting.most[column]:
            posting.most[column], kind = most, np.promote_types(kind, np.min_scalar_type(most))
        posting.counts[column] = _inserted(_without(before, gone), where, np.array(counts, dtype=kind))
    posting.shortest = min([posting.shortest, *lengths[ids].tolist()])
    return posting.size - size


def _sizes(
    connection: apsw.Connection, some: str = "true", asked: tuple[Any, ...] = ()
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of all memories, or of some, the ids, and of each field of each of them how many words it has."""
    # As text only for SQLite's sake, which joins nothing else: the bytes come back as they are.
    joined, count, first, last = connection.execute(
        "select cast(group_concat(cast(sz as text), '') as blob), count(*), min(id), max(id)"
        f" from fulltext_docsize where {some}",
        asked,
    ).get
    if not count:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    sizes = _numbers(joined or b"")
    if len(sizes) != count * len(FIELDS):  # in a damaged file
        raise NotInMemory
    if count == last - first + 1:  # none is missing in between
        return np.arange(first, last + 1), sizes
    return parsed(connection.execute(f"select group_concat(id) from fulltext_docsize where {some}", asked).get), sizes


def _without(array: NDArray[Number], gone: Rows) -> NDArray[Number]:
    return np.delete(array, gone) if len(gone) else array


def _inserted(array: NDArray[Number], where: Rows, new: NDArray[Number]) -> NDArray[Number]:
    """New memories come after all others: putting them there is ten times as quick as putting them in between."""
    if not len(where) or where[0] == len(array):
        return np.concatenate([array, new])
    return np.insert(array.astype(new.dtype), where, new)


def _numbers(varints: bytes) -> NDArray[np.int64]:
    """Numbers as SQLite writes them: seven bits a byte, the high bit says that more follow."""
    read = np.frombuffer(varints, dtype=np.uint8)
    values = read[read < 0x80].astype(np.int64)
    if len(values) < len(read):
        more = np.flatnonzero(read >= 0x80)
        own = more - np.arange(len(more))  # which value each of them is of
        steps = np.searchsorted(own, own, side="right") - np.arange(len(more))  # and how far before its end
        np.add.at(values, own, (read[more] & 0x7F).astype(np.int64) << (7 * steps))
    return values
