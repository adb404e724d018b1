"""The SQLite engine: a store in one file, read in snapshots and written by one transaction at a time."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from core import draft
from core.changes import Op
from core.clock import Clock, SystemClock
from core.errors import CannotOpen, Fault, ReadOnly
from core.location import StoreLocation
from core.progress import Cancelled
from core.search_cache.cache_protocol import HIGHEST_ID, CachedSearch
from core.store.records import Backup, CheckFinding, Clean
from core.store.sqlite import backup, check, migrate, opening, search
from core.store.sqlite.connection import connect, sentences, snapshot
from core.store.sqlite.reader import SqliteReader
from core.store.sqlite.unfinished import name_without_replacing, unfinished
from core.store.sqlite.writer import SqliteWriter
from core.store.transaction import Transaction, unchanged

if TYPE_CHECKING:
    from core.search_cache.search_cache import SearchCache


# Numbers of memories from which the search cache is faster than SQLite, and from which it is filled even for a single
# query.
MIN_CACHED = 200
MIN_LARGE = 50_000
STEPS_BETWEEN_CHECKS = 100_000  # of SQLite's virtual machine: a few milliseconds
STEPS_DURING_INTEGRITY_CHECK = 1_000  # which runs several short queries for each row


class SqliteStore:
    """An open store. Safe to use from several threads: one writes at a time, each reads through its own connection."""

    def __init__(self, opened: opening.Opened, clock: Clock, backups: Path, *, rehearsing: bool = False) -> None:
        self.path = opened.path
        self.rehearsing = rehearsing
        self.clock = clock
        self.backups = backups
        self.read_only_because = opened.read_only
        # Removes credentials from a text or a JSON value before it is written; set by what opens the store.
        self.clean: Clean = unchanged
        self._immutable = opened.immutable
        self._file = _identity(opened.path)
        self._writing = threading.Lock()
        self._writing_thread: int | None = None
        self._local = threading.local()
        # Weakly: the connection of a thread that has ended closes with it.
        self._readers: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._searches = 0
        self._making_cache = threading.Lock()
        self._search_cache: SearchCache | None = None
        with sentences(self.path):
            # Writable wherever the file is, even for a store that is only read: only when the last such connection
            # closes does SQLite remove its sidecar files.
            self._write_connection = self._connect(writable=opened.is_writable)
            if opened.is_writable and not self.read_only_because:
                self._write_connection.execute("pragma journal_mode = wal").fetchall()

    @classmethod
    def create(cls, path: Path, *, backups: Path, clock: Clock | None = None) -> SqliteStore:
        """Create a store and open it; refused if anything is at the path."""
        path = path.absolute()
        opening.create(path)
        return cls.open(path, backups=backups, clock=clock)

    @classmethod
    def create_filled(
        cls, path: Path, fill: Callable[[SqliteStore], None], *, backups: Path, clock: Clock | None = None
    ) -> None:
        """Create a store that gets its name only after `fill` has filled and closed it."""
        path = path.absolute()
        if os.path.lexists(path):
            raise CannotOpen(Fault.EXISTS, f"{path} already exists; nothing was changed.")
        try:
            with unfinished(path) as own:
                own.unlink()
                opening.create(own)
                fill(cls.open(own, backups=backups, clock=clock))
                name_without_replacing(own, path)
        except OSError as error:
            sentence = f"No store can be made in {path.parent}: {error.strerror}."
            raise CannotOpen(Fault.UNWRITABLE_FOLDER, sentence) from error

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        backups: Path,
        clock: Clock | None = None,
        read_only: bool = False,
        rehearsing: bool = False,
    ) -> SqliteStore:
        """Open an existing store. An older schema is migrated after a backup.

        In a store that is `rehearsing` every operation runs to its end and is then rolled back.
        """
        try:
            path = path.resolve()
        except RuntimeError as error:
            raise CannotOpen(Fault.NOT_A_FILE, f"{path} is a circle of symbolic links, not a store.") from error
        opened = opening.inspect(path)
        if opened.schema_version < migrate.newest_version():
            _upgrade(opened, backups, clock or SystemClock())
        if read_only and not opened.read_only:
            opened = replace(opened, read_only=f"{path} was opened for reading only.")
        return cls(opened, clock or SystemClock(), backups, rehearsing=rehearsing)

    @property
    def location(self) -> StoreLocation:
        return StoreLocation(str(self.path))

    @property
    def maintenance(self) -> SqliteStore:
        return self

    @contextmanager
    def read(self, *, exact: bool = False) -> Iterator[SqliteReader]:
        """Open a snapshot: every answer is of one moment, and no writer waits for it. Searches of a store that is large
        enough are answered by the search cache, or by SQLite itself if they are to be `exact`."""
        connection = self._reading_connection()
        reader = SqliteReader(connection) if exact else SqliteReader(connection, self._search_cache_if_worthwhile)
        with closing(reader):
            if connection.in_transaction:  # nested in a snapshot of this thread
                yield reader
                return
            with sentences(self.path), snapshot(connection):
                yield reader

    @contextmanager
    def stoppable(self, is_wanted: Callable[[], bool]) -> Iterator[None]:
        """Cancel the reads of this thread within the block, with `Cancelled`, soon after `is_wanted` returns False."""
        connection = self._reading_connection()
        connection.set_progress_handler(lambda: not is_wanted(), STEPS_BETWEEN_CHECKS)
        self._local.is_wanted = is_wanted
        try:
            yield
        except apsw.InterruptError as error:
            raise Cancelled("This is no longer wanted.") from error
        finally:
            connection.set_progress_handler(None)
            self._local.is_wanted = None

    @contextmanager
    def transact(
        self, op: Op, actor: str, reason: str = "", *, rehearse: bool = False, allow_secrets: bool = False
    ) -> Iterator[Transaction]:
        """Write: all of it is committed at the end, or none of it; none if it only rehearses.

        Credentials are removed from actor and reason and from everything but memories, whose fields are cleaned before
        they are embedded; unless `allow_secrets`.
        """
        if self.read_only_because:
            raise ReadOnly(self.read_only_because)
        actor = draft.plain_text("The actor", actor, draft.MAX_NAME_CHARS)
        reason = draft.plain_text("The reason", reason, draft.MAX_TEXT_CHARS)
        if self._writing_thread == threading.get_ident():
            raise RuntimeError("an operation is already in progress in this thread")
        with self._writing, sentences(self.path):
            self._refuse_if_replaced()
            self._write_connection.execute("begin immediate")
            self._writing_thread = threading.get_ident()
            clean = unchanged if allow_secrets else self.clean
            now = self.clock.now()
            writer = SqliteWriter(self._write_connection, op, clean(actor), clean(reason), now)
            transaction = Transaction(writer, now, clean)
            try:
                yield transaction
                transaction.end()
                self._write_connection.execute("rollback" if rehearse or self.rehearsing else "commit")
            except BaseException:
                if self._write_connection.in_transaction:
                    self._write_connection.execute("rollback")
                raise
            finally:
                transaction.is_over = True
                self._writing_thread = None

    def other_commits(self) -> int:
        """Return a number that differs from the last one if another connection has committed since."""
        with self._writing:
            return int(self._write_connection.execute("pragma data_version").get)

    def empty_log(self) -> bool:
        """Move the write-ahead log into the main file and truncate it; False while another connection reads it."""
        with self._writing, sentences(self.path):
            is_busy, _, _ = self._write_connection.execute("pragma wal_checkpoint(truncate)").get
        return not is_busy

    def back_up(self, reason: str) -> Path:
        return backup.back_up(self.path, self.backups, self.clock.now(), reason)

    def copy_to(self, target: Path) -> None:
        backup.copy(self.path, target)

    def list_backups(self) -> list[Backup]:
        return backup.backups(self.path, self.backups)

    def size(self) -> int:
        return self.path.stat().st_size

    def check(self) -> list[CheckFinding]:
        """Return everything that is inconsistent or damaged. Uses a new connection: FTS5 checks itself against what its
        connection has cached, and reports a structure that another connection has changed since as corrupt."""
        with sentences(self.path):
            connection = self._connect(writable=False)
            connection.set_progress_handler(lambda: not self._is_wanted(), STEPS_DURING_INTEGRITY_CHECK)
            try:
                connection.execute("begin")  # one snapshot, or a concurrent write would look like drift
                return check.check(connection)
            finally:
                connection.close()

    def wait_for_search_cache(self) -> None:
        """Wait until the search cache holds what searches have asked for."""
        if self._search_cache is not None:
            self._search_cache.wait()

    def close(self) -> None:
        if self._search_cache is not None:
            self._search_cache.close()
        for connection in self._readers:
            connection.interrupt()
        for connection in (*self._readers, self._write_connection):
            # A connection that a thread still reads through closes with the process.
            with suppress(apsw.ThreadingViolationError):
                connection.close(True)
        self._readers.clear()
        self._local = threading.local()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reading_connection(self) -> apsw.Connection:
        self._refuse_if_replaced()
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with sentences(self.path):
                connection = self._connect(writable=False)
            self._local.connection = connection
            self._readers.add(connection)
        return connection

    def _search_cache_if_worthwhile(self) -> CachedSearch | None:
        """Return the search cache for this thread; None in a small store, where SQLite is as fast, and for a first
        query, which may be the only one, unless the store is large."""
        with self._making_cache:
            self._searches += 1
            connection = self._reading_connection()
            lowest, highest = connection.execute(
                "select coalesce((select min(id) from memories), 0), coalesce((select max(id) from memories), 0)"
            ).get
            if lowest < 0 or highest > HIGHEST_ID:
                return None
            if self._search_cache is None and highest < (MIN_LARGE if self._searches == 1 else MIN_CACHED):
                return None
            # Imported here, since both import numpy, which a single command does not need.
            from core.search_cache.search_cache import SearchCache
            from core.store.sqlite.cache_feed import SqliteCacheFeed, SqliteSnapshot

            if self._search_cache is None:
                self._search_cache = SearchCache(SqliteCacheFeed(self._connect_to_same_file, self._is_wanted))
            return self._search_cache.at(SqliteSnapshot(connection))

    def _is_wanted(self) -> bool:
        """Return whether the reads of this thread are still wanted."""
        is_wanted: Callable[[], bool] | None = getattr(self._local, "is_wanted", None)
        return is_wanted is None or is_wanted()

    def _connect(self, *, writable: bool) -> apsw.Connection:
        connection = connect(self.path, writable=writable, immutable=self._immutable)
        search.register(connection)
        return connection

    def _connect_to_same_file(self) -> apsw.Connection:
        """Open another connection; refused if another file has replaced the store."""
        connection = self._connect(writable=False)
        self._refuse_if_replaced()
        return connection

    def _refuse_if_replaced(self) -> None:
        if _identity(self.path) != self._file:
            raise CannotOpen(
                Fault.REPLACED,
                f"{self.path} was moved, deleted or replaced while it was open; open it again.",
            )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _upgrade(opened: opening.Opened, backups: Path, clock: Clock) -> None:
    if opened.read_only:
        raise CannotOpen(
            Fault.OLDER,
            f"{opened.path} is of an older version and must be upgraded to be read, which cannot be done: "
            f"{opened.read_only}",
        )
    with sentences(opened.path):
        backup.back_up(opened.path, backups, clock.now(), f"before-schema-{migrate.newest_version()}")
        connection = connect(opened.path, writable=True)
        try:
            migrate.migrate(connection)
        finally:
            connection.close()
