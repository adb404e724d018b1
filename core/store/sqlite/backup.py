"""Backups: complete, checked copies in a folder of their own, thinned with age, and restoring one."""

from __future__ import annotations

import hashlib
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from core import safe_files
from core.clock import elapsed
from core.errors import CannotOpen, Fault, ReadOnly, UserError
from core.store.records import Backup
from core.store.sqlite import check, opening
from core.store.sqlite.connection import connect, prepare, sentences
from core.store.sqlite.unfinished import SIDECARS, name_without_replacing, sidecar, unfinished

# All copies of the last days, then one a day, then one a week; the newest five are always kept. The age of a copy is
# the sum of the gaps between copies in the order they were made, so that setting the clock makes none of them old.
ALWAYS_KEPT = 5
MAX_TOTAL = 80
KEEP_ALL = timedelta(days=2)
KEEP_DAILY = timedelta(days=14)
KEEP_WEEKLY = timedelta(days=120)
MAX_RECENT = 30

PAGES_A_STEP = 10_000
MAX_ATTEMPTS = 5

# The number says in which order copies were made; those of earlier versions have none.
_NAME = re.compile(r"(?P<at>\d{8}T\d{12})Z-(?:s(?P<number>\d{6,12})-)?(?P<reason>[a-z0-9-]+)\.db")


def back_up(path: Path, folder: Path, now: datetime, reason: str) -> Path:
    """Copy a store into its folder of backups."""
    number = max((each.number for each in backups(path, folder)), default=0) + 1
    target = _folder_of(path, folder) / f"{now:%Y%m%dT%H%M%S%f}Z-s{number:06d}-{_slug(reason)}.db"
    copy(path, target)
    thin(path, folder, now, keep=target)
    return target


