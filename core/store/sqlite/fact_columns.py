"""What the stages of a pipeline read of many memories, a column a fact, from the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from sys import intern
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from core.model import Importance, MemoryId
from core.search_types import STATUSES, FactColumns
from core.store.json_text import strings, to_json
from core.store.sqlite import memories

_STATUS_NUMBERS = {str(status): number for number, status in enumerate(STATUSES)}


_BATCH = 8_192
_SELECT = (
    f"select m.id, m.created_at, {memories.LAST_USED}, m.confidence, m.strength, m.pinned,"
    " m.status, m.importance, m.access_count, instr(m.content, '?') or instr(m.content, '？'), m.collection, m.session,"
    " m.entities"
)


def read(connection: apsw.Connection, ids: Iterable[MemoryId]) -> FactColumns:
    """Return the facts of those of the ids that exist, in the order of the ids."""
    found: list[Any] = connection.execute(
        f"{_SELECT} from json_each(?) wanted cross join memories m where m.id = wanted.value", (to_json(sorted(ids)),)
    ).fetchall()
    return _columns(found)


def read_all(connection: apsw.Connection) -> Iterator[FactColumns]:
    """Yield the facts of all memories, some thousand at a time."""
    rows = connection.execute(f"{_SELECT} from memories m order by m.id")
    while some := list(islice(rows, _BATCH)):
        yield _columns(some)


def _columns(rows: Sequence[Any]) -> FactColumns:
    columns = list(zip(*rows, strict=True)) or [()] * len(FactColumns._fields)
    (
        numbers, created, used, confidence, strength, pinned, status, importance, accesses, asks, collection, session,
        entities,
    ) = columns  # fmt: skip
    return FactColumns(
        ids=np.array(numbers, dtype=np.int64),
        created=np.array(created, dtype=np.int64),
        last_used=np.array(used, dtype=np.int64),
        confidence=np.array(confidence, dtype=np.float64),
        strength=np.array(strength, dtype=np.float64),
        pinned=np.array(pinned, dtype=bool),
        status=np.array([_STATUS_NUMBERS[each] for each in status], dtype=np.uint8),
        is_important=np.array([each == Importance.HIGH for each in importance], dtype=bool),
        access_count=np.array(accesses, dtype=np.int64),
        asks=np.array(asks, dtype=bool),
        collection=_objects(list(map(intern, collection))),
        session=_objects(list(map(intern, session))),
        entities=_objects(list(map(_names, entities))),
    )


def _names(encoded: str) -> tuple[str, ...]:
    """Return the names of a JSON list; none where another program has written something else."""
    try:
        return tuple(each for each in strings(encoded) if isinstance(each, str))
    except (ValueError, TypeError):
        return ()


def _objects(values: Sequence[Any]) -> NDArray[np.object_]:
    column = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):  # assigned at once, tuples of equal length would become a second dimension
        column[at] = value
    return column
