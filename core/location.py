"""Where a store is: the path of a file, or later a URL whose scheme names another engine."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from core.errors import CannotOpen, Fault

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # two characters at least: C:/ is a drive


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """The place of a store as the user names it. `scheme` is empty for a file."""

    named: str

    def __str__(self) -> str:
        """Return the path, or only the scheme of a URL, which may hold a password."""
        return f"{self.scheme}://…" if self.scheme else self.named

    @property
    def scheme(self) -> str:
        found = _SCHEME.match(self.named)
        return found[1].lower() if found else ""

    @property
    def file(self) -> str:
        """The path of the file as it is named; CannotOpen for a URL."""
        if self.scheme:
            sentence = f"A store at {self} cannot be opened: only files can be opened by this version."
            raise CannotOpen(Fault.NOT_A_FILE, sentence)
        return self.named

    @property
    def path(self) -> Path:
        """The path of the file; CannotOpen for a URL."""
        return Path(self.file)


def command(store: Path | StoreLocation, words: str) -> str:
    """Return the command line that runs a command on this store."""
    return f"memory-inspector --db {shlex.quote(str(store))} {words}"
