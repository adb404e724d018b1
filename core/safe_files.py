"""The only way to write a file: completely or not at all, private if it is new, and never through a symbolic link.

A link in place of a file may come from others (a cloned repository, a shared folder) and lead to any file of the user.
So a target that is a link, or anything but a plain file, is refused with a sentence; a caller that trusts a link
resolves it first. A file is written under a random name in the same folder, created with O_EXCL and O_NOFOLLOW, synced
before it is renamed, and deleted if writing fails.

Errors of the system stay OSError: the caller names the file in a sentence.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.errors import UserError

PRIVATE = 0o600
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` at the end of the block, with the mode of the replaced file."""
    old = refuse_unless_plain(path)
    with _on_its_way(path) as (own, file):
        if old is not None:
            _take_over_owner_and_mode(file.fileno(), own, old)
        yield file
        _sync(file)
        own.replace(path)
        sync_folder(path.parent)


@contextmanager
def creating(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that gets the name `path` at the end of the block; FileExistsError if anything is there."""
    with _on_its_way(path) as (own, file):
        yield file
        _sync(file)
        name_new(own, path)


def replace(path: Path, content: bytes | str) -> None:
    """Write a file in place of `path`; text as UTF-8, with unchanged line ends."""
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def create(path: Path, content: bytes | Iterable[str]) -> None:
    """Write a new file; FileExistsError if anything is there."""
    with creating(path) as file:
        for part in (content,) if isinstance(content, bytes) else content:
            file.write(part.encode() if isinstance(part, str) else part)


def create_empty(path: Path) -> None:
    """Create an empty file for a writer that opens it by name."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK, PRIVATE))


@contextmanager
def appending(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to append to, created if there is none; not synced."""
    with _opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, "ab") as file:
        yield file


@contextmanager
def reading(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Open a plain file to read, with its size; UserError for a pipe or a device, which may never end."""

    def without_waiting(name: str, flags: int) -> int:  # opening a pipe waits for a writer
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    with open(path, "rb", opener=without_waiting) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise UserError(f"{path} is not a plain file, so nothing was read of it.")
        yield file, found.st_size


@contextmanager
def holding(path: Path, *, make: bool = True) -> Iterator[IO[bytes]]:
    """Open a file to lock, read and write; its content stays."""
    with _opened(path, os.O_RDWR | (os.O_CREAT if make else 0), "r+b") as file:
        yield file


def truncate(path: Path, size: int) -> None:
    """Truncate a file to `size` bytes."""
    with _opened(path, os.O_RDWR, "r+b") as file:
        file.truncate(size)


def name(own: Path, path: Path) -> None:
    """Rename a complete file to `path`, which may be a plain file or nothing."""
    refuse_unless_plain(path)
    own.replace(path)
    sync_folder(path.parent)


def name_new(own: Path, path: Path) -> None:
    """Rename a complete file to `path`; FileExistsError if anything is there, even a broken link."""
    try:
        os.link(own, path)
    except FileExistsError:
        raise
    except OSError as error:  # a file system without hard links
        if os.path.lexists(path):
            raise FileExistsError(path) from error
        own.rename(path)
    sync_folder(path.parent)


def random_name(path: Path, ending: str = ".new") -> Path:
    """Return an unpredictable name in the same folder."""
    return path.with_name(f".{path.name[:200]}.{secrets.token_hex(8)}{ending}")


def refuse_unless_plain(path: Path) -> os.stat_result | None:
    """Return the state of a plain file; None if nothing is there, UserError for a link and for anything else."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise UserError(f"{path} is a symbolic link to {path.readlink()}; nothing was written through it.")
    if not stat.S_ISREG(found.st_mode):
        raise UserError(f"{path} is not a plain file, so nothing was written to it.")
    return found


def refuse_links_below(folder: Path, path: Path) -> None:
    """Raise UserError if any part of a path below `folder` is a symbolic link, whose target the folder's owner
    chose."""
    place = folder
    for part in path.relative_to(folder).parts:
        place = place / part
        if place.is_symlink():
            raise UserError(f"{place} is a symbolic link to {place.readlink()}; nothing was written through it.")


def sync_folder(folder: Path) -> None:
    """Make names survive a loss of power; not every system can."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


@contextmanager
def _on_its_way(path: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    own = random_name(path)
    number = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, PRIVATE)
    try:
        with os.fdopen(number, "wb") as file:
            yield own, file
    finally:
        own.unlink(missing_ok=True)  # renamed by now, or not wanted


@contextmanager
def _opened(path: Path, flags: int, mode: str) -> Iterator[IO[bytes]]:
    refuse_unless_plain(path)  # O_NOFOLLOW alone gives an error that few users understand
    with os.fdopen(os.open(path, flags | _NO_LINK, PRIVATE), mode) as file:
        yield file


def _sync(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _take_over_owner_and_mode(number: int, own: Path, old: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        with contextlib.suppress(PermissionError):  # only root may change an owner
            os.fchown(number, old.st_uid, old.st_gid)
    own.chmod(stat.S_IMODE(old.st_mode))
