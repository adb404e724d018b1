"""Words as FTS5's own vocabulary tells of them: which memories hold one, and how often in which field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from core import text
from core.search_types import FIELDS
from core.store.quick.lengths import Lengths
from core.store.quick.numbers import Ids, parsed
from core.store.sqlite.rows import from_json, to_json

Table = str
Counts = NDArray[np.unsignedinteger]  # of as few bytes as the highest needs

# The vocabulary names the field of each occurrence; one number, a code, carries it together with the memory's id.
FIELD_BITS = 3
FIELD_MASK = (1 << FIELD_BITS) - 1
_CODE = f"doc * {1 << FIELD_BITS} + case col " + " ".join(
    f"when '{name}' then {number}" for number, name in enumerate(FIELDS)
) + " end"  # fmt: skip

_SEVERAL = FIELD_MASK  # stands for more than one field
_LONGEST = 2**31 - 1  # more words than any memory holds

# So many words are worth being read before anybody asks for one of them.
_MAX_HELD = 2_000


@dataclass(slots=True)
class Posting:
    """The memories that hold a word, by id, and how often in each field that has it at all.

    `most` and `shortest` bound what the word can add to any score: its highest count in each field, and the length of
    the shortest memory that holds it. Taking memories out leaves them as they are, which is still a bound.
    """

    ids: Ids
    counts: dict[int, Counts]
    most: dict[int, int]
    shortest: int
    as_of: int

    @property
    def size(self) -> int:
        return self.ids.nbytes + sum(each.nbytes for each in self.counts.values()) + 200


@dataclass(frozen=True, slots=True)
class _Held:
    """Who holds a word in which field, and how often; or the same of many words, one after the other."""

    ids: Ids
    fields: NDArray[np.uint8]
    times: Counts

    def __getitem__(self, part: slice) -> _Held:
        return _Held(self.ids[part], self.fields[part], self.times[part])


class Whole:
    """Every word of a table in a few large arrays, of which the list of a word is a part."""

    def __init__(self, as_of: int, numbers: dict[str, int], starts: NDArray[np.int64], held: _Held) -> None:
        """`numbers` are the words', `starts` where the part of each begins; the last is the end of all."""
        self.as_of = as_of
        self._numbers, self._starts, self._held = numbers, starts, held
        # All that a posting tells beside its list, of every word at once: of one, when it is asked for, it takes long.
        first, last = (of_each.reduceat(held.fields, starts[:-1]) for of_each in (np.minimum, np.maximum))
        self._fields = np.where(first == last, first, _SEVERAL)
        self._most = np.maximum.reduceat(held.times, starts[:-1])
        self._shortest: Lengths  # once it is measured

    @classmethod
    def read(cls, connection: apsw.Connection, table: Table, as_of: int) -> Whole:
        """In one go: word by word even a few thousand would take longer."""
        joined = connection.execute(
            f"select cast(term as blob), group_concat({_CODE}) from {_vocabulary(connection, table, 'instance')}"
            " group by term"
        )
        numbers: dict[str, int] = {}
        parts = [np.zeros(0, dtype=np.int64)]
        for number, (term, codes) in enumerate(joined):
            numbers[_word(term)] = number
            parts.append(parsed(codes))
        starts, held = _counted(np.concatenate(parts), np.cumsum([len(part) for part in parts]))
        return cls(as_of, numbers, starts, held)

    @property
    def size(self) -> int:
        arrays = (self._starts, self._held.ids, self._held.fields, self._held.times)
        return sum(each.nbytes for each in arrays) + 130 * len(self._numbers)

    def measure(self, lengths: Lengths) -> None:
        """Find the shortest memory that holds each word; before any posting is asked for."""
        known = np.where(lengths < 0, _LONGEST, lengths)  # some may have gone since
        self._shortest = np.minimum.reduceat(known[self._held.ids], self._starts[:-1])

    def posting(self, word: str) -> Posting:
        number = self._numbers.get(word)
        if number is None:
            return _posting(self._held[:0], _LONGEST, self.as_of)
        held = self._held[self._starts[number] : self._starts[number + 1]]
        field, shortest = int(self._fields[number]), int(self._shortest[number])
        if field == _SEVERAL:
            return _posting(held, shortest, self.as_of)
        return Posting(held.ids, {field: held.times}, {field: int(self._most[number])}, shortest, self.as_of)


