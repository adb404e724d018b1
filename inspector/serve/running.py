"""Which server serves which store: a note in the user's data folder, for the hook. Light to import.

A note counts only while its server holds the lock on it: a killed server leaves its note, and another process that then
uses its port must not get a token.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from core import folders, safe_files
from core.errors import UserError


def running(store: Path) -> str | None:
    """Return the address of a server that serves this store now."""
    found = note(store)
    return None if found is None else found["url"]


def note(store: Path) -> dict[str, str] | None:
    """Return the note of a server that serves this store now: its address, and the secret of `relay.py`."""
    for path in sorted(_folder().glob(f"{_name_of(store)}-*.json")):
        with (
            contextlib.suppress(OSError, UserError, ValueError, KeyError, TypeError),
            safe_files.holding(path, make=False) as file,
        ):
            if not _may_be_locked(file):
                written = json.load(file)
                return {"url": str(written["url"]), "secret": str(written.get("secret", ""))}
            path.unlink()
    return None


@contextlib.contextmanager
def announced(store: Path, url: str, secret: str = "") -> Iterator[None]:
    """Write the note, and remove it at the end."""
    _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    path = _folder() / f"{_name_of(store)}-{os.getpid()}-{url.rpartition(':')[2]}.json"
    with safe_files.holding(path) as file:
        _may_be_locked(file)
        file.truncate()
        file.write(json.dumps({"url": url, "secret": secret}).encode())
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


if sys.platform == "win32":  # no such locks: no note counts there, and the hook opens the store itself

    def _may_be_locked(file: IO[bytes]) -> bool:
        return True

else:
    import fcntl

    def _may_be_locked(file: IO[bytes]) -> bool:
        """Takes the lock if it is free."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def _folder() -> Path:
    return folders.data() / "servers"


def _name_of(store: Path) -> str:
    return hashlib.sha256(str(store.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
