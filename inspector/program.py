"""What this program is called, which version it is, how to start it from wherever it is installed, and where its bugs
are written down."""

from __future__ import annotations

import gc
import sys

from core import folders, safe_files
from core.errors import UserError

NAME = "memory-inspector"


def version() -> str:
    """Asked of the installation only when it is wanted: that takes longer than all the rest of `--help`."""
    from importlib import metadata

    return metadata.version(NAME)


def settle() -> None:
    """Once all is loaded, in a process that stays: what is there will not become garbage, and an answer makes thousands
    of objects but no cycles, so that looking for these seldom and only among what is new makes answers a tenth quicker.
    """
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def keep_bug(error: BaseException) -> str:
    """Keep the traceback where a report can be made of it, and say where that is."""
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
    """How to start this very program from anywhere: -P, or a project's own `core` folder would be taken for ours."""
    return [sys.executable] if is_bundled() else [sys.executable, "-P", "-m", "inspector"]
