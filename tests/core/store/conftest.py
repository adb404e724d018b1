"""Stores of every engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_engines import ENGINES, Engine

from core.clock import FixedClock
from core.store.protocol import Store


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return ENGINES[request.param]


@pytest.fixture
def store(engine: Engine, tmp_path: Path, clock: FixedClock) -> Iterator[Store]:
    with engine.create(tmp_path, clock) as made:
        yield made
