"""Backups: whole, checked copies in a folder of their own, thinned with age, and putting one back."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from core.errors import CannotOpen, Fault, ReadOnly, UserError
from core.store.sqlite import opening
from core.store.sqlite.connection import connect, sentences

# Every copy of the last days, then one a day, then one a week; the newest is always kept.
KEEP_ALL = timedelta(days=2)
KEEP_DAILY = timedelta(days=14)
KEEP_WEEKLY = timedelta(days=120)
MOST_KEPT = 60

_NAME = re.compile(r"(?P<at>\d{8}T\d{12})Z-(?P<reason>[a-z0-9-]+)\.db")


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    at: datetime
    reason: str
    size: int


def back_up(path: Path, folder: Path, now: datetime, reason: str) -> Path:
    """Copy a store through SQLite's backup API, so that open transactions and the WAL are told apart."""
    target = _folder_of(path, folder) / f"{now:%Y%m%dT%H%M%S%f}Z-{_slug(reason)}.db"
    copy(path, target)
    thin(path, folder, now)
    return target


def backups(path: Path, folder: Path) -> list[Backup]:
    """The backups of a store, newest first."""
    found = []
    for file in _folder_of(path, folder).glob("*.db"):
        if match := _NAME.fullmatch(file.name):
            at = datetime.strptime(match["at"], "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
            found.append(Backup(file, at, match["reason"], file.stat().st_size))
    return sorted(found, key=lambda backup: backup.at, reverse=True)


def thin(path: Path, folder: Path, now: datetime) -> list[Path]:
    """Delete the copies that newer ones make superfluous."""
    kept: set[str] = set()
    removed = []
    for backup in backups(path, folder):
        age = now - backup.at
        if age <= KEEP_ALL:
            slot = backup.path.name
        elif age <= KEEP_DAILY:
            slot = f"{backup.at:%Y-%m-%d}"
        elif age <= KEEP_WEEKLY:
            slot = f"{backup.at:%G-W%V}"
        else:
            slot = ""
        is_needed = not kept or (bool(slot) and slot not in kept and len(kept) < MOST_KEPT)
        if is_needed:
            kept.add(slot)
        else:
            backup.path.unlink()
            removed.append(backup.path)
    return removed


def restore(source: Path, path: Path, folder: Path, now: datetime) -> Path | None:
    """Make the store at `path` what the backup is. What stood there is kept, and its place returned.

    A store that can still be opened is replaced from inside, as one transaction that other processes see;
    a damaged file is moved aside with its sidecars first, so a stale WAL can never meet the restored file.
    """
    source, path = source.resolve(), path.resolve()
    if source == path:
        raise UserError("A store cannot be restored from itself.")
    if opening.inspect(source).is_damaged:
        raise CannotOpen(Fault.CORRUPT, f"{source} is damaged itself, so nothing was restored from it.")
    try:
        opened = opening.inspect(path)
        is_usable = not opened.is_damaged
        if is_usable and opened.read_only:
            raise ReadOnly(opened.read_only)
    except CannotOpen as error:
        if error.fault is Fault.MISSING:
            copy(source, path)
            return None
        if error.fault not in (Fault.CORRUPT, Fault.TRUNCATED, Fault.EMPTY, Fault.NOT_A_DATABASE):
            raise
        is_usable = False
    if is_usable:
        kept = back_up(path, folder, now, "before-restore")
        _copy_into(source, path)
        return kept
    kept = _move_aside(path, folder, now)
    copy(source, path)
    return kept


def copy(source: Path, target: Path) -> None:
    """A complete, checked copy appears under its name or not at all."""
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        raise UserError(f"No copy can be written to {target.parent}: {error.strerror}.") from error
    try:
        _copy_into(source, unfinished)
        check = connect(unfinished, writable=True)
        # One file without sidecars, so that looking at a copy leaves nothing beside it.
        check.execute("pragma journal_mode = delete").fetchall()
        if check.execute("pragma quick_check(1)").get != "ok":
            raise UserError(f"The copy of {source} did not pass its check, so it was not kept.")
        check.close()
        unfinished.rename(target)
    finally:
        for ending in ("", "-wal", "-shm"):
            unfinished.with_name(unfinished.name + ending).unlink(missing_ok=True)


def _copy_into(source: Path, target: Path) -> None:
    with sentences(target):
        reading = connect(source, writable=False)
        writing = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
        writing.set_busy_timeout(opening.OPENING_TIMEOUT_MS)
        try:
            with writing.backup("main", reading, "main") as copying:
                while not copying.done:
                    copying.step(10_000)
        finally:
            reading.close()
            writing.close()


def _move_aside(path: Path, folder: Path, now: datetime) -> Path:
    place = _folder_of(path, folder)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    aside = place / f"{now:%Y%m%dT%H%M%S%f}Z-damaged-{path.name}"
    for ending in ("", "-wal", "-shm"):
        sidecar = path.with_name(path.name + ending)
        if sidecar.exists():
            shutil.move(sidecar, aside.with_name(aside.name + ending))
    return aside


def _folder_of(path: Path, folder: Path) -> Path:
    """Stores of the same name in different places must not share their backups."""
    return folder / f"{path.stem}-{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def _slug(reason: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", reason.lower()).strip("-")[:40] or "asked"
