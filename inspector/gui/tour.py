"""Pictures of every view in both themes, from the sample store; works without a screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QBuffer, QEventLoop, QIODevice, QTimer
from PySide6.QtWidgets import QWidget

from core import safe_files
from inspector import sample
from inspector.gui.main_window import MainWindow
from inspector.gui.viewmodels.health import ENTRIES

SIZE = (1440, 900)
SETTLE_MS = 700
MODEL_MS = 20_000
UNTIL_MS = 60_000
Step = tuple[str, Callable[[], None]]
_STALE = [entry.concern.value for entry in ENTRIES].index("stale")
QUESTION = "why do migrations hang in production?"  # one that the sample's golden set judges


def visit(window: MainWindow, folder: Path) -> list[Path]:
    """Open the sample, show each view, and save a picture of it."""
    folder.mkdir(parents=True, exist_ok=True)
    window.resize(*SIZE)
    window.show()
    saved = []
    for shade in ("light", "dark"):
        window.appearance.apply_theme(shade)
        if shade == "light":
            _wait(SETTLE_MS)
            saved.append(_grab(window, folder / f"first-page-{shade}.png"))
            _open(window, window.store.open_sample)
        for name, step in _steps(window):
            step()
            _wait(SETTLE_MS)
            saved.append(_grab(window, folder / f"{name}-{shade}.png"))
        window.do("manual")
        _wait(SETTLE_MS)
        saved.append(_grab(window.help.shown_manual(), folder / f"manual-{shade}.png"))
        window.help.shown_manual().close()
    return saved


def colours_of_browse(window: MainWindow, store: Path) -> int:
    """Return in how many colours Browse is drawn: a picture without letters or icons has only a handful."""
    window.resize(*SIZE)
    window.show()
    _open(window, lambda: window.store.open(store))
    _wait(SETTLE_MS)
    picture = window.grab().toImage()
    return len({picture.pixel(x, y) for x in range(0, picture.width(), 2) for y in range(0, picture.height(), 2)})


def _steps(window: MainWindow) -> Iterator[Step]:
    yield "browse", window.browse
    for number, tab in ((1, "links"), (2, "versions"), (4, "context")):
        yield f"browse-{tab}", lambda number=number: window.browse_view.detail.tabs.setCurrentIndex(number)  # type: ignore[misc]

    def lab() -> None:
        window.browse_view.detail.tabs.setCurrentIndex(0)
        window.query_lab()
        window.query_view.ask(QUESTION)

    yield "query-lab", lab
    yield "contradictions", window.contradictions
    yield "contradictions-preview", lambda: window.contradictions_view.buttons["keep-a"].click()
    yield "decay", window.decay
    yield "decay-overlays", lambda: _overlays(window)

    def graph() -> None:
        window.graph_view.query.clear()
        window.graph()

    yield "graph", graph
    yield "graph-activation", lambda: _activate(window)
    yield "activity", lambda: _calls(window)
    yield "activity-funnel", lambda: window.activity_view.calls.detail.tabs.setCurrentIndex(2)
    yield "activity-replay", window.activity_view.calls.detail.start_replay
    yield "activity-journal", lambda: window.activity_view.tabs.setCurrentIndex(1)
    yield "activity-undo", window.activity_view.journal.undo.click
    yield "activity-proposals", lambda: window.activity_view.tabs.setCurrentIndex(2)

    def health() -> None:
        window.health_view.colouring.setCurrentIndex(0)
        window.health()

    yield "health", health
    yield "health-stale", lambda: window.health_view.list.selectRow(_STALE)
    yield "health-map-by-age", lambda: window.health_view.colouring.setCurrentIndex(1)
    yield "evaluation", lambda: _evaluate(window)
    yield "evaluation-queries", lambda: window.evaluation_view.show_page(1)
    yield "evaluation-tune", lambda: window.evaluation_view.show_page(2)
    yield "query-lab-again", window.query_lab
    for name in window.query_view.pages:
        yield f"query-lab-{name}", lambda name=name: window.query_view.show_page(name)  # type: ignore[misc]


def _calls(window: MainWindow) -> None:
    view = window.activity_view
    if window.store.path is not None:
        sample.record_calls(window.store.path)
    view.tabs.setCurrentIndex(0)
    view.calls.detail.tabs.setCurrentIndex(0)
    window.activity()


def _evaluate(window: MainWindow) -> None:
    """Measure two profiles on the sample's golden set, and wait for it."""
    view, viewmodel = window.evaluation_view, window.evaluation_viewmodel
    view.show_page(0)
    window.evaluation()
    _until(lambda: bool(viewmodel.sets))
    if viewmodel.measured is None:
        viewmodel.run()
        _until(lambda: not viewmodel.is_running)


def _overlays(window: MainWindow) -> None:
    view = window.decay_view
    view.profile.setCurrentIndex(view.profile.findData("oro"))
    view.half_lives[90.0].setChecked(True)
    view.as_if_pinned.setChecked(True)


def _activate(window: MainWindow) -> None:
    view = window.graph_view
    view.centre_first_match()
    view.query.setText(QUESTION)
    view.query.setCursorPosition(0)
    view.query.returnPressed.emit()


def _open(window: MainWindow, begin: Callable[[], None]) -> None:
    """Open a store, and wait for its model if it is installed."""
    loop = QEventLoop()

    def settled(status: object) -> None:
        if getattr(status, "is_settled", False):
            loop.quit()

    window.store.status_changed.connect(settled)
    window.store.refused.connect(loop.quit)
    QTimer.singleShot(MODEL_MS, loop.quit)
    begin()
    loop.exec()
    window.store.status_changed.disconnect(settled)


def _until(is_so: Callable[[], bool]) -> None:
    """Wait until a condition holds, at most UNTIL_MS."""
    for _ in range(UNTIL_MS // 50):
        if is_so():
            return
        _wait(50)


def _wait(ms: int) -> None:
    """Wait until pending work is done and painted."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def _grab(window: QWidget, path: Path) -> Path:
    window.grab()  # the first grab lacks what is laid out during painting
    _wait(min(50, SETTLE_MS))
    drawn = QBuffer()
    drawn.open(QIODevice.OpenModeFlag.WriteOnly)
    window.grab().toImage().save(drawn, "PNG")  # type: ignore[call-overload]
    safe_files.replace(path, bytes(drawn.data().data()))
    return path
