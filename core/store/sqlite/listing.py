"""Lists of memories of any length, in any order: only where each page begins is held, and a page is read by its key.

A page by key costs the same wherever in the list it is; one by OFFSET costs more the further down it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import apsw

from core import text
from core.clock import to_micros
from core.model import Memory, MemoryId
from core.search import Anchor, Column, Order, Selection
from core.store.sqlite import memories

# Never null, or a row could neither be before nor after another.
_KEYS: Mapping[Column, str] = {
    Column.ID: "m.id",
    Column.CONTENT: "lower(substr(m.content, 1, 80))",
    Column.TYPE: "m.type",
    Column.TAGS: "coalesce((select tag from tags where memory_id = m.id and position = 0), '')",
    Column.STATUS: "m.status",
    Column.PINNED: "m.pinned",
    Column.CONFIDENCE: "m.confidence",
    Column.STRENGTH: "m.strength",
    Column.IMPORTANCE: "m.importance = 'high'",
    Column.COLLECTION: "m.collection",
    Column.SESSION: "m.session",
    Column.AGENT: "m.agent",
    Column.USER: "m.user",
    Column.SOURCE: "m.source",
    Column.CREATED: "m.created_at",
    Column.UPDATED: "m.updated_at",
    Column.ACCESSED: "coalesce(m.last_accessed_at, 0)",
    Column.USES: "m.access_count",
    Column.RETURNS: "m.return_count",
    Column.VERSION: "m.version",
}


def count(connection: apsw.Connection, wanted: Selection, now: datetime) -> int:
    condition, bindings = _condition(wanted, now)
    return int(connection.execute(f"select count(*) from memories m where {condition}", bindings).get)


def anchors(connection: apsw.Connection, wanted: Selection, order: Order, now: datetime, step: int) -> list[Anchor]:
    """The first row of every page of `step` rows."""
    condition, bindings = _condition(wanted, now)
    key, way = _KEYS[order.column], _way(order)
    found = connection.execute(
        f"select key, id from (select {key} as key, m.id as id,"
        f" row_number() over (order by {key} {way}, m.id {way}) - 1 as n"
        f" from memories m where {condition}) where n % ? = 0 order by n",
        (*bindings, step),
    )
    return [Anchor(key, MemoryId(id)) for key, id in found]


def page(
    connection: apsw.Connection, wanted: Selection, order: Order, now: datetime, begin: Anchor, limit: int
) -> list[Memory]:
    """The rows from an anchor on."""
    condition, bindings = _condition(wanted, now)
    key, way = _KEYS[order.column], _way(order)
    beyond = "<=" if order.descending else ">="
    where = f"where {condition} and ({key}, m.id) {beyond} (?, ?) order by {key} {way}, m.id {way} limit ?"
    rows = memories.rows(connection, where, (*bindings, begin.key, begin.id, limit))
    return [memories.from_row(row) for row in rows]


def position(connection: apsw.Connection, wanted: Selection, order: Order, now: datetime, id: MemoryId) -> int | None:
    """How many rows stand before a memory; None when it is not in the list."""
    condition, bindings = _condition(wanted, now)
    key = _KEYS[order.column]
    own = connection.execute(f"select {key} from memories m where m.id = ? and {condition}", (id, *bindings)).fetchone()
    if own is None:
        return None
    before = ">" if order.descending else "<"
    found = connection.execute(
        f"select count(*) from memories m where {condition} and ({key}, m.id) {before} (?, ?)", (*bindings, own[0], id)
    ).get
    return int(found)


def ids(connection: apsw.Connection, wanted: Selection, now: datetime, limit: int) -> list[MemoryId]:
    """The memories of a list by number, for what is done to all of them."""
    condition, bindings = _condition(wanted, now)
    found = connection.execute(f"select m.id from memories m where {condition} limit ?", (*bindings, limit))
    return [MemoryId(id) for (id,) in found]


def _way(order: Order) -> str:
    return "desc" if order.descending else "asc"


def _condition(wanted: Selection, now: datetime) -> tuple[str, list[Any]]:
    """A selection as SQL over `memories m`, with its bindings."""
    condition, bindings = memories.condition(wanted.filter)
    terms = [] if condition == "true" else [condition]

    def also(term: str, *values: Any) -> None:
        terms.append(term)
        bindings.extend(values)

    if wanted.text.strip():
        words = text.narrowing_expression(wanted.text)
        if words:
            also("m.id in (select rowid from fulltext where fulltext match ?)", words)
        else:  # nothing but punctuation: as it stands
            also("instr(m.content, ?) > 0", wanted.text.strip())
    if wanted.least_confidence is not None:
        also("m.confidence >= ?", wanted.least_confidence)
    if wanted.most_confidence is not None:
        also("m.confidence <= ?", wanted.most_confidence)
    if wanted.least_age_days is not None:
        also("m.created_at <= ?", to_micros(now - timedelta(days=wanted.least_age_days)))
    if wanted.most_age_days is not None:
        also("m.created_at >= ?", to_micros(now - timedelta(days=wanted.most_age_days)))
    if wanted.never_recalled:
        also("m.return_count = 0 and m.access_count = 0")
    return " and ".join(terms) or "true", bindings


def count_between(connection: apsw.Connection, borders: Sequence[datetime], *, by_use: bool) -> list[int]:
    """How many memories that are not pinned were written (or last used) before the first border, between each two,
    and since the last; borders in rising order."""
    key = "coalesce(m.last_accessed_at, m.created_at)" if by_use else "m.created_at"
    moments = [to_micros(border) for border in borders]
    steps = " + ".join(f"({key} >= ?)" for _ in moments) or "0"
    found: list[Any] = connection.execute(
        f"select {steps} as step, count(*) from memories m where not m.pinned group by step", moments
    ).fetchall()
    counted = dict(found)
    return [int(counted.get(step, 0)) for step in range(len(moments) + 1)]
