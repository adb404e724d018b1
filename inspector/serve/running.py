"""Which server serves which store: a note in the user's data folder, for the hook to find. Light to import."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from core import folders


def running(store: Path) -> str | None:
    """The address of a server that said it serves this store; it may have died since."""
    try:
        return str(json.loads(_note_of(store).read_text("utf-8"))["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextlib.contextmanager
def announced(store: Path, url: str) -> Iterator[None]:
    """Say so for as long as it serves."""
    note = _note_of(store)
    note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    note.write_text(json.dumps({"url": url, "pid": os.getpid()}), "utf-8")
    try:
        yield
    finally:
        if running(store) == url:
            note.unlink(missing_ok=True)


def _note_of(store: Path) -> Path:
    name = hashlib.sha256(str(store.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return folders.data() / "servers" / f"{name}.json"
