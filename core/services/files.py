"""The user's files: written new, complete and private; errors as sentences."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core import safe_files
from core.errors import UserError


def refuse_what_is_there(path: Path) -> None:
    """Refuse a path where anything exists, even a broken symbolic link."""
    if os.path.lexists(path):
        raise UserError(f"{path} already exists; nothing was written, name another file.")


def write_new(path: Path, lines: Iterable[str]) -> None:
    """Write a new file completely or not at all."""
    refuse_what_is_there(path)
    with writable(path):
        safe_files.create(path, lines)


def read_lines(path: Path) -> list[str]:
    """Return lines with their ends unchanged: a quoted cell of a table may continue on the next line."""
    with readable(path), path.open(encoding="utf-8", newline="") as file:
        return file.readlines()


@contextmanager
def readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text.") from error


@contextmanager
def writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error
