"""The table of judgements: the grade of a memory for a query of a golden set. A new grade replaces the old one; the
journal does not mention them."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from core.clock import from_micros, to_micros
from core.model import Uid
from core.store.records import Judgement


def put(connection: apsw.Connection, judgement: Judgement) -> None:
    connection.execute(
        "insert or replace into judgements (golden_set, query, memory_uid, grade, judge, judged_at, category)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        (
            judgement.golden_set,
            judgement.query,
            judgement.memory,
            judgement.grade,
            judgement.judge,
            to_micros(judgement.judged_at),
            judgement.category,
        ),
    )


def remove(connection: apsw.Connection, golden_set: str, query: str, memory: Uid) -> None:
    connection.execute(
        "delete from judgements where golden_set = ? and query = ? and memory_uid = ?", (golden_set, query, memory)
    )


def of_set(connection: apsw.Connection, golden_set: str, query: str | None = None) -> Iterator[Judgement]:
    """Yield all of a set, or those of one of its queries, in the order they were made."""
    for *names, uid, grade, judge, at, category in connection.execute(
        "select golden_set, query, memory_uid, grade, judge, judged_at, category from judgements"
        " where golden_set = ?1 and (?2 is null or query = ?2) order by id",
        (golden_set, query),
    ):
        yield Judgement(names[0], names[1], Uid(uid), grade, judge, from_micros(at), category)


def sets(connection: apsw.Connection) -> dict[str, tuple[int, int]]:
    """Return each golden set with how many queries and judgements it holds."""
    found = connection.execute(
        "select golden_set, count(distinct query), count(*) from judgements group by 1 order by 1"
    )
    return {str(name): (int(queries), int(judgements)) for name, queries, judgements in found}
