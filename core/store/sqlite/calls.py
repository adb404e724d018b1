"""The tables of recorded calls: client, tool, outcome, duration and results. The journal does not mention them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import apsw

from core.clock import MAX_PAUSE, from_micros, to_micros
from core.model import MemoryId
from core.store.json_text import from_json, to_json
from core.store.records import Call, CallFilter, CallOutcome, CallResult

_MICROSECOND = timedelta(microseconds=1)
_COLUMNS = (
    "id", "at", "client", "session", "tool", "outcome", "complaint", "elapsed_us", "operation", "question", "mode",
    "returned", "trace",
)  # fmt: skip


def insert(connection: apsw.Connection, call: Call) -> int:
    connection.execute(
        f"insert into calls ({', '.join(_COLUMNS[1:])}) values ({', '.join('?' * (len(_COLUMNS) - 1))})",
        (
            to_micros(call.at), call.client, call.session, call.tool, call.outcome.value, call.complaint,
            call.elapsed_us, call.operation, None if call.question is None else to_json(call.question), call.mode,
            call.returned, None if call.trace is None else zlib.compress(json.dumps(call.trace).encode()),
        ),
    )  # fmt: skip
    id = connection.last_insert_rowid()
    connection.executemany(
        "insert into call_results (call_id, position, memory_id, score, missed) values (?, ?, ?, ?, ?)",
        ((id, n, each.memory_id, each.score, each.missed) for n, each in enumerate(call.results)),
    )
    return id


def get(connection: apsw.Connection, id: int) -> Call | None:
    """Return one call with its trace."""
    row = connection.execute(f"select {', '.join(_COLUMNS)} from calls where id = ?", (id,)).fetchone()
    return None if row is None else _call(connection, row, whole=True)


def page(connection: apsw.Connection, wanted: CallFilter, before: int | None, limit: int) -> list[Call]:
    """Return the newest calls of a filter, with their results and without their traces."""
    where, bindings = _condition(wanted)
    rows = connection.execute(
        f"select {', '.join(_COLUMNS)} from calls where {where} and (? is null or id < ?) order by id desc limit ?",
        (*bindings, before, before, limit),
    ).fetchall()
    return [_call(connection, row, whole=False) for row in rows]


def figures(connection: apsw.Connection, wanted: CallFilter, limit: int) -> list[tuple[str, str, int, int, str, str]]:
    """Return (client, tool, elapsed µs, returned, mode, outcome) of the newest calls, for the metrics."""
    where, bindings = _condition(wanted)
    found: Any = connection.execute(
        f"select client, tool, elapsed_us, returned, mode, outcome from calls where {where} order by id desc limit ?",
        (*bindings, limit),
    )
    return list(found)


def trim(connection: apsw.Connection, keep: int) -> None:
    """Delete the oldest calls beyond a number."""
    connection.execute("delete from calls where id <= (select coalesce(max(id), 0) - ? from calls)", (keep,))


def trim_old(connection: apsw.Connection, now: datetime, days: int) -> None:
    """Delete calls older than so many days. The age is the sum of the gaps between calls in their order, so that
    setting the clock forward makes none of them old. Takes about 60 ms at 50,000 calls if any looks old."""
    old = connection.execute("select 1 from calls where at < ? limit 1", (to_micros(now - timedelta(days=days)),)).get
    if old is None:
        return
    connection.execute(
        """
        with gaps as (select id, lead(at, 1, ?1) over (order by id) - at as gap from calls),
             ages as (select id, sum(iif(gap between 0 and ?2, gap, 0)) over (order by id desc) as age from gaps)
        delete from calls where id in (select id from ages where age > ?3)
        """,
        (to_micros(now), MAX_PAUSE // _MICROSECOND, timedelta(days=days) // _MICROSECOND),
    )


def _condition(wanted: CallFilter) -> tuple[str, list[Any]]:
    terms, bindings = ["true"], list[Any]()

    def add(term: str, *values: Any) -> None:
        terms.append(term)
        bindings.extend(values)

    for column, values in (("client", wanted.clients), ("tool", wanted.tools)):
        if values:
            add(f"{column} in ({', '.join('?' * len(values))})", *values)
    if wanted.since is not None:
        add("at >= ?", to_micros(wanted.since))
    if wanted.until is not None:
        add("at <= ?", to_micros(wanted.until))
    if wanted.memory is not None:
        add("id in (select call_id from call_results where memory_id = ?)", wanted.memory)
    if wanted.only_without_result:
        add("question is not null and returned = 0")
    return " and ".join(terms), bindings


def _call(connection: apsw.Connection, row: Sequence[Any], *, whole: bool) -> Call:
    values = dict(zip(_COLUMNS, row, strict=True))
    del values["returned"]
    trace = values.pop("trace")
    return Call(
        **{
            **values,
            "at": from_micros(values["at"]),
            "outcome": CallOutcome(values["outcome"]),
            "question": None if values["question"] is None else from_json(values["question"]),
            "trace": json.loads(zlib.decompress(trace)) if whole and trace is not None else None,
            "results": tuple(_results(connection, values["id"])),
        }
    )


def _results(connection: apsw.Connection, id: int) -> Iterator[CallResult]:
    for memory, score, missed in connection.execute(
        "select memory_id, score, missed from call_results where call_id = ? order by position", (id,)
    ):
        yield CallResult(MemoryId(memory), score, missed)
