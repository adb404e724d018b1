"""Opening and creating stores: picks the engine by the location. The only module outside an engine that knows one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from core.clock import Clock
from core.location import StoreLocation
from core.store.protocol import Store
from core.store.records import Backup
from core.store.sqlite import backup
from core.store.sqlite.engine import SqliteStore


def open_store(
    location: str | Path,
    *,
    backups: Path,
    clock: Clock | None = None,
    read_only: bool = False,
    rehearsing: bool = False,
) -> Store:
    """Open an existing store; in one that is `rehearsing` every operation is rolled back at its end."""
    return SqliteStore.open(_file(location), backups=backups, clock=clock, read_only=read_only, rehearsing=rehearsing)


def create_store(location: str | Path, *, backups: Path, clock: Clock | None = None) -> Store:
    """Create a store and open it; refused if anything is there already."""
    return SqliteStore.create(_file(location), backups=backups, clock=clock)


def create_filled(
    location: str | Path, fill: Callable[[Store], None], *, backups: Path, clock: Clock | None = None
) -> None:
    """Create a store that appears at its location only after `fill` has filled and closed it."""
    SqliteStore.create_filled(_file(location), fill, backups=backups, clock=clock)


def backups_of(location: str | Path, folder: Path) -> list[Backup]:
    """Return the backups of a store, newest first; it need not be open or intact."""
    return backup.backups(_file(location).resolve(), folder)


def restore(source: Path, location: str | Path, folder: Path, now: datetime) -> Path | None:
    """Replace a store by a backup; return where the replaced one is kept, None if there was none."""
    return backup.restore(source, _file(location), folder, now)


def _file(location: str | Path) -> Path:
    """Return the file of a location; CannotOpen for a URL, for which this version has no engine."""
    return location if isinstance(location, Path) else Path(StoreLocation(location).file)
