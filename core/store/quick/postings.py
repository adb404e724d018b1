"""The words that were asked for, kept up to date change by change."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import apsw
import numpy as np
from numpy.typing import NDArray

from core.search import FIELDS
from core.store.quick.numbers import Ids, Number, Rows, grown, parsed, places
from core.store.quick.said import Said, joined
from core.store.quick.vocabulary import FIELD_BITS, FIELD_MASK, Lengths, Posting, Table, Whole, read_part, read_posting
from core.store.sqlite import fulltext
from core.store.sqlite.from_memory import NotInMemory
from core.store.sqlite.rows import among

# The least recently used words go when their lists take more than this.
MOST_BYTES = 96_000_000

# Words that nobody has asked for are read as long as there is room for as much again.
_ENOUGH_BYTES = MOST_BYTES // 2


@dataclass(frozen=True, slots=True)
class Change:
    """Memories whose words have changed, up to a number of the log: who, and how many words were said before."""

    as_of: int
    ids: Ids
    said_before: dict[Table, int]


@dataclass(slots=True)
class Postings:
    """The words that were asked for, the length of every memory in words (−1 where there is none), and what has
    changed since the oldest of the lists was read."""

    lengths: Lengths
    rows: int
    as_of: int
    _lists: OrderedDict[tuple[Table, str], Posting] = field(default_factory=OrderedDict)
    _whole: dict[Table, Whole] = field(default_factory=dict)
    _changes: list[Change] = field(default_factory=list)
    _said: dict[Table, Said] = field(default_factory=lambda: {table: Said(table) for table in fulltext.TABLES})
    _since: dict[int, Ids] = field(default_factory=dict)
    _bytes: int = 0

    @classmethod
    def read(cls, connection: apsw.Connection, as_of: int) -> Postings:
        ids, sizes = _sizes(connection)
        # Of the memories, not of those that full text holds: a damaged index may have lost the last of them.
        highest = int(connection.execute("select coalesce(max(id), 0) from memories").get)
        lengths = np.full(int(ids.max(initial=highest)) + 1, -1, dtype=np.int32)
        lengths[ids] = _lengths(sizes)
        return cls(grown(lengths, len(lengths) + 1_000, -1), len(ids), as_of)

    @property
    def size(self) -> int:
        whole, said = self._whole.values(), self._said.values()
        return self._bytes + self.lengths.nbytes + sum(each.size for each in whole) + sum(each.size for each in said)

    def holds(self, table: Table, word: str) -> bool:
        return table in self._whole or (table, word) in self._lists

    def of(self, connection: apsw.Connection, table: Table, word: str) -> Posting:
        """The list of a word as it stands now."""
        found = self._lists.pop((table, word), None)
        if found is not None:
            self._bytes -= found.size
        elif table in self._whole:
            found = self._whole[table].posting(word)
        else:
            found = self.read_word(connection, table, word)
        if found.as_of < self.as_of:
            said_before = self._changes_since(found.as_of)[0].said_before[table]
            _apply(found, self._changed_since(found.as_of), self._said[table].held(word, said_before), self.lengths)
            found.as_of = self.as_of
        self._lists[table, word] = found
        self._bytes += found.size
        while self._bytes > MOST_BYTES and len(self._lists) > 1:
            self._bytes -= self._lists.popitem(last=False)[1].size
        return found

    def count(self, connection: apsw.Connection, table: Table, word: str) -> int | None:
        """How many memories hold a word; None when its list is not here."""
        return len(self.of(connection, table, word).ids) if self.holds(table, word) else None

    def follow(self, connection: apsw.Connection, changed: Sequence[int], as_of: int) -> None:
        """Take in what became of some memories."""
        some, asked = among("id", changed)
        sizes: dict[int, bytes] = dict(connection.execute(f"select id, sz from fulltext_docsize where {some}", asked))
        ids = np.array(sorted(changed), dtype=np.int32)
        self.lengths = grown(self.lengths, int(ids[-1]) + 1, -1)
        known = ids[self.lengths[ids] >= 0]
        self.rows += len(sizes) - len(known)
        self.lengths[ids] = -1
        self.lengths[list(sizes)] = _lengths(b"".join(sizes.values()))
        texts = {
            id << FIELD_BITS | number: content
            for id, *fields in fulltext.of_file(connection, f"where m.{some}", asked)
            for number, content in enumerate(fields)
            if content and id in sizes  # in a damaged file full text may have lost one
        }
        self._changes.append(Change(as_of, ids, {table: said.count for table, said in self._said.items()}))
        codes, together = np.array(list(texts), dtype=np.int64), joined(texts.values())
        for said in self._said.values():
            if len(known):
                said.take_back(known)
            said.add(connection, codes, together)
        self._since.clear()
        self.as_of = as_of

    @property
    def changed(self) -> int:
        return sum(len(change.ids) for change in self._changes)

    def _changes_since(self, as_of: int) -> list[Change]:
        return self._changes[bisect_right(self._changes, as_of, key=lambda change: change.as_of) :]

    def _changed_since(self, as_of: int) -> Ids:
        """Every memory that has changed since, by id; many lists are of the same age."""
        if as_of not in self._since:
            self._since[as_of] = np.unique(np.concatenate([each.ids for each in self._changes_since(as_of)]))
        return self._since[as_of]

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


def _apply(posting: Posting, changed: Ids, held: Mapping[int, int], lengths: Lengths) -> None:
    """Put changed memories where they belong by what they hold of the word now, all at once: lists may be long."""
    gone: Rows = np.zeros(0, dtype=np.intp)
    if len(posting.ids) and changed[0] <= posting.ids[-1]:  # else all of them are new
        at, are_there = places(changed, posting.ids)
        gone = at[are_there]
    if not len(gone) and not held:
        return
    holding = np.array(sorted({code >> FIELD_BITS for code in held}), dtype=np.int32)
    none_yet = np.zeros(len(posting.ids), dtype=np.uint8)
    kept = _without(posting.ids, gone)
    where = np.searchsorted(kept, holding)
    posting.ids = _inserted(kept, where, holding)
    for column in posting.counts.keys() | {code & FIELD_MASK for code in held}:
        counts = [held.get(id << FIELD_BITS | column, 0) for id in holding.tolist()]
        before = _without(posting.counts.get(column, none_yet), gone)
        wide_enough = np.promote_types(before.dtype, np.min_scalar_type(max(counts, default=0)))
        posting.counts[column] = _inserted(before, where, np.array(counts, dtype=wide_enough))
        posting.most[column] = max(posting.most.get(column, 0), *counts, 0)
    posting.shortest = int(lengths[holding].min(initial=posting.shortest))


def _sizes(connection: apsw.Connection) -> tuple[NDArray[np.int64], bytes]:
    """Of all memories the ids and FTS5's records of their words."""
    # As text only for SQLite's sake, which joins nothing else: the bytes come back as they are.
    joined, count, first, last = connection.execute(
        "select cast(group_concat(cast(sz as text), '') as blob), count(*), min(id), max(id) from fulltext_docsize"
    ).get
    if not count:
        return np.zeros(0, dtype=np.int64), b""
    if count == last - first + 1:  # none is missing in between
        return np.arange(first, last + 1), joined
    return parsed(connection.execute("select group_concat(id) from fulltext_docsize").get), joined


