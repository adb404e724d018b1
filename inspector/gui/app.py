"""The desktop process: fonts, style, crash handler, window."""

from __future__ import annotations

import gc
import itertools
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from inspector import program
from inspector.gui import icons, theme
from inspector.gui.main_window import MainWindow
from inspector.gui.settings import Settings
from inspector.gui.viewmodels.open_store import OpenStore

COLLECT_EVERY_MS = 500
YOUNG, OLDEST = 1, 2
TICKS_TO_THE_OLDEST = 20


def application() -> QApplication:
    """Return Qt's application, set up once."""
    made = QApplication.instance()
    if not isinstance(made, QApplication):
        made = QApplication(["memory-inspector"])
    made.setApplicationName("Memory Inspector")
    made.setDesktopFileName("memory-inspector")
    made.setWindowIcon(icons.app_icon())
    theme.set_up(made)
    return made


def window(settings: Settings, *, with_model: bool = True) -> MainWindow:
    application()
    theme.choose(settings.text("theme", "system"))
    made = MainWindow(OpenStore(with_model=with_model), settings)
    # After the window is built: under a style sheet each new widget lays out all others again.
    made.appearance.apply_theme()
    return made


def run(store: Path | None, *, is_sample: bool = False) -> int:
    """Open the window on a store, on the sample, or on the first page; return when it is closed."""
    app = application()
    collect_on_the_gui_thread(app)
    settings = Settings()
    shown = window(settings)
    sys.excepthook = crash_handler(shown)
    close_on_signals(shown)
    shown.show()
    if is_sample:
        shown.store.open_sample()
    elif store is not None:
        shown.store.open(store)
    else:
        recent = [path for path in settings.recent_stores() if path.exists()]
        if recent:
            shown.store.open(recent[0])
    return app.exec()


def close_on_signals(shown: MainWindow) -> None:
    """Close the window on Ctrl+C and at the end of a session as its user would, so that edits are saved. Python handles
    a signal when it next runs, which the collection timer guarantees."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: shown.close())


def collect_on_the_gui_thread(app: QApplication) -> None:
    """Collect cyclic garbage on the GUI thread only: widgets deleted in a worker thread crash Qt."""
    gc.disable()
    gc.freeze()  # objects made at start stay; scanning them at each collection would be noticeable
    ticks = itertools.count(1)
    timer = QTimer(app)
    timer.timeout.connect(lambda: gc.collect(OLDEST if next(ticks) % TICKS_TO_THE_OLDEST == 0 else YOUNG))
    timer.start(COLLECT_EVERY_MS)


def crash_handler(
    parent: MainWindow,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """Report a bug and write its traceback to a file; the window stays open, since the store is safe."""

    def handle(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        where = program.save_traceback(error)
        box = QMessageBox(parent)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle("A bug in Memory Inspector")
        box.setText(f"{kind.__name__}: {str(error)[:300]}")
        box.setInformativeText(f"Your store is not affected; {where}.")
        box.setDetailedText("".join(traceback.format_exception(error)))
        box.open()

    return handle
