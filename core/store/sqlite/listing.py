"""Lists of memories of any length in any order, as ids, so that each page is read by its keys; and counts.

A page by key costs the same at any position of the list and for any order; a page by OFFSET costs more the further down
it is, and a page by sort key reads every row if no index has that key. Each query names its index: SQLite itself picks
an index that lacks a column, after which each row is read from another page.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import apsw

from core.clock import to_micros
from core.search_types import Order, Selection, SortColumn
from core.store.sqlite import fulltext, memories

_PIECE_CHARS = 100_000

_KEYS: Mapping[SortColumn, str] = {
    SortColumn.ID: "m.id",
    SortColumn.CONTENT: "substr(m.content, 1, 80) collate nocase",
    SortColumn.TYPE: "m.type",
    SortColumn.TAGS: "coalesce(first.tag, '')",
    SortColumn.STATUS: "m.status",
    SortColumn.PINNED: "m.pinned",
    SortColumn.CONFIDENCE: "m.confidence",
    SortColumn.STRENGTH: "m.strength",
    SortColumn.IMPORTANCE: "m.importance = 'high'",
    SortColumn.COLLECTION: "m.collection",
    SortColumn.SESSION: "m.session",
    SortColumn.AGENT: "m.agent",
    SortColumn.USER: "m.user",
    SortColumn.SOURCE: "m.source",
    SortColumn.CREATED: "m.created_at",
    SortColumn.UPDATED: "m.updated_at",
    SortColumn.ACCESSED: "coalesce(m.last_accessed_at, 0)",
    SortColumn.USES: "m.access_count",
    SortColumn.RETURNS: "m.return_count",
    SortColumn.VERSION: "m.version",
}


def ids(
    connection: apsw.Connection, wanted: Selection, order: Order, now: datetime, limit: int | None = None
) -> array[int]:
    """Return the ids of a selection in order, eight bytes each: a million take 8 MB."""
    condition, bindings = _condition(wanted, now)
    key, way = _KEYS[order.column], _way(order)
    # Left out if there is none: any limit, even −1, makes SQLite sort row by row into a tree.
    at_most = "" if limit is None else f"limit {limit:d}"
    # As one text: a million separate rows would take and release the interpreter's lock a million times.
    found = connection.execute(
        f"select group_concat(id) from (select m.id from {_source(wanted, order)} where {condition}"
        f" order by {key} {way}, m.id {way} {at_most})",
        bindings,
    ).get
    return _numbers(found or "")


def _source(wanted: Selection, order: Order) -> str:
    """Return the tables and the index that a list is read from."""
    tags = (
        " left join tags first on first.memory_id = m.id and first.position = 0"
        if order.column is SortColumn.TAGS
        else ""
    )
    if fulltext.narrowing_expression(wanted.text):
        return f"fulltext cross join memories m on m.id = fulltext.rowid{tags}"
    if tags or wanted.text.strip() or order.column is SortColumn.CONTENT:
        return f"memories m not indexed{tags}"
    return "memories m indexed by memories_as_listed"


def _numbers(listed: str) -> array[int]:
    """Parse the ids piece by piece, so that other threads can run in between."""
    found = array("q")
    start = 0
    while start < len(listed):
        end = listed.find(",", start + _PIECE_CHARS)
        end = len(listed) if end < 0 else end
        found.extend(map(int, listed[start:end].split(",")))
        start = end + 1
    return found


def _way(order: Order) -> str:
    return "desc" if order.descending else "asc"


def _condition(wanted: Selection, now: datetime) -> tuple[str, list[Any]]:
    """Return a selection as SQL over `memories m`, with its bindings."""
    condition, bindings = memories.condition(wanted.filter)
    terms = [] if condition == "true" else [condition]

    def also(term: str, *values: Any) -> None:
        terms.append(term)
        bindings.extend(values)

    if wanted.text.strip():
        words = fulltext.narrowing_expression(wanted.text)
        if words:
            also("fulltext match ?", words)
        else:  # only punctuation: searched for literally
            also("instr(m.content, ?) > 0", wanted.text.strip())
    if wanted.min_confidence is not None:
        also("m.confidence >= ?", wanted.min_confidence)
    if wanted.max_confidence is not None:
        also("m.confidence <= ?", wanted.max_confidence)
    if wanted.min_age_days is not None:
        also("m.created_at <= ?", to_micros(now - timedelta(days=wanted.min_age_days)))
    if wanted.max_age_days is not None:
        also("m.created_at >= ?", to_micros(now - timedelta(days=wanted.max_age_days)))
    if wanted.min_unused_days is not None:
        unused = to_micros(now - timedelta(days=wanted.min_unused_days))
        also(f"{memories.LAST_USED} <= ?", unused)
    if wanted.never_recalled:
        also("m.return_count = 0 and m.access_count = 0")
    return " and ".join(terms) or "true", bindings


def count_between(connection: apsw.Connection, borders: Sequence[datetime], *, by_use: bool) -> list[int]:
    """Return how many unpinned memories were written (or last used) before the first border, between each two, and
    since the last; borders in rising order."""
    key = memories.LAST_USED if by_use else "m.created_at"
    moments = [to_micros(border) for border in borders]
    steps = " + ".join(f"({key} >= ?)" for _ in moments) or "0"
    found: list[Any] = connection.execute(
        f"select {steps} as step, count(*) from memories m where not m.pinned group by step", moments
    ).fetchall()
    counted = dict(found)
    return [int(counted.get(step, 0)) for step in range(len(moments) + 1)]


def counts_by(connection: apsw.Connection, column: str) -> dict[str, int]:
    """Return how many memories there are of each status, type, collection, agent, session or source."""
    if column not in ("status", "type", "collection", "agent", "session", "source"):
        raise ValueError(column)
    found = connection.execute(f"select {column}, count(*) from memories group by 1 order by 2 desc, 1")
    return {str(value): int(count) for value, count in found}


def tag_counts(connection: apsw.Connection, limit: int) -> dict[str, int]:
    """Return the most frequent tags, with their numbers of memories."""
    found = connection.execute("select tag, count(*) from tags group by 1 order by 2 desc, 1 limit ?", (limit,))
    return {str(tag): int(count) for tag, count in found}
