"""Checks that pages, references, full text, vectors and journal are consistent, and rebuilds what derives from the
memories."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from core import formatting, text
from core.model import MemoryId
from core.store.records import CheckFinding, Problem, Row
from core.store.sqlite import fulltext, journal, memories, vectors


def check(connection: apsw.Connection) -> list[CheckFinding]:
    """Check every page, reference, index row, vector and journal image. Read-only; call it within one snapshot."""
    findings: list[CheckFinding] = []
    for part in (_pages, _references, _fulltext, _vectors, _journal):
        try:
            findings.extend(part(connection))
        except (apsw.CorruptError, apsw.IOError) as error:
            findings.append(CheckFinding(Problem.DAMAGED_PAGES, f"Reading stopped at damage: {error}.", False))
    return list(dict.fromkeys(findings))


def repair(connection: apsw.Connection) -> None:
    """Rebuild the full-text index and delete inconsistent vectors; call it within a write transaction."""
    fulltext.rebuild(connection)
    for space, _ in vectors.spaces(connection):
        vectors.repair(connection, space)


def pages_are_sound(connection: apsw.Connection) -> bool:
    """Return whether SQLite finds no damaged page, except in full text, which can be rebuilt."""
    try:
        return all(map(_is_about_full_text, _complaints(connection, "quick_check")))
    except (apsw.CorruptError, apsw.NotADBError):
        return False


def _complaints(connection: apsw.Connection, pragma: str) -> list[str]:
    found = [str(message) for (message,) in connection.execute(f"pragma {pragma}(50)")]
    return [message for message in found if message != "ok"]


def _is_about_full_text(message: str) -> bool:
    return "fts5" in message.lower()


def _pages(connection: apsw.Connection) -> Iterator[CheckFinding]:
    for message in _complaints(connection, "integrity_check"):
        if _is_about_full_text(message):
            yield CheckFinding(Problem.FULLTEXT_DRIFT, "The full-text index is damaged.", True)
        else:
            yield CheckFinding(Problem.DAMAGED_PAGES, f"SQLite reports: {message}.", False)


def _references(connection: apsw.Connection) -> Iterator[CheckFinding]:
    broken = connection.execute("pragma foreign_key_check").fetchall()
    if broken:
        table, _, referred, _ = broken[0]
        references = formatting.counted(len(broken), "reference")
        sentence = f"{references} to what does not exist, the first from {table} to {referred}."
        yield CheckFinding(Problem.BROKEN_REFERENCES, sentence, False)


def _fulltext(connection: apsw.Connection) -> Iterator[CheckFinding]:
    ids = fulltext.drifted(connection)
    if ids:
        yield _drift(Problem.FULLTEXT_DRIFT, "the full-text index", ids, can_be_repaired=True)


def _vectors(connection: apsw.Connection) -> Iterator[CheckFinding]:
    for id, space in vectors.spaces(connection):
        ids = vectors.drifted(connection, id)
        if ids:
            yield _drift(Problem.VECTOR_DRIFT, f"the vectors of {space.model}", ids, can_be_repaired=True)
        ids = vectors.unusable(connection, id) - ids
        if ids:
            details = f"{formatting.memories(len(ids))} cannot be found by {space.model}"
            sentence = f"{details}: the vector is all zeros or not finite ({_first(ids)})."
            yield CheckFinding(Problem.UNUSABLE_VECTORS, sentence, True, tuple(sorted(ids)))


def _journal(connection: apsw.Connection) -> Iterator[CheckFinding]:
    """Return rows that differ from the result of their journal images: another program changed them."""
    ids = set()
    seen: set[str] = set()
    for key, expected in journal.outcomes(connection, "memory"):
        seen.add(key)
        actual: Row | None = next(memories.rows(connection, "where m.id = ?", (int(key),)), None)
        if actual != expected or (actual and actual["content_hash"] != text.content_hash(actual["content"])):
            ids.add(MemoryId(int(key)))
    ids |= {MemoryId(id) for (id,) in connection.execute("select id from memories") if str(id) not in seen}
    if ids:
        yield _drift(Problem.JOURNAL_DRIFT, "the journal", ids, can_be_repaired=False)


def _drift(problem: Problem, what: str, ids: set[MemoryId], *, can_be_repaired: bool) -> CheckFinding:
    sentence = f"{formatting.memories(len(ids))} and {what} disagree ({_first(ids)})."
    return CheckFinding(problem, sentence, can_be_repaired, tuple(sorted(ids)))


def _first(ids: set[MemoryId]) -> str:
    return ", ".join(map(str, sorted(ids)[:5])) + (", …" if len(ids) > 5 else "")
