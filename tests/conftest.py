"""What every test shares: a clock that stands still, a home of its own, real stores in real files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from core import folders
from core.clock import FixedClock
from core.embed import catalogue
from core.embed.onnx import OnnxEmbedder
from core.services.workspace import Workspace
from core.store import engines
from core.store.protocol import Store

os.environ["QT_QPA_PLATFORM"] = "offscreen"
# The models the machine has are used as they are; everything else a test writes goes to its own folder.
MODELS = folders.models()

settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("suite")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing a test does reaches the user's own folders."""
    monkeypatch.setenv("MEMORY_INSPECTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORY_INSPECTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MEMORY_INSPECTOR_DB", raising=False)
    return tmp_path / "home"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 11, 15, 12, 0, tzinfo=UTC))


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Iterator[Store]:
    with engines.create_store(tmp_path / "store.db", backups=tmp_path / "backups", clock=clock) as made:
        yield made


@pytest.fixture(scope="session")
def models_of_this_machine() -> Path:
    return MODELS


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The cache folder of this test, with the models of this machine in it."""
    MODELS.mkdir(parents=True, exist_ok=True)
    folder = tmp_path / "cache" / "models"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(MODELS)
    return folder


@pytest.fixture
def workspace(tmp_path: Path, clock: FixedClock) -> Iterator[Workspace]:
    with Workspace.create(tmp_path / "work.db", clock=clock) as made:
        yield made


@pytest.fixture(scope="session")
def arctic() -> OnnxEmbedder:
    """The real default model, loaded once."""
    return OnnxEmbedder(catalogue.ARCTIC_S, MODELS)
