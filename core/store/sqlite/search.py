"""Searching: full text by BM25, vectors by cosine, each with the filter inside the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import apsw

from core.errors import Unavailable
from core.formulas import bm25, similarity
from core.location import command
from core.model import Filter, MemoryId
from core.search_types import FIELDS, TextSearch, TextStatistics, Vocabulary, WordStatistics
from core.store.json_text import from_json, to_json
from core.store.sqlite import fulltext, memories, shadow_tables, vectors

# The limit of vec0 for one query.
MAX_NEIGHBOURS = 4_096


# The plus hides the rowids from FTS5, which would restart the search for each of them.
_AMONG = "+rowid in (select value from json_each(?))"


def register(connection: apsw.Connection) -> None:
    """Register two auxiliary functions besides FTS5's own bm25(), which counts the words of every column as length."""
    connection.register_fts5_function("bm25_of_fields", _bm25_of_fields)
    connection.register_fts5_function("word_counts", _word_counts)


# full text


def search_text(
    connection: apsw.Connection, search: TextSearch, wanted: Filter, limit: int
) -> list[tuple[MemoryId, float]]:
    """Return the best matches, best first, ties by id."""
    table, score, bindings = _scoring(connection, search)
    condition, filters = memories.condition(wanted)
    join = "" if condition == "true" else "join memories m on m.id = f.rowid"
    with _full_text_may_fail(connection):
        found: list[Any] = connection.execute(
            f"select f.rowid, {score} as score from {table} f {join}"
            f" where {table} match ? and {condition} order by score, f.rowid limit ?",
            (*bindings, _expression(search), *filters, limit),
        ).fetchall()
    return [(MemoryId(id), bm25.from_fts5(value)) for id, value in found]


def text_scores(connection: apsw.Connection, search: TextSearch, ids: Iterable[MemoryId]) -> dict[MemoryId, float]:
    """Return the scores of those memories that match."""
    table, score, bindings = _scoring(connection, search)
    with _full_text_may_fail(connection):
        found: list[Any] = connection.execute(
            f"select rowid, {score} from {table} where {table} match ? and {_AMONG}",
            (*bindings, _expression(search), to_json(sorted(ids))),
        ).fetchall()
    return {MemoryId(id): bm25.from_fts5(value) for id, value in found}


def text_rank(connection: apsw.Connection, search: TextSearch, wanted: Filter, id: MemoryId) -> int | None:
    """Return the rank of a memory among all matches; None if it does not match."""
    table, score, bindings = _scoring(connection, search)
    condition, filters = memories.condition(wanted)
    with _full_text_may_fail(connection):
        found = connection.execute(
            f"select place from (select f.rowid as id, row_number() over (order by {score}, f.rowid) as place"
            f" from {table} f join memories m on m.id = f.rowid where {table} match ? and {condition}) where id = ?",
            (*bindings, _expression(search), *filters, id),
        ).get
    return None if found is None else int(found)


def text_statistics(
    connection: apsw.Connection, search: TextSearch, ids: Iterable[MemoryId]
) -> dict[MemoryId, TextStatistics]:
    """Return the counts that the BM25 scores of those memories that match are computed from."""
    table, score, bindings = _scoring(connection, search)
    with _full_text_may_fail(connection):
        found: list[Any] = connection.execute(
            f"select rowid, {score}, word_counts({table}) from {table} where {table} match ? and {_AMONG}",
            (*bindings, _expression(search), to_json(sorted(ids))),
        ).fetchall()
        with_word = [_documents_with(connection, table, search, word) for word in search.words] if found else []

    def statistics(score: float, counted: Any) -> TextStatistics:
        words = tuple(
            WordStatistics(word, counted["rows"], n, dict(zip(FIELDS, counts, strict=True)))
            for word, n, counts in zip(search.words, with_word, counted["counts"], strict=True)
        )
        length, total = (_sum_of(search.searched, counted[name]) for name in ("lengths", "totals"))
        return TextStatistics(words, search.searched, length, total / counted["rows"], bm25.from_fts5(score))

    return {MemoryId(id): statistics(score, from_json(counted)) for id, score, counted in found}


def containing(
    connection: apsw.Connection, words: Iterable[str], wanted: Filter, limit: int
) -> list[tuple[MemoryId, float]]:
    """Return memories whose text contains the words, scored by the share of them; newest first among equals."""
    asked = list(words)
    if not asked:
        return []
    condition, filters = memories.condition(wanted)
    patterns = ["%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%" for word in asked]
    share = " + ".join("(m.content like ? escape '\\')" for _ in asked)
    found = connection.execute(
        f"select id, score from (select m.id as id, ({share}) * 1.0 / ? as score, m.created_at as at"
        f" from memories m where {condition}) where score > 0 order by score desc, at desc, id limit ?",
        (*patterns, len(asked), *filters, limit),
    )
    return [(MemoryId(id), score) for id, score in found]


