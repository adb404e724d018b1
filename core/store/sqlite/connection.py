"""Connections with the same pragmas everywhere, and SQLite's errors as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import apsw

from core.errors import CannotOpen, Fault, NoSpace, ReadOnly, UserError
from core.location import command

BUSY_TIMEOUT_MS = 15_000
READER_CACHE_KIB = 16_384
WRITER_CACHE_KIB = 32_768


def connect(path: Path, *, writable: bool, immutable: bool = False, busy_ms: int = BUSY_TIMEOUT_MS) -> apsw.Connection:
    """Open an existing file. `immutable` reads a file in a folder where SQLite cannot create its sidecars."""
    access = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
    if immutable:
        uri = f"file:{quote(str(path))}?immutable=1"
        connection = apsw.Connection(uri, flags=access | apsw.SQLITE_OPEN_URI)
    else:
        connection = apsw.Connection(str(path), flags=access)
    prepare(connection, busy_ms)
    # An import touches pages all over the indexes and a recall all over the memories; the cache keeps the inner pages
    # of the trees, which lead to all others.
    connection.execute(f"pragma cache_size = -{WRITER_CACHE_KIB if writable else READER_CACHE_KIB}")
    return connection


def prepare(connection: apsw.Connection, busy_ms: int = BUSY_TIMEOUT_MS) -> None:
    connection.set_busy_timeout(busy_ms)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.enable_load_extension(True)
    connection.load_extension(_vec0())
    connection.enable_load_extension(False)
    # FULL, because an acknowledged write must also survive the loss of power.
    connection.execute("pragma foreign_keys = on; pragma synchronous = full; pragma trusted_schema = off")
    # Deleted content is overwritten, so that a purge leaves nothing on the pages; no measurable cost.
    connection.execute("pragma secure_delete = on").fetchall()


@cache
def _vec0() -> str:
    """Return the path of sqlite-vec's extension, found without importing the package, which would load numpy."""
    package = find_spec("sqlite_vec")
    assert package is not None
    assert package.origin is not None
    return str(Path(package.origin).with_name("vec0"))


@contextmanager
def snapshot(connection: apsw.Connection) -> Iterator[None]:
    """Read everything inside from one snapshot."""
    connection.execute("begin")
    try:
        yield
    finally:
        if connection.in_transaction:  # SQLite ends it itself when a query is interrupted
            connection.execute("rollback")


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file, the disk and other programs into a UserError."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise UserError(f"Another program is writing to {path} and keeps it locked; try again.") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(path) from error
    except apsw.ReadOnlyError as error:
        raise ReadOnly(f"{path} is read-only, so nothing was written.") from error
    except apsw.FullError as error:
        raise NoSpace(f"The disk holding {path} is full; nothing of this change was kept.") from error
    except apsw.IOError as error:
        raise UserError(f"The disk reported an error on {path}; nothing of this change was kept.") from error
    except apsw.CantOpenError as error:
        raise UserError(f"SQLite cannot open {path} or create its working files next to it.") from error
    except apsw.TooBigError as error:
        raise UserError("That is more than one row of the store can hold.") from error


def damaged(path: Path) -> CannotOpen:
    return CannotOpen(
        Fault.CORRUPT,
        f"{path} is damaged, so it is not written to; `{command(path, 'check')}` says where, and "
        f"`{command(path, 'restore')}` puts a backup back.",
    )
