"""What this program is called, which version it is and how to start it, in a checkout, an installation or a bundle."""

from __future__ import annotations

import gc
import sys

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


def is_bundled() -> bool:
    """Whether this is the bundle, in which the program is its own interpreter."""
    return bool(getattr(sys, "frozen", False))


def command() -> list[str]:
    """How to start this very program from anywhere: -P, or a project's own `core` folder would be taken for ours."""
    return [sys.executable] if is_bundled() else [sys.executable, "-P", "-m", "inspector"]