def _full_text_may_fail(connection: apsw.Connection) -> AbstractContextManager[None]:
    return _may_fail(connection, "The full-text index")


def _scoring(connection: apsw.Connection, search: TextSearch) -> tuple[str, str, list[Any]]:
    """Return the table, the scoring call (smaller is better) and its bindings."""
    table = fulltext.table_of(search)
    weights = [float(search.weights[field]) for field in FIELDS]
    if search.okapi is None and len(search.searched) == len(FIELDS):
        return table, f"bm25({table}, {', '.join('?' * len(weights))})", weights
    with _full_text_may_fail(connection):
        counts = [_documents_with(connection, table, search, word) for word in search.words]
    return table, f"bm25_of_fields({table}, ?)", [to_json([search.okapi, weights, counts])]


def _expression(search: TextSearch) -> str:
    """Return the FTS5 expression. Fields without a weight are not searched, or a match in them alone would score 0."""
    searched = search.searched
    columns = "" if len(searched) == len(FIELDS) else f"{{{' '.join(searched)}}} : "
    return f"{columns}({fulltext.match_expression(search.words)})" if searched else '""'


def _documents_with(connection: apsw.Connection, table: str, search: TextSearch, word: str) -> int:
    one = TextSearch((word,), search.stemmed, search.weights)
    return int(connection.execute(f"select count(*) from {table} where {table} match ?", (_expression(one),)).get)


def _bm25_of_fields(api: apsw.FTS5ExtensionApi, /, *arguments: Any) -> float:
    """Return the function that computes BM25 of one row over the fields with a weight, by Okapi's formula or by FTS5's
    own; negated like FTS5's, so that the same order serves both."""
    okapi, weights, with_word = _scoring_arguments(arguments[0])
    searched = [column for column, weight in enumerate(weights) if weight > 0]
    documents = api.row_count
    length = sum(api.column_size(column) for column in searched)
    average = sum(api.column_total_size(column) for column in searched) / documents
    k1, b = okapi or (bm25.FTS5_K1, bm25.FTS5_B)
    idf = bm25.okapi_idf if okapi else bm25.fts5_idf
    score = 0.0
    for phrase in range(api.phrase_count):
        locations = api.phrase_locations(phrase)
        frequency = 0.0  # not by `sum`, which rounds differently from Python 3.12 on
        for column in searched:
            if okapi:
                frequency += weights[column] * len(locations[column])
            else:  # FTS5 adds the weight occurrence by occurrence
                for _ in locations[column]:
                    frequency += weights[column]
        if frequency:
            score += bm25.term_score(frequency, idf(documents, with_word[phrase]), length, average, k1, b)
    return -score


@lru_cache(maxsize=8)  # the same for every row of a search
def _scoring_arguments(encoded: str) -> Any:
    return from_json(encoded)


def _word_counts(api: apsw.FTS5ExtensionApi, /, *_: Any) -> str:
    counts = [[len(places) for places in api.phrase_locations(phrase)] for phrase in range(api.phrase_count)]
    columns = range(len(FIELDS))
    shape = {
        "rows": api.row_count,
        "totals": [api.column_total_size(column) for column in columns],
        "lengths": [api.column_size(column) for column in columns],
        "counts": counts,
    }
    return to_json(shape)


def _sum_of(fields: Sequence[str], sizes: Sequence[int]) -> int:
    """Return the sum over some fields of a number for each field."""
    return sum(size for field, size in zip(FIELDS, sizes, strict=True) if field in fields)


# vectors


def search_vectors(
    connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, limit: int
) -> list[tuple[MemoryId, float]]:
    """Return the nearest vectors, nearest first, ties by id, also at the limit."""
    limit = min(limit, MAX_NEIGHBOURS - 1)
    if replace(wanted, statuses=()) == Filter() != wanted:
        # A filter by status passes nearly every memory, and to look for each vector among those takes vec0 half as long
        # again as to compare it: of twice as many without a filter enough are left, or else they are asked for with it.
        most = min(limit * 2, MAX_NEIGHBOURS - 1)
        nearest = _nearest(connection, space, vector, Filter(), most)
        with _vectors_may_fail(connection):
            fitting = set(memories.fitting(connection, [id for id, _ in nearest], *memories.condition(wanted)))
        left = [each for each in nearest if each[0] in fitting]
        if len(left) >= limit or len(nearest) < most:
            return left[:limit]
    return _nearest(connection, space, vector, wanted, limit)


