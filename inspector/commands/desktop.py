"""The window, when no command is given, and its tour."""

from __future__ import annotations

import argparse
import os
import signal

from core.errors import UserError
from inspector import desktop_needs
from inspector.cli import OK
from inspector.commands import terminal


def open_window(options: argparse.Namespace) -> int:
    """Open the desktop on the store that was named, or on the last one; print a sentence where no window can open."""
    _refuse_without(for_window=os.environ.get("QT_QPA_PLATFORM") != "offscreen")
    from inspector.gui import app

    is_sample = getattr(options, "sample", False)
    is_named = getattr(options, "db", None) is not None or "MEMORY_INSPECTOR_DB" in os.environ
    store = terminal.store_path(options) if is_sample or is_named else None
    return app.run(store, is_sample=is_sample)


def tour(options: argparse.Namespace) -> int:
    """Save a picture of every view, drawn without a screen."""
    folder = terminal.path(options.tour, "--tour")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; --tour needs a folder, which is made if there is none.")
    draw_without_a_screen()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # there is nothing to save, and Qt would swallow what Python raises
    from inspector.gui import app, tour
    from inspector.gui.settings import Settings

    qt = app.application()
    app.collect_on_the_gui_thread(qt)
    window = app.window(Settings(folder / "desktop.ini"))
    saved = tour.visit(window, folder)
    window.close()
    (folder / "desktop.ini").unlink(missing_ok=True)
    terminal.show(options, {"pictures": [str(path) for path in saved]}, "\n".join(str(path) for path in saved))
    return OK


def draw_without_a_screen() -> None:
    """Select the offscreen platform, before Qt is imported, and silence its warnings."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
    _refuse_without(for_window=False)


def _refuse_without(*, for_window: bool) -> None:
    missing = desktop_needs.missing_libraries(for_window)
    hindrance = desktop_needs.sentence(missing, display=desktop_needs.has_display() or not for_window)
    if hindrance:
        raise UserError(hindrance)
