"""Is everything in step? Findings, each a sentence; and mending what can be made again from the memories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import apsw

from core.model import MemoryId
from core.store.sqlite import fulltext, vectors


class Problem(StrEnum):
    DAMAGED_PAGES = "damaged_pages"
    BROKEN_REFERENCES = "broken_references"
    FULLTEXT_DRIFT = "fulltext_drift"
    VECTOR_DRIFT = "vector_drift"


@dataclass(frozen=True, slots=True)
class Finding:
    problem: Problem
    sentence: str
    can_be_repaired: bool


def check(connection: apsw.Connection) -> list[Finding]:
    """Look at every page, reference, index row and vector. Reads only."""
    findings: list[Finding] = []
    for part in (_pages, _references, _fulltext, _vectors):
        try:
            findings.extend(part(connection))
        except (apsw.CorruptError, apsw.IOError) as error:
            findings.append(Finding(Problem.DAMAGED_PAGES, f"Reading stopped at damage: {error}.", False))
    return findings


def repair(connection: apsw.Connection) -> None:
    """Make full text anew and drop vectors out of step; to be called inside a write transaction."""
    fulltext.rebuild(connection)
    for space, _ in vectors.spaces(connection):
        for id in vectors.drifted(connection, space):
            vectors.forget(connection, space, id)


def _pages(connection: apsw.Connection) -> Iterator[Finding]:
    for (message,) in connection.execute("pragma integrity_check(20)"):
        if message != "ok":
            yield Finding(Problem.DAMAGED_PAGES, f"SQLite reports: {message}.", False)


def _references(connection: apsw.Connection) -> Iterator[Finding]:
    broken = connection.execute("pragma foreign_key_check").fetchall()
    if broken:
        yield Finding(
            Problem.BROKEN_REFERENCES,
            f"{len(broken)} rows name a memory that does not exist, the first in {broken[0][0]}.",
            False,
        )


def _fulltext(connection: apsw.Connection) -> Iterator[Finding]:
    ids = set(fulltext.drifted(connection))
    if ids:
        yield _drift(Problem.FULLTEXT_DRIFT, "the full-text index", ids)


def _vectors(connection: apsw.Connection) -> Iterator[Finding]:
    for id, space in vectors.spaces(connection):
        ids = vectors.drifted(connection, id)
        if ids:
            yield _drift(Problem.VECTOR_DRIFT, f"the vectors of {space.model}", ids)


def _drift(problem: Problem, what: str, ids: set[MemoryId]) -> Finding:
    shown = ", ".join(str(id) for id in sorted(ids)[:5])
    more = ", …" if len(ids) > 5 else ""
    plural = "memories" if len(ids) > 1 else "memory"
    return Finding(problem, f"{len(ids)} {plural} and {what} disagree ({shown}{more}).", True)
