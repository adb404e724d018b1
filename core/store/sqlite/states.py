"""The store at any moment: today's rows with each later change taken back, the vectors of the texts of then, and what a
memory was after each change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import apsw

from core.model import EMBEDDED_FIELDS, Embedding, Memory, MemoryId, Space
from core.store.records import Image, Row, StoreState, Version
from core.store.sqlite import journal, links, memories, settings, vectors


def state(connection: apsw.Connection) -> StoreState:
    return _taken_back(connection, ())


def state_at(connection: apsw.Connection, moment: datetime) -> StoreState:
    return _taken_back(connection, journal.images_after(connection, moment))


def vectors_at(
    connection: apsw.Connection, moment: datetime, state: StoreState
) -> Iterator[tuple[MemoryId, Space, Embedding]]:
    """Of today's if the text is the same, else from the journal, which keeps a vector that a change of its text has
    taken away."""
    kept = {(id, number): taken for id, number, taken in journal.vectors_after(connection, moment)}
    today = {memory.id: memory for memory in memories.found(connection)}
    same = {id for id, then in state.memories.items() if id in today and _embeds_alike(then, today[id])}
    for number, space in vectors.spaces(connection):
        for id in state.memories:
            if (id, number) in kept:
                yield id, space, kept[id, number]
        for id, embedding in vectors.every(connection, number):
            if id in same and (id, number) not in kept:
                yield id, space, embedding


def versions(connection: apsw.Connection, id: MemoryId) -> list[Version]:
    """A memory after each operation that changed more than its being looked at, oldest first."""
    found: list[Version] = []
    row: Row = {}
    for entry, image in journal.images_of(connection, "memory", str(id)):
        if image.after is None:
            found.append(Version(entry, None))
            continue
        row = dict(image.after) if image.before is None else {**row, **image.after}
        if "version" in image.after:
            found.append(Version(entry, memories.from_row(row)))
    return found


def _taken_back(connection: apsw.Connection, later: Iterable[Image]) -> StoreState:
    rows: dict[str, dict[str, Row]] = {
        "memory": {str(row["id"]): row for row in memories.rows(connection)},
        "link": {str(row["id"]): row for row in links.rows(connection)},
        "setting": {name: {"value": value} for name, value in settings.every(connection)},
    }
    for image in later:
        table = rows[image.entity]
        if image.before is None:
            table.pop(image.key, None)
        elif image.after is None:
            table[image.key] = dict(image.before)
        else:
            table.setdefault(image.key, {}).update(image.before)
    return StoreState(
        memories={row["id"]: memories.from_row(row) for row in rows["memory"].values()},
        links={row["id"]: links.from_row(row) for row in rows["link"].values()},
        settings={name: row["value"] for name, row in rows["setting"].items() if row["value"] is not None},
    )


def _embeds_alike(a: Memory, b: Memory) -> bool:
    return all(getattr(a, name) == getattr(b, name) for name in EMBEDDED_FIELDS)
