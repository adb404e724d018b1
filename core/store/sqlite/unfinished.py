"""Files that get their name only when they are complete, never replace another, and are deleted if left behind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core import safe_files
from core.clock import SystemClock
from core.errors import CannotOpen, Fault

SIDECARS = ("-wal", "-shm", "-journal")
LEFT_BEHIND_SECONDS = 24 * 3600


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Make an empty file in the folder of `path`, deleted at the end unless it was given the name."""
    sweep(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    own = safe_files.random_name(path)
    safe_files.create_empty(own)
    try:
        yield own
    finally:
        for ending in ("", *SIDECARS):
            sidecar(own, ending).unlink(missing_ok=True)


def name_without_replacing(own: Path, path: Path) -> None:
    """Give a complete file its name; of two processes that do so at once, one gets CannotOpen."""
    stale = [ending for ending in SIDECARS if sidecar(path, ending).exists()]
    if stale:
        raise CannotOpen(
            Fault.EXISTS,
            f"{path}{stale[0]} is left of an earlier store and would be mixed into a new one; move it away first.",
        )
    try:
        safe_files.name_new(own, path)
    except FileExistsError as error:
        raise CannotOpen(Fault.EXISTS, f"{path} already exists; nothing was changed.") from error


def finish_interrupted_naming(path: Path) -> None:
    """Remove the second name of a file that a process left when it was killed between naming and unlinking."""
    with contextlib.suppress(OSError):
        for other in path.parent.glob(f".{_escaped(path.name)}.*.new"):
            if other.samefile(path):
                other.unlink()


def sweep(path: Path) -> None:
    """Delete what killed processes left behind more than a day ago."""
    now = SystemClock().now().timestamp()  # the machine's own, as file times are
    with contextlib.suppress(OSError):
        for left in path.parent.glob(f".{_escaped(path.name)}.*.new*"):
            if now - left.stat().st_mtime > LEFT_BEHIND_SECONDS:
                left.unlink(missing_ok=True)


def sidecar(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def is_filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _escaped(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)
