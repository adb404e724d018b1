"""The program's name, version, start command, and where tracebacks of bugs are written."""

from __future__ import annotations

import gc
import sys

from core import folders, safe_files
from core.errors import UserError

NAME = "memory-inspector"


def version() -> str:
    """Return the version. It is read from the installation on demand, since that takes longer than the rest of
    `--help`."""
    from importlib import metadata

    return metadata.version(NAME)


def limit_garbage_collection() -> None:
    """Exempt everything loaded from garbage collection, and collect seldom. Called once in a process that stays: an
    answer makes thousands of objects but no cycles, and is a tenth faster so."""
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def save_traceback(error: BaseException) -> str:
    """Write the traceback to a file, and return where it is."""
    import traceback

    log = folders.cache() / "last-bug.txt"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        safe_files.replace(log, "".join(traceback.format_exception(error)).encode("utf-8", "replace"))
    except (OSError, UserError):
        return "its details could not be written"
    return f"the details are in {log}"


def is_bundled() -> bool:
    """Whether this is the bundle, in which the program is its own interpreter."""
    return bool(getattr(sys, "frozen", False))


def command() -> list[str]:
    """Return the command that starts this program from anywhere. -P keeps a project's own `core` folder from being
    imported."""
    return [sys.executable] if is_bundled() else [sys.executable, "-P", "-m", "inspector"]