def read_posting(connection: apsw.Connection, table: Table, word: str, lengths: Lengths, as_of: int) -> Posting:
    """The list of a word as the file has it."""
    vocabulary = _vocabulary(connection, table, "instance")
    codes = parsed(connection.execute(f"select group_concat({_CODE}) from {vocabulary} where term = ?", (word,)).get)
    _, held = _counted(codes, np.zeros(1, dtype=np.int64))
    return _posting(held, _shortest(held, lengths), as_of)


def read_part(connection: apsw.Connection, table: Table, asked: str, ids: Ids, lengths: Lengths, as_of: int) -> Posting:
    """What the list of a word, named as it was asked for, has of some memories: FTS5 goes to each of them at once."""
    found = connection.execute(
        f"select f.rowid, word_counts({table}) from json_each(?) wanted cross join {table} f"
        f" where f.rowid = wanted.value and {table} match ?",
        (to_json(ids.tolist()), text.match_expression([asked])),
    )
    held = [
        (id, field, times)
        for id, counted in found
        for field, times in enumerate(from_json(counted)["counts"][0])
        if times
    ]
    own, fields, times = np.array(held, dtype=np.int32).reshape(-1, 3).T
    part = _Held(own, fields.astype(np.uint8), times.astype(np.uint32))
    return _posting(part, _shortest(part, lengths), as_of)


def count(connection: apsw.Connection, table: Table, word: str) -> int:
    """How many memories hold a word: told in a twentieth of the time that it takes to read which."""
    vocabulary = _vocabulary(connection, table, "row")
    return int(connection.execute(f"select doc from {vocabulary} where term = ?", (word,)).get or 0)


def most_held(connection: apsw.Connection, tables: Iterable[Table]) -> list[tuple[Table, str]]:
    """The words of each table that most memories hold, the first of all of them first."""
    found: list[tuple[int, Table, str]] = []
    for table in tables:
        vocabulary = _vocabulary(connection, table, "row")
        words = connection.execute(
            f"select doc, cast(term as blob) from {vocabulary} order by doc desc limit ?", (_MAX_HELD,)
        )
        found += [(held_by, table, _word(term)) for held_by, term in words]
    return [(table, word) for _, table, word in sorted(found, key=lambda each: -each[0])]


def _counted(codes: NDArray[np.int64], starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], _Held]:
    """How often each code comes in each of the parts that start at some places, and where these start then."""
    is_first = np.diff(codes, prepend=-1) != 0
    is_first[starts[starts < len(codes)]] = True
    firsts = np.flatnonzero(is_first)
    times = np.diff(firsts, append=len(codes))
    counts = times.astype(np.min_scalar_type(int(times.max(initial=0))))
    ids, fields = (codes[firsts] >> FIELD_BITS).astype(np.int32), (codes[firsts] & FIELD_MASK).astype(np.uint8)
    return np.searchsorted(firsts, starts), _Held(ids, fields, counts)


def _shortest(held: _Held, lengths: Lengths) -> int:
    return int(lengths[held.ids].min(initial=_LONGEST))


def _posting(held: _Held, shortest: int, as_of: int) -> Posting:
    ids, counts = held.ids, dict[int, Counts]()
    if len(ids) and (held.fields == held.fields[0]).all():  # as with most words
        counts[int(held.fields[0])] = held.times
    else:
        is_first = np.diff(ids, prepend=-1) != 0
        own = np.cumsum(is_first) - 1
        ids = ids[is_first]
        for field in np.unique(held.fields).tolist():
            of_field = held.fields == field
            counts[field] = np.zeros(len(ids), dtype=held.times.dtype)
            counts[field][own[of_field]] = held.times[of_field]
    most = {field: int(each.max(initial=0)) for field, each in counts.items()}
    return Posting(ids, counts, most, shortest, as_of)


def _word(term: bytes) -> str:
    """FTS5 may cut a word off within a character; nobody is answered by the list of such a one."""
    return bytes(term).decode(errors="replace")


def _vocabulary(connection: apsw.Connection, table: Table, kind: str) -> str:
    """FTS5's own table of the words of another, with one row for each word or for each `instance` of one."""
    name = f"temp.{table}_by_{kind}"
    connection.execute(f"create virtual table if not exists {name} using fts5vocab('main', '{table}', '{kind}')")
    return name