def _without(array: NDArray[Number], gone: Rows) -> NDArray[Number]:
    return np.delete(array, gone) if len(gone) else array


def _inserted(array: NDArray[Number], where: Rows, new: NDArray[Number]) -> NDArray[Number]:
    """New memories come after all others: putting them there is ten times as quick as putting them in between."""
    if not len(where) or where[0] == len(array):
        return np.concatenate([array, new])
    return np.insert(array.astype(new.dtype), where, new)


def _lengths(sizes: bytes) -> NDArray[np.int64]:
    """The words of each memory, from FTS5's record of them: one SQLite varint a field, seven bits a byte, the high bit
    says that more follow."""
    read = np.frombuffer(sizes, dtype=np.uint8)
    more = np.flatnonzero(read >= 0x80)
    values = np.delete(read, more).astype(np.int64)
    if len(more):
        own = more - np.arange(len(more))  # which value each of them is of
        steps = np.searchsorted(own, own, side="right") - np.arange(len(more))  # and how far before its end
        np.add.at(values, own, (read[more] & 0x7F).astype(np.int64) << (7 * steps))
    # Field by field, which is several times as quick as memory by memory.
    lengths: NDArray[np.int64] = np.add.reduce([values[field :: len(FIELDS)] for field in range(len(FIELDS))])
    return lengths
