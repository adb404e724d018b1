"""A store of the SQLite engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.clock import FixedClock
from core.store.sqlite.engine import SqliteStore


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterator[SqliteStore]:
    with SqliteStore.create(tmp_path / "store.db", backups=tmp_path / "backups", clock=clock) as made:
        yield made
