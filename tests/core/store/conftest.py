"""Stores of every engine, and a store that is searched in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_engines import ENGINES, Engine

from core.clock import FixedClock
from core.store.protocol import Store
from core.store.sqlite import engine as store_module


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return ENGINES[request.param]


@pytest.fixture
def store(engine: Engine, tmp_path: Path, clock: FixedClock) -> Iterator[Store]:
    with engine.create(tmp_path, clock) as made:
        yield made


@pytest.fixture
def quick_store(store, monkeypatch):
    """A store that is searched in memory however small it is."""
    monkeypatch.setattr(store_module, "WORTH_BEING_QUICK", 0)
    monkeypatch.setattr(store_module, "LARGE", 0)
    return store
