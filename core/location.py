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
    """A store as the user names it. `scheme` is empty for a file."""

    named: str

    @property
    def scheme(self) -> str:
        found = _SCHEME.match(self.named)
        return found[1].lower() if found else ""

    @property
    def file(self) -> str:
        """The path of the file; CannotOpen for a URL. Only its scheme is shown, since a URL may hold a password."""
        if self.scheme:
            sentence = f"A store at {self.scheme}://… cannot be opened: only files can be opened by this version."
            raise CannotOpen(Fault.NOT_A_FILE, sentence)
        return self.named


def command(path: Path, words: str) -> str:
    """Return the command line that does something with this store."""
    return f"memory-inspector --db {shlex.quote(str(path))} {words}"
