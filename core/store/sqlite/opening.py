"""Creating a file, and inspecting one that may be anything: each fault has its sentence, and nothing is overwritten."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.errors import CannotOpen, Fault
from core.location import command
from core.store.sqlite import migrate
from core.store.sqlite.check import pages_are_sound
from core.store.sqlite.connection import connect, damaged, prepare, sentences
from core.store.sqlite.unfinished import (
    finish_interrupted_naming,
    is_filled,
    name_without_replacing,
    sidecar,
    unfinished,
)

APPLICATION_ID = 0x4D494E53  # "MINS", so that no other program's database is taken for ours
OPENING_TIMEOUT_MS = 3_000
# Twice SQLite's default: many rows at once are written in a tenth less time, one row in a twelfth more.
PAGE_BYTES = 8_192
# Up to this size every page is checked when a store opens; a larger one is checked on request.
QUICK_CHECK_BYTES = 16 * 1024 * 1024

_SQLITE_MAGIC = b"SQLite format 3\0"
_PICTURES = {
    b"\x89PNG\r\n\x1a\n": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"BM": "a BMP picture",
}


@dataclass(frozen=True, slots=True)
class Opened:
    """How a file can be used: `read_only` is the sentence why it cannot be written, or empty."""

    path: Path
    read_only: str
    is_writable: bool
    is_damaged: bool
    immutable: bool
    schema_version: int


def create(path: Path) -> None:
    """Create a store. It is complete before it gets its name, and replaces no file."""
    if os.path.lexists(path):
        raise CannotOpen(Fault.EXISTS, f"{path} already exists; nothing was changed.")
    try:
        with sentences(path), unfinished(path) as own:
            connection = apsw.Connection(str(own), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                prepare(connection)
                connection.execute(f"pragma page_size = {PAGE_BYTES}; pragma application_id = {APPLICATION_ID}")
                migrate.migrate(connection)
                connection.execute("pragma journal_mode = wal").fetchall()
            finally:
                connection.close()
            name_without_replacing(own, path)
    except OSError as error:
        raise CannotOpen(
            Fault.UNWRITABLE_FOLDER, f"No store can be made in {path.parent}: {error.strerror}."
        ) from error


def inspect(path: Path) -> Opened:
    """Determine what is at a path and how it can be used. Read-only."""
    _check_bytes(path)
    read_only, immutable = _why_not_writable(path), False
    try:
        try:
            connection = connect(path, writable=False, busy_ms=OPENING_TIMEOUT_MS)
            version, is_damaged = _look_inside(path, connection)
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError, apsw.FullError) as error:
            # A WAL database in a folder (or on a disk) where SQLite cannot put its shared-memory file.
            if is_filled(sidecar(path, "-wal")):
                raise CannotOpen(
                    Fault.UNWRITABLE_FOLDER,
                    f"{path} has unfinished changes in {path.name}-wal, and nothing can be written beside it, "
                    "so it cannot be read either; copy all its files to a folder of your own.",
                ) from error
            immutable = True
            read_only = read_only or f"Nothing can be written beside {path}, so the store is open for reading only."
            connection = connect(path, writable=False, immutable=True)
            version, is_damaged = _look_inside(path, connection)
    except apsw.BusyError as error:
        sentence = f"{path} is locked by another program; close it there first."
        raise CannotOpen(Fault.LOCKED, sentence) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(path) from error
    return Opened(
        path=path,
        read_only=str(damaged(path)) if is_damaged else read_only,
        is_writable=not (read_only or is_damaged),
        is_damaged=is_damaged,
        immutable=immutable,
        schema_version=version,
    )


def _look_inside(path: Path, connection: apsw.Connection) -> tuple[int, bool]:
    """Return the schema version and whether a page is damaged; closes the connection."""
    try:
        version = _pragma(connection, "user_version")
        _check_identity(path, application_id=_pragma(connection, "application_id"), version=version)
        has_memories = connection.execute("select 1 from sqlite_schema where name = 'memories'").get
        if version and not has_memories:
            raise damaged(path)
        return version, path.stat().st_size <= QUICK_CHECK_BYTES and not pages_are_sound(connection)
    finally:
        connection.close()


def _check_bytes(path: Path) -> None:
    try:
        found = path.stat()
        if found.st_nlink > 1:
            finish_interrupted_naming(path)
            found = path.stat()
        if stat.S_ISREG(found.st_mode):
            with path.open("rb") as file:
                head = file.read(100)
    except FileNotFoundError as error:
        raise CannotOpen(Fault.MISSING, f"There is no store at {path}; `{command(path, 'init')}` makes one.") from error
    except OSError as error:
        raise CannotOpen(Fault.UNREADABLE, f"{path} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a file"
        raise CannotOpen(Fault.NOT_A_FILE, f"{path} is {kind}, not a store.")
    if not head:
        if is_filled(sidecar(path, "-wal")):
            raise damaged(path)
        raise CannotOpen(Fault.EMPTY, f"{path} is empty (0 bytes), not a store; it was left as it is.")
    for magic, picture in _PICTURES.items():
        if head.startswith(magic):
            raise CannotOpen(Fault.PICTURE, f"{path} is {picture}, not a store.")
    if not head.startswith(_SQLITE_MAGIC):
        raise CannotOpen(Fault.NOT_A_DATABASE, f"{path} is not a database; it was left as it is.")
    if found.st_nlink > 1:
        raise CannotOpen(
            Fault.HARD_LINKED,
            f"{path} has {found.st_nlink} names (hard links), and a program using another name would "
            "damage it; copy it to a file of its own.",
        )
    _check_length(path, head, found.st_size)
    # From the header first, so that SQLite never connects to another program's database.
    _check_identity(path, application_id=_header_number(head, 68), version=_header_number(head, 60))


def _check_length(path: Path, head: bytes, size: int) -> None:
    """Compare the size with the page count of the header; missing pages may still be in the WAL."""
    page_size = int.from_bytes(head[16:18], "big")
    page_size = 65_536 if page_size == 1 else page_size
    pages = _header_number(head, 28)
    is_current = head[24:28] == head[92:96]
    if len(head) < 100 or (is_current and pages * page_size > size and not is_filled(sidecar(path, "-wal"))):
        raise CannotOpen(
            Fault.TRUNCATED,
            f"{path} is cut short: only {size:,} of {max(pages * page_size, 512):,} bytes are there; "
            f"`{command(path, 'restore')}` puts a backup back.",
        )


def _check_identity(path: Path, application_id: int, version: int) -> None:
    if application_id != APPLICATION_ID:
        raise CannotOpen(Fault.FOREIGN, f"{path} is another program's database, not a memory store.")
    if version > migrate.newest_version():
        raise CannotOpen(
            Fault.NEWER,
            f"{path} was made by a newer Memory Inspector (schema {version}, this one knows "
            f"{migrate.newest_version()}); update the program to open it.",
        )


def _why_not_writable(path: Path) -> str:
    if not _may_write(path):
        return f"{path} is read-only, so nothing can be changed."
    if not _may_write(path.parent):
        return f"The folder of {path} cannot be written, so the store is open for reading only."
    return ""


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _pragma(connection: apsw.Connection, name: str) -> int:
    return int(connection.execute(f"pragma {name}").get)


def _header_number(head: bytes, at: int) -> int:
    """Return a big-endian number of the file header; sqlite.org/fileformat.html lists the offsets."""
    return int.from_bytes(head[at : at + 4], "big")
