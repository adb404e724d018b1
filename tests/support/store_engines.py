"""The engines that the tests of the store run with: a further engine is proven by one more line in ENGINES."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from core.clock import Clock
from core.store import engines
from core.store.protocol import Store


class Engine(NamedTuple):
    """How tests make an empty store in a folder, and open it a second time."""

    create: Callable[[Path, Clock], Store]
    reopen: Callable[[Store, bool], Store]


def _create_file(folder: Path, clock: Clock) -> Store:
    return engines.create_store(folder / "store.db", backups=folder / "backups", clock=clock)


def _reopen_file(store: Store, read_only: bool) -> Store:
    path = store.location.path
    return engines.open_store(path, backups=path.parent / "backups", clock=store.clock, read_only=read_only)


ENGINES = {
    "sqlite": Engine(_create_file, _reopen_file),
}