def backups(path: Path, folder: Path) -> list[Backup]:
    """Return the backups of a store, the last made first, whatever the clock showed."""
    found = []
    for file in _folder_of(path, folder).glob("*.db"):
        if match := _NAME.fullmatch(file.name):
            at = datetime.strptime(match["at"], "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
            stat = file.stat()
            number = int(match["number"] or 0)
            found.append((stat.st_mtime_ns, Backup(file, at, match["reason"], stat.st_size, number)))
    return [backup for _, backup in sorted(found, key=lambda each: _order(each, found), reverse=True)]


def _order(one: tuple[int, Backup], every: list[tuple[int, Backup]]) -> tuple[int, int, datetime]:
    """Return the sort key: the number; a copy without one follows those written before it."""
    written, backup = one
    before = (other.number for at, other in every if other.number and at <= written)
    return backup.number or max(before, default=0), written, backup.at


def thin(path: Path, folder: Path, now: datetime, keep: Path | None = None) -> list[Path]:
    """Delete copies according to the limits above; return their paths."""
    slots: set[str] = set()
    removed = []
    age, later = timedelta(), now
    for number, backup in enumerate(backups(path, folder)):
        age, later = age + elapsed(later, backup.at), backup.at
        if age <= KEEP_ALL:
            slot = backup.path.name if number < MAX_RECENT else f"{backup.at:%Y-%m-%d}"
        elif age <= KEEP_DAILY:
            slot = f"{backup.at:%Y-%m-%d}"
        else:
            slot = f"{backup.at:%G-W%V}" if age <= KEEP_WEEKLY else ""
        is_first_of_its_time = bool(slot) and slot not in slots and number < MAX_TOTAL
        is_needed = number < ALWAYS_KEPT or backup.path == keep or is_first_of_its_time
        slots.add(slot)
        if not is_needed:
            backup.path.unlink()
            removed.append(backup.path)
    return removed


def copy(source: Path, target: Path) -> None:
    """Make a complete, checked copy. It appears under its name when it is complete, and never replaces a file."""
    try:
        with unfinished(target) as own:
            _copy_checked(source, own)
            name_without_replacing(own, target)
    except OSError as error:
        raise UserError(f"No copy can be written to {target.parent}: {error.strerror}.") from error


def restore(source: Path, path: Path, folder: Path, now: datetime) -> Path | None:
    """Replace the store at `path` by a backup. The replaced store is kept, and its path returned.

    The complete copy is made and checked next to the target before the target is touched. An intact store is then
    replaced from inside, as one transaction that other processes see; a damaged file is first copied aside with its
    sidecars.
    """
    source, path = source.resolve(), path.resolve()
    if source == path:
        raise UserError("A store cannot be restored from itself.")
    if not _is_sound(source):
        raise CannotOpen(Fault.CORRUPT, f"{source} is damaged itself, so nothing was restored from it.")
    is_sound = _may_be_replaced(path)
    try:
        with unfinished(path) as fresh:
            _copy_checked(source, fresh)
            if is_sound is None:
                _set_aside(path, folder, now, only_sidecars=True)
                name_without_replacing(fresh, path)
                return None
            if is_sound:
                return _replace_inside(fresh, path, folder, now)
            aside = _set_aside(path, folder, now)
            safe_files.name(fresh, path)
            return aside
    except OSError as error:
        raise UserError(f"Nothing was restored: {error.strerror} ({path.parent}).") from error


def _may_be_replaced(path: Path) -> bool | None:
    """Return True for an intact store, False for a damaged one, None if there is none; UserError for another kind of
    file."""
    try:
        opened = opening.inspect(path)
    except CannotOpen as error:
        if error.fault is Fault.MISSING:
            return None
        if error.fault in (Fault.CORRUPT, Fault.TRUNCATED, Fault.EMPTY, Fault.NOT_A_DATABASE):
            return False
        raise
    if not opened.is_damaged and opened.read_only:
        raise ReadOnly(opened.read_only)
    return not opened.is_damaged and _is_sound(path)


def _is_sound(path: Path) -> bool:
    """Return whether every page is intact, however large the file is."""
    opened = opening.inspect(path)
    with sentences(path):
        connection = connect(path, writable=False, immutable=opened.immutable)
        try:
            return check.pages_are_sound(connection)
        finally:
            connection.close()


def _replace_inside(fresh: Path, path: Path, folder: Path, now: datetime) -> Path:
    """Replace the content of an intact store. The copy of the old store is repeated until no write happens between it
    and the lock, so that no committed write is lost."""
    with sentences(path):
        watching, reading = connect(path, writable=True), connect(fresh, writable=False)
        writing = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        prepare(writing)
        try:
            for attempt in range(MAX_ATTEMPTS):
                seen = watching.execute("pragma data_version").get
                kept = back_up(path, folder, now + attempt * timedelta(microseconds=1), "before-restore")
                with writing.backup("main", reading, "main") as copying:
                    copying.step(1)  # takes the write lock, and holds it until the end
                    if watching.execute("pragma data_version").get == seen:
                        while not copying.done:
                            copying.step(PAGES_A_STEP)
                        return kept
                kept.unlink()
        finally:
            for connection in (watching, reading, writing):
                connection.close()
    raise UserError(f"{path} is being written to continuously; stop the programs that use it, then restore.")


def _copy_checked(source: Path, own: Path) -> None:
    opened = opening.inspect(source)
    with sentences(source):
        reading = connect(source, writable=False, immutable=opened.immutable)
        writing = apsw.Connection(str(own), flags=apsw.SQLITE_OPEN_READWRITE)
        prepare(writing)
        try:
            # One snapshot for the complete copy, so that a busy writer cannot make it restart repeatedly.
            reading.execute("begin")
            reading.execute("select count(*) from sqlite_schema").fetchall()
            with writing.backup("main", reading, "main") as copying:
                while not copying.done:
                    copying.step(PAGES_A_STEP)
            # One file without sidecars, so that reading a copy creates none.
            writing.execute("pragma journal_mode = delete").fetchall()
            if not check.pages_are_sound(writing):
                raise UserError(f"The copy of {source} did not pass its check, so it was not kept.")
        finally:
            reading.close()
            writing.close()


def _set_aside(path: Path, folder: Path, now: datetime, *, only_sidecars: bool = False) -> Path:
    """Copy a damaged file and its sidecars away, then delete the sidecars, or SQLite would apply them."""
    place = _folder_of(path, folder)
    aside = place / f"{now:%Y%m%dT%H%M%S%f}Z-{path.name}.damaged"
    for ending in SIDECARS if only_sidecars else ("", *SIDECARS):
        old = sidecar(path, ending)
        if old.exists():
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            with old.open("rb") as damaged, safe_files.creating(sidecar(aside, ending)) as kept:
                shutil.copyfileobj(damaged, kept)
    for ending in SIDECARS:
        sidecar(path, ending).unlink(missing_ok=True)
    return aside


def _folder_of(path: Path, folder: Path) -> Path:
    """Return the backups folder of a store; stores of the same name in different places have different ones."""
    return folder / f"{path.stem}-{hashlib.sha256(str(path).encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def _slug(reason: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", reason.lower()).strip("-")[:40] or "asked"
