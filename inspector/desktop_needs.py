"""What a Qt window needs of the system, checked before Qt is imported.

With a shared library or the display missing, Qt does not raise: it aborts the process and often blames the wrong
library. This module checks first, with the standard library alone, and returns one sentence. It is also used before
anything is installed (`packaging/environment.py`).
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Requirement:
    """A shared library that Qt loads, and the Debian package that brings it."""

    soname: str
    package: str


# Libraries that libQt6Core, -Gui, -Widgets, -DBus and the offscreen platform need and do not include.
FOR_OFFSCREEN = (
    Requirement("libglib-2.0.so.0", "libglib2.0-0"),
    Requirement("libgthread-2.0.so.0", "libglib2.0-0"),
    Requirement("libEGL.so.1", "libegl1"),
    Requirement("libGL.so.1", "libgl1"),
    Requirement("libfontconfig.so.1", "libfontconfig1"),
    Requirement("libfreetype.so.6", "libfreetype6"),
    Requirement("libdbus-1.so.3", "libdbus-1-3"),
    Requirement("libxkbcommon.so.0", "libxkbcommon0"),
    Requirement("libX11.so.6", "libx11-6"),
)

# Libraries that libQt6XcbQpa and the xcb platform need in addition.
FOR_X = (
    Requirement("libxcb.so.1", "libxcb1"),
    Requirement("libX11-xcb.so.1", "libx11-xcb1"),
    Requirement("libxcb-cursor.so.0", "libxcb-cursor0"),
    Requirement("libxcb-icccm.so.4", "libxcb-icccm4"),
    Requirement("libxcb-image.so.0", "libxcb-image0"),
    Requirement("libxcb-keysyms.so.1", "libxcb-keysyms1"),
    Requirement("libxcb-randr.so.0", "libxcb-randr0"),
    Requirement("libxcb-render.so.0", "libxcb-render0"),
    Requirement("libxcb-render-util.so.0", "libxcb-render-util0"),
    Requirement("libxcb-shape.so.0", "libxcb-shape0"),
    Requirement("libxcb-shm.so.0", "libxcb-shm0"),
    Requirement("libxcb-sync.so.1", "libxcb-sync1"),
    Requirement("libxcb-util.so.1", "libxcb-util1"),
    Requirement("libxcb-xfixes.so.0", "libxcb-xfixes0"),
    Requirement("libxcb-xkb.so.1", "libxcb-xkb1"),
    Requirement("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
)


def missing_libraries(for_window: bool) -> tuple[Requirement, ...]:
    """Return the libraries that this system lacks, for a real window or for offscreen drawing alone.

    Empty outside Linux, where the wheels of Qt include all they need.
    """
    if not sys.platform.startswith("linux"):
        return ()
    return absent(FOR_OFFSCREEN + FOR_X if for_window else FOR_OFFSCREEN)


def absent(needs: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return the requirements that the dynamic loader cannot load."""
    return tuple(need for need in needs if not _loads(need.soname))


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def has_display() -> bool:
    """Whether there is a display for a window; macOS and Windows always have one."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def packages(missing: Iterable[Requirement]) -> tuple[str, ...]:
    """Return the Debian packages to install, each once, in the table's order."""
    return tuple(dict.fromkeys(need.package for need in missing))


def apt_line(missing: Iterable[Requirement]) -> str:
    """Return the command with which root installs what is missing."""
    return "apt-get update && apt-get install -y --no-install-recommends " + " ".join(packages(missing))


def sentence(missing: Iterable[Requirement], display: bool) -> str:
    """Return why the desktop cannot start and what to do; empty when it can."""
    missing = tuple(missing)
    reasons, repairs = [], []
    if missing:
        reasons.append("Qt finds no " + ", ".join(need.soname for need in missing))
        repairs.append(f"as root, run `{apt_line(missing)}`")
    if not display:
        reasons.append("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)")
        repairs.append("start it from a graphical session")
    if not reasons:
        return ""
    return (
        f"The desktop cannot start because {' and '.join(reasons)}: {' and '.join(repairs)}, "
        "or use `memory-inspector --serve`, which works without a display."
    )
