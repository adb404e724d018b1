"""Opening a file that may be anything: each fault its own sentence, and nothing is ever overwritten."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.errors import CannotOpen, Fault
from core.store.sqlite import migrate
from core.store.sqlite.connection import connect, damaged, prepare

APPLICATION_ID = 0x4D494E53  # "MINS", so that no other program's database is taken for ours
OPENING_TIMEOUT_MS = 3_000
# Up to this size every page is looked at when a store opens; a larger one is checked on request.
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
    """How a file may be used: `read_only` is the sentence that says why it cannot be written, or empty."""

    path: Path
    read_only: str
    is_writable: bool
    is_damaged: bool
    immutable: bool
    schema_version: int


def create(path: Path) -> None:
    """Make a new store. It is complete before it gets its name, and no existing file is ever replaced."""
    if os.path.lexists(path):
        raise CannotOpen(Fault.EXISTS, f"{path} already exists; nothing was changed.")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        raise CannotOpen(
            Fault.UNWRITABLE_FOLDER, f"No store can be made in {path.parent}: {error.strerror}."
        ) from error
    try:
        connection = apsw.Connection(str(unfinished), flags=apsw.SQLITE_OPEN_READWRITE)
        prepare(connection)
        connection.execute(f"pragma application_id = {APPLICATION_ID}")
        migrate.migrate(connection)
        connection.execute("pragma journal_mode = wal")
        connection.close()
        _name_without_replacing(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def inspect(path: Path) -> Opened:
    """Tell what stands at a path and how it may be used, changing nothing."""
    _check_bytes(path)
    read_only = _why_not_writable(path)
    immutable = False
    try:
        try:
            connection = connect(path, writable=False, busy_ms=OPENING_TIMEOUT_MS)
            version = _check_database(path, connection)
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # A WAL database in a folder where SQLite cannot put its shared-memory file.
            if _is_filled(_sidecar(path, "-wal")):
                raise CannotOpen(
                    Fault.UNWRITABLE_FOLDER,
                    f"{path} has unfinished changes in {path.name}-wal, and its folder cannot be written, "
                    "so it cannot be read either; copy all its files to a folder of your own.",
                ) from None
            immutable = True
            connection = connect(path, writable=False, immutable=True)
            version = _check_database(path, connection)
        is_damaged = path.stat().st_size <= QUICK_CHECK_BYTES and not _pages_are_sound(connection)
        connection.close()
    except apsw.BusyError as error:
        raise CannotOpen(Fault.LOCKED, f"{path} is locked by another program; close it there first.") from error
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


def _check_bytes(path: Path) -> None:
    try:
        found = path.stat()
        if stat.S_ISREG(found.st_mode):
            with path.open("rb") as file:
                head = file.read(100)
    except FileNotFoundError as error:
        raise CannotOpen(
            Fault.MISSING, f"There is no store at {path}; `memory-inspector --db {path} init` makes one."
        ) from error
    except OSError as error:
        raise CannotOpen(Fault.UNREADABLE, f"{path} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a file"
        raise CannotOpen(Fault.NOT_A_FILE, f"{path} is {kind}, not a store.")
    if not head:
        if _is_filled(_sidecar(path, "-wal")):
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
    # Read from the header first: another program's database is told without even connecting to it.
    _check_identity(path, application_id=_header_number(head, 68), version=_header_number(head, 60))


def _check_length(path: Path, head: bytes, size: int) -> None:
    """The header knows how many pages there must be; unfinished pages may still stand in the WAL."""
    page_size = int.from_bytes(head[16:18], "big")
    page_size = 65_536 if page_size == 1 else page_size
    pages = _header_number(head, 28)
    is_current = head[24:28] == head[92:96]
    if len(head) < 100 or (is_current and pages * page_size > size and not _is_filled(_sidecar(path, "-wal"))):
        raise CannotOpen(
            Fault.TRUNCATED,
            f"{path} is cut short: {size:,} of {pages * page_size:,} bytes are there; "
            "`memory-inspector restore` puts a backup back.",
        )


def _check_database(path: Path, connection: apsw.Connection) -> int:
    version = _pragma(connection, "user_version")
    _check_identity(path, application_id=_pragma(connection, "application_id"), version=version)
    return version


def _check_identity(path: Path, application_id: int, version: int) -> None:
    if application_id != APPLICATION_ID:
        raise CannotOpen(Fault.FOREIGN, f"{path} is another program's database, not a memory store.")
    if version > migrate.newest_version():
        raise CannotOpen(
            Fault.NEWER,
            f"{path} was made by a newer Memory Inspector (schema {version}, this one knows "
            f"{migrate.newest_version()}); update the program to open it.",
        )


def _pages_are_sound(connection: apsw.Connection) -> bool:
    try:
        return bool(connection.execute("pragma quick_check(1)").get == "ok")
    except (apsw.CorruptError, apsw.NotADBError):
        return False


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
    """A big-endian number of the file's header; sqlite.org/fileformat.html names the places."""
    return int.from_bytes(head[at : at + 4], "big")


def _sidecar(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _is_filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _name_without_replacing(unfinished: Path, path: Path) -> None:
    """Give a finished file its name; of two processes that create at once, one is told so."""
    try:
        os.link(unfinished, path)
    except FileExistsError as error:
        raise CannotOpen(Fault.EXISTS, f"{path} already exists; nothing was changed.") from error
    except OSError:  # a file system without hard links
        unfinished.rename(path)
