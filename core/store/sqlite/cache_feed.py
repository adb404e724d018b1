"""Feeds the search cache from a SQLite file: token occurrences of FTS5, vectors of vec0, changes of the log.

Numbers come from SQLite by the million: joined into one text there and parsed here, without a row in Python.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import apsw
import numpy as np

from core.model import Filter, MemoryId
from core.search_cache.cache_protocol import CacheMiss, SpaceId
from core.search_cache.feed import (
    FIELD_BITS,
    FIELD_MASK,
    STEMS,
    WORDS,
    ChangedMemories,
    IndexedTokens,
    Int64s,
    TextIndex,
    VectorBatch,
    Vectors,
)
from core.search_types import FIELDS, FactColumns
from core.store.json_text import from_json, to_json
from core.store.sqlite import connection as connections
from core.store.sqlite import fact_columns, fulltext, memories, search, search_log, shadow_tables, vec_distance, vectors
from core.store.sqlite.vec_distance import Distances

# After so many steps of SQLite's machine a background read checks whether it is stopped: every few milliseconds, or
# sooner. Seldom enough that waiting for Python's lock at each check does not slow it down.
STEPS_BETWEEN_CHECKS = 10_000
STEPS_BETWEEN_PROMPT_CHECKS = 1_000

_TABLES = {WORDS: "fulltext", STEMS: "fulltext_stemmed"}

# fts5vocab names the column of each occurrence; the cache takes one number of id and field.
_OCCURRENCE = f"doc * {1 << FIELD_BITS} + case col " + " ".join(
    f"when '{name}' then {number}" for number, name in enumerate(FIELDS)
) + " end"  # fmt: skip


class SqliteCacheFeed:
    """The feed of one open file; `is_wanted` answers for the thread that asks."""

    interrupted: type[Exception] = apsw.InterruptError
    failed: type[Exception] = apsw.Error

    def __init__(self, connect: Callable[[], apsw.Connection], is_wanted: Callable[[], bool]) -> None:
        self._connect, self.is_wanted = connect, is_wanted

    @contextmanager
    def connect(self, is_stopped: Callable[[], bool], *, promptly: bool = False) -> Iterator[SqliteFeedConnection]:
        connection = self._connect()
        steps = STEPS_BETWEEN_PROMPT_CHECKS if promptly else STEPS_BETWEEN_CHECKS
        connection.set_progress_handler(is_stopped, steps)
        try:
            yield SqliteFeedConnection(connection)
        finally:
            connection.close()


@dataclass(frozen=True, slots=True)
class SqliteFeedConnection:
    _connection: apsw.Connection

    @contextmanager
    def snapshot(self) -> Iterator[SqliteSnapshot]:
        with connections.snapshot(self._connection):
            yield SqliteSnapshot(self._connection)


@dataclass(frozen=True, slots=True)
class SqliteSnapshot:
    """Reads through a connection that is within a transaction; see the protocol for each method."""

    _connection: apsw.Connection

    def last_change(self) -> int:
        return search_log.last(self._connection)

    def changed_since(self, change: int) -> ChangedMemories | None:
        changed = search_log.since(self._connection, change)
        return None if changed is None else ChangedMemories(*changed)

    # full text

    def highest_id(self) -> int:
        return int(self._connection.execute("select coalesce(max(id), 0) from memories").get)

    def text_size(self, fields: Sequence[str]) -> tuple[int, float]:
        return search.size(self._connection, fields)

    def query_tokens(self, index: TextIndex, words: Sequence[str]) -> list[str] | None:
        return fulltext.single_tokens(self._connection, _TABLES[index], words)

    def field_lengths(self) -> tuple[Int64s, Int64s]:
        return self._lengths(None)

    def indexed_tokens(self, ids: Sequence[int]) -> IndexedTokens:
        """Tokenize the texts of the memories as FTS5 does; CacheMiss where its index has another number of tokens."""
        now, lengths = self._lengths(ids)
        indexed = set(now.tolist())
        texts = {
            id << FIELD_BITS | number: content
            for id, number, content in fulltext.field_texts(self._connection, ids)
            if id in indexed  # a damaged index may have lost one
        }
        codes = np.array(list(texts), dtype=np.int64)
        counts = lengths[now.searchsorted(codes >> FIELD_BITS) * len(FIELDS) + (codes & FIELD_MASK)]
        occurrences = np.repeat(codes, counts)
        # Tokenized together: handing a text over takes longer than tokenizing it. No token spans the end of a line.
        joined = "\n".join(texts.values())
        tokens = {index: fulltext.tokenizer(self._connection, table)(joined) for index, table in _TABLES.items()}
        if counts.sum() != lengths.sum() or any(len(own) != len(occurrences) for own in tokens.values()):
            raise CacheMiss
        return IndexedTokens(now, lengths, occurrences, tokens)

    def occurrences(self, index: TextIndex, token: str) -> Int64s:
        vocabulary = self._vocabulary(index, "instance")
        return _parsed(
            self._connection.execute(
                f"select group_concat({_OCCURRENCE}) from {vocabulary} where term = ?", (token,)
            ).get
        )

    def all_occurrences(self, index: TextIndex) -> tuple[list[str], list[Int64s]]:
        vocabulary = self._vocabulary(index, "instance")
        tokens, occurrences = [], []
        for term, joined in self._connection.execute(
            f"select cast(term as blob), group_concat({_OCCURRENCE}) from {vocabulary} group by term"
        ):
            tokens.append(_token(term))
            occurrences.append(_parsed(joined))
        return tokens, occurrences

    def counts_among(self, index: TextIndex, word: str, ids: Sequence[int]) -> Int64s:
        table = _TABLES[index]
        found = self._connection.execute(
            f"select f.rowid, word_counts({table}) from json_each(?) wanted cross join {table} f"
            f" where f.rowid = wanted.value and {table} match ?",
            (to_json(ids), fulltext.match_expression([word])),
        )
        counted = [
            (id, field, count)
            for id, counts in found
            for field, count in enumerate(from_json(counts)["counts"][0])
            if count
        ]
        return np.array(counted, dtype=np.int64).reshape(-1, 3)

    def document_frequency(self, index: TextIndex, token: str) -> int:
        # A twentieth of the time that it takes to read the occurrences.
        vocabulary = self._vocabulary(index, "row")
        return int(self._connection.execute(f"select doc from {vocabulary} where term = ?", (token,)).get or 0)

    def most_frequent(self, index: TextIndex, limit: int) -> list[tuple[int, str]]:
        vocabulary = self._vocabulary(index, "row")
        found = self._connection.execute(
            f"select doc, cast(term as blob) from {vocabulary} order by doc desc limit ?", (limit,)
        )
        return [(frequency, _token(term)) for frequency, term in found]

    def _lengths(self, ids: Sequence[int] | None) -> tuple[Int64s, Int64s]:
        varints, count, first, last = shadow_tables.text_lengths(self._connection, ids)
        lengths = _decoded(varints)
        if len(lengths) != count * len(FIELDS):  # in a damaged file
            raise CacheMiss
        if not count or count == last - first + 1:  # none is missing in between
            return np.arange(first, first + count), lengths
        return _parsed(shadow_tables.indexed_ids(self._connection, ids)), lengths

    def _vocabulary(self, index: TextIndex, kind: str) -> str:
        """Return FTS5's own vocabulary table of an index, with a row for each token or for each `instance` of one."""
        table = _TABLES[index]
        name = f"temp.{table}_by_{kind}"
        self._connection.execute(
            f"create virtual table if not exists {name} using fts5vocab('main', '{table}', '{kind}')"
        )
        return name

    # facts

    def facts(self, ids: Sequence[int]) -> FactColumns:
        return fact_columns.read(self._connection, map(MemoryId, ids))

    def all_facts(self) -> Iterator[FactColumns]:
        return fact_columns.read_all(self._connection)

    # filters

    def matching_ids(self, wanted: Filter) -> Int64s:
        if wanted == Filter():
            count, first, last = self._connection.execute(
                "select (select count(*) from memories), (select min(id) from memories), (select max(id) from memories)"
            ).get
            if count and count > last - first:  # none is missing in between, so that none need be read
                return np.arange(first, last + 1)
        condition, bindings = _condition(wanted)
        return self._ids(f"select m.id from memories m where {condition}", bindings)

    def tagged_ids(self, tags: Sequence[str]) -> Int64s:
        return self._ids(f"select memory_id as id from tags where tag in ({', '.join('?' * len(tags))})", tuple(tags))

    def matching_each(self, ids: Sequence[int], filters: Sequence[Filter]) -> tuple[Int64s, list[Int64s]]:
        found = memories.fitting_each(self._connection, ids, [_condition(each) for each in filters])
        columns = list(zip(*found, strict=True)) or [()] * (1 + len(filters))  # several times as fast as row by row
        existing, *passing = (np.array(column, dtype=np.int64) for column in columns)
        return existing, passing

    def _ids(self, select: str, bindings: tuple[Any, ...]) -> Int64s:
        return _parsed(self._connection.execute(f"select group_concat(id) from ({select})", bindings).get)

    # vectors

    @property
    def max_neighbours(self) -> int:
        return search.MAX_NEIGHBOURS - 1

    def vectors(self, space: SpaceId, dimension: int, batch: int) -> Iterator[VectorBatch]:
        found = shadow_tables.vector_chunks(self._connection, vectors.table(space))
        size = 16  # of a chunk, until the first one shows it
        while some := list(itertools.islice(found, max(1, batch // size))):
            chunks, validities, rowids, held = zip(*some, strict=True)
            size = len(validities[0]) * 8
            bits = np.unpackbits(np.frombuffer(b"".join(validities), dtype=np.uint8), bitorder="little")
            at = np.flatnonzero(bits)
            numbers = np.frombuffer(b"".join(held), dtype=np.float32).reshape(-1, dimension)
            ids = np.frombuffer(b"".join(rowids), dtype=np.int64)
            if len(at) < len(ids):
                ids, numbers = ids[at], numbers[at]
            yield VectorBatch(ids, _locations(np.array(chunks)[at // size], at % size), numbers)

    def vectors_of(self, space: SpaceId, dimension: int, ids: Sequence[int]) -> VectorBatch:
        table = vectors.table(space)
        places = np.array(shadow_tables.vector_places(self._connection, table, ids), dtype=np.int64).reshape(-1, 3)
        locations = _locations(places[:, 0], places[:, 1])
        held = b"".join(shadow_tables.read_vectors(self._connection, table, dimension, locations.tolist()))
        return VectorBatch(places[:, 2], locations, np.frombuffer(held, dtype=np.float32).reshape(-1, dimension))

    def stored_vectors(self, space: SpaceId, dimension: int, locations: Sequence[int]) -> Vectors:
        # From the blobs: asking vec0 for one vector after the other is slow.
        held = b"".join(shadow_tables.read_vectors(self._connection, vectors.table(space), dimension, locations))
        return np.frombuffer(held, dtype=np.float32).reshape(-1, dimension)

    def vector_lengths(self, stored: Vectors) -> Distances:
        return vec_distance.lengths(stored)

    def cosine_distances(self, stored: Vectors, vector: bytes, lengths: Distances | None = None) -> Distances:
        return vec_distance.distances(self._connection, stored, vector, lengths)

    def nearest(self, space: SpaceId, vector: bytes, wanted: Filter, limit: int) -> list[tuple[MemoryId, float]]:
        return search.search_vectors(self._connection, space, vector, wanted, limit)


@lru_cache(maxsize=64)
def _condition(wanted: Filter) -> tuple[str, tuple[Any, ...]]:
    condition, bindings = memories.condition(wanted)
    return condition, tuple(bindings)


def _locations(chunks: Int64s, offsets: Int64s) -> Int64s:
    return chunks << shadow_tables.OFFSET_BITS | offsets


def _token(term: bytes) -> str:
    """Return the text of a token, with replacement characters if FTS5 cut it off within a character; no query has such
    a token."""
    return bytes(term).decode(errors="replace")


def _parsed(joined: str | None) -> Int64s:
    """Parse the numbers of a `group_concat`."""
    return np.fromstring(joined or "", dtype=np.int64, sep=",")


def _decoded(varints: bytes) -> Int64s:
    """Decode SQLite's variable-length integers, seven bits a byte, the high bit set where more follow."""
    read = np.frombuffer(varints, dtype=np.uint8)
    values = read[read < 0x80].astype(np.int64)
    if len(values) < len(read):
        more = np.flatnonzero(read >= 0x80)
        own = more - np.arange(len(more))  # which value each of them belongs to
        steps = np.searchsorted(own, own, side="right") - np.arange(len(more))  # and how far before its end
        np.add.at(values, own, (read[more] & 0x7F).astype(np.int64) << (7 * steps))
    return values