def _nearest(
    connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, limit: int
) -> list[tuple[MemoryId, float]]:
    condition, filters = memories.condition(wanted)
    inside = "" if condition == "true" else f"and memory_id in (select m.id from memories m where {condition})"
    with _vectors_may_fail(connection):
        found: list[Any] = connection.execute(
            f"select memory_id, distance from {vectors.table(space)} where embedding match ? and k = ? {inside}",
            (vector, limit + 1, *filters),
        ).fetchall()
        found = [each for each in found if each[1] is not None]  # a vector of zeros has no direction
        found.sort(key=lambda each: (each[1], each[0]))
        if len(found) > limit and found[limit - 1][1] == found[limit][1]:
            # vec0 picks any of several that are equally near: read all of them, ties by id.
            tied = connection.execute(
                f"select memory_id from {vectors.table(space)} where vec_distance_cosine(embedding, ?) <= ? {inside}",
                (vector, found[limit][1], *filters),
            )
            nearer = [each for each in found if each[1] < found[limit][1]]
            known = {each[0] for each in nearer}
            equals = sorted({id for (id,) in tied} - known)
            found = nearer + [(id, found[limit][1]) for id in equals]
    return [(MemoryId(id), similarity.from_distance(distance)) for id, distance in found[:limit]]


def cosines(
    connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, ids: Iterable[MemoryId]
) -> dict[MemoryId, float]:
    with _vectors_may_fail(connection):
        found: list[Any] = connection.execute(
            f"select memory_id, vec_distance_cosine(embedding, ?) from {vectors.table(space)}"
            " where memory_id in (select value from json_each(?))",
            (vector, to_json(sorted(ids))),
        ).fetchall()
    return {MemoryId(id): similarity.from_distance(distance) for id, distance in found if distance is not None}


def vector_rank(
    connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, id: MemoryId
) -> int | None:
    """Return the rank of a memory among all vectors that pass the filter; None if it has no vector."""
    condition, filters = memories.condition(wanted)
    with _vectors_may_fail(connection):
        own = connection.execute(
            f"select vec_distance_cosine(embedding, ?) from {vectors.table(space)} where memory_id = ?", (vector, id)
        ).get
        if own is None:
            return None
        nearer = connection.execute(
            f"select count(*) from (select v.memory_id as id, vec_distance_cosine(v.embedding, ?) as distance"
            f" from {vectors.table(space)} v join memories m on m.id = v.memory_id where {condition})"
            " where distance < ? or (distance = ? and id < ?)",
            (vector, *filters, own, own, id),
        ).get
    return int(nearer) + 1


def _vectors_may_fail(connection: apsw.Connection) -> AbstractContextManager[None]:
    return _may_fail(connection, "The vectors")


@contextmanager
def _may_fail(connection: apsw.Connection, what: str) -> Iterator[None]:
    try:
        yield
    except (apsw.SQLError, apsw.CorruptError) as error:
        check = command(Path(connection.filename), "check")
        raise Unavailable(f"{what} cannot answer ({error}); `{check}` says more.") from error


def recently_accessed(
    connection: apsw.Connection, space: vectors.SpaceId | None, wanted: Filter, limit: int
) -> list[MemoryId]:
    """Return the memories used last (created last, if never used) that have a vector, if there is a model."""
    condition, filters = memories.condition(wanted)
    # `exists` is asked row by row in the order of use, so that the walk ends with the last one that is wanted.
    has_vector = (
        "" if space is None else "and exists (select 1 from embedded e where e.space_id = ? and e.memory_id = m.id)"
    )
    found = connection.execute(
        f"select m.id from memories m where {condition} {has_vector}"
        f" order by {memories.LAST_USED} desc, m.id desc limit ?",
        (*filters, *(() if space is None else (space,)), limit),
    )
    return [MemoryId(id) for (id,) in found]


def vocabulary(connection: apsw.Connection, words: Sequence[str], known: Mapping[str, int]) -> Vocabulary:
    """Return document frequencies from FTS5's own vocabulary and averages; except for `known` ones, since FTS5 scans
    all memories with a word."""
    with _full_text_may_fail(connection):
        if not known.keys() >= set(words):
            connection.execute(
                "create virtual table if not exists temp.vocabulary using fts5vocab('main', 'fulltext', 'row')"
            )
        counts = {
            word: int(
                known[word]
                if word in known
                else connection.execute("select doc from temp.vocabulary where term = ?", (word,)).get or 0
            )
            for word in words
        }
        return Vocabulary(*size(connection, ("content",)), counts)


def size(connection: apsw.Connection, fields: Sequence[str]) -> tuple[int, float]:
    """Return how many memories full text holds, and the average number of tokens in some fields, by FTS5's record."""
    documents, *tokens = shadow_tables.text_totals(connection)
    return documents, _sum_of(fields, tokens) / documents if documents else 0.0
