"""What the tests of the desktop share: a real window on a copy of the sample, with a clock that stands still."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from core.clock import FixedClock
from core.services import exchange, link_inference
from core.services.workspace import Workspace
from inspector.gui import app, theme
from inspector.gui.main_window import MainWindow
from inspector.gui.settings import Settings
from inspector.gui.viewmodels.open_store import OpenStore

SAMPLE = Path(__file__).parents[3] / "resources" / "sample" / "memories.jsonl"
NOW = datetime(2026, 11, 15, 18, tzinfo=UTC)
WAIT_MS = 30_000


@pytest.fixture(autouse=True)
def _collect_here() -> Iterator[None]:
    """As in the program: garbage with widgets in it is never collected in a worker thread."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """Wait longer than the 5 s of pytest-qt before giving up: on a busy machine opening a store has taken 6."""
    qtbot.waitUntil = partial(qtbot.waitUntil, timeout=WAIT_MS)
    return qtbot


@pytest.fixture(scope="session")
def sample_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "sample.db"
    with Workspace.create(path, clock=FixedClock(NOW)) as workspace:
        exchange.import_file(workspace, SAMPLE, actor="person", reason="the sample")
        link_inference.catch_up(workspace, actor="person")
    return path


@pytest.fixture
def sample(sample_once: Path, tmp_path: Path) -> Path:
    """A store of its own for each test."""
    return Path(shutil.copy(sample_once, tmp_path / "sample.db"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "desktop.ini")


@pytest.fixture
def store(qtbot) -> Iterator[OpenStore]:
    made = OpenStore(clock=FixedClock(NOW), with_model=False)
    yield made
    made.end()


@pytest.fixture
def opened(qtbot, store: OpenStore, sample: Path) -> OpenStore:
    with qtbot.waitSignal(store.opened):
        store.open(sample)
    return store


@pytest.fixture
def window(qtbot, settings: Settings) -> Iterator[MainWindow]:
    app.application().setStyleSheet("")  # as in the program: built first, then dressed, which is several times quicker
    made = MainWindow(OpenStore(clock=FixedClock(NOW), with_model=False), settings)
    made.appearance.apply_theme("light")
    made.resize(1440, 900)
    made.show()
    yield made
    made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # or the next one's theme is put on it too
    theme.choose("light")


@pytest.fixture
def on_sample(qtbot, window: MainWindow, sample: Path) -> MainWindow:
    """The window with the sample open and its first page of rows there."""
    window.store.open(sample)
    qtbot.waitUntil(lambda: window.detail_viewmodel.memory is not None)
    return window
