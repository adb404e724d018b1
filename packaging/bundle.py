"""What goes into the bundle, the same on every system: read by the PyInstaller specs in linux/, macos/ and windows/.

The bundle is made from the installed wheel, so what the wheel lacks is missing here too, and the self-test says so.
"""

from __future__ import annotations

import os
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

NAME = "memory-inspector"
HERE = Path(__file__).resolve().parent
VERSION = metadata.version(NAME)
# What libraries would use if it were there, and nothing of ours ever reaches; setuptools is imported at every start.
UNREACHED = "tkinter matplotlib IPython PIL.ImageTk hf_xet setuptools pyqtgraph.opengl pyqtgraph.multiprocess".split()


def analysis() -> dict[str, Any]:
    """The arguments of PyInstaller's Analysis."""
    import sqlite_vec

    import inspector

    resources = Path(inspector.__file__).parent / "_resources"
    return {
        "scripts": [str(HERE / "start.py")],
        "datas": [
            (str(resources), "resources"),
            *collect_data_files("core"),  # the migrations
            *copy_metadata(NAME, recursive=True),  # versions that are asked for, and all licences
        ],
        # An extension of SQLite, loaded by its path: no import leads to it.
        "binaries": [(_with_ending(sqlite_vec.loadable_path()), "sqlite_vec")],
        # Commands are imported by their names, and sqlite-vec is only looked for.
        "hiddenimports": [*collect_submodules("inspector"), *collect_submodules("core"), "sqlite_vec"],
        "excludes": UNREACHED,
    }


def icon() -> str:
    """Our icon as a picture, for systems that know no SVG; PyInstaller turns it into their own kind."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    application = QGuiApplication.instance() or QGuiApplication([])
    picture = QImage(1024, 1024, QImage.Format.Format_ARGB32)
    picture.fill(0)
    painter = QPainter(picture)
    QSvgRenderer(str(HERE.parent / "resources" / "icons" / "app.svg")).render(painter)
    painter.end()
    drawn = str(Path(tempfile.mkdtemp()) / "icon.png")
    picture.save(drawn)
    del application
    return drawn


def _with_ending(library: str) -> str:
    """SQLite leaves the ending of a library's name to the system."""
    endings = {"darwin": ".dylib", "win32": ".dll"}
    return library + endings.get(sys.platform, ".so")
