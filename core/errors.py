"""The one kind of error that is the user's to read; every other exception is a bug and surfaces as one."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class UserError(Exception):
    """Something the user can mend. Its text is one clear sentence, shown as it is."""


def suggestion(given: str, known: Iterable[str]) -> str:
    """Return the known name that comes nearest to a mistyped one, as words to put into the sentence; empty if none is
    near."""
    import difflib

    names = {name.lower(): name for name in known}
    near = difflib.get_close_matches(given.lower()[:60], names, n=1)
    return f" (perhaps {names[near[0]]}?)" if near else ""


class Fault(StrEnum):
    """Why a store cannot be opened, so that a front-end can offer what fits."""

    MISSING = "missing"
    EXISTS = "exists"
    NOT_A_FILE = "not_a_file"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    NOT_A_DATABASE = "not_a_database"
    PICTURE = "picture"
    FOREIGN = "foreign"
    UNREADABLE = "unreadable"
    UNWRITABLE_FOLDER = "unwritable_folder"
    HARD_LINKED = "hard_linked"
    LOCKED = "locked"
    NEWER = "newer"
    OLDER = "older"
    CORRUPT = "corrupt"
    REPLACED = "replaced"


class CannotOpen(UserError):
    """The store at a path cannot be used; nothing in it was changed."""

    def __init__(self, fault: Fault, sentence: str) -> None:
        super().__init__(sentence)
        self.fault = fault


class ReadOnly(UserError):
    """A write was asked of a store that was opened for reading only."""


class NoSpace(UserError):
    """The disk is full; nothing of the change was kept."""


class Unavailable(UserError):
    """One source of an answer is down; the others go on, and the answer says so."""


class StaleEdit(UserError):
    """The row has moved on since the caller read it."""


class NeedsPerson(UserError):
    """The change is a person's to decide on; nothing was changed."""


class NotFound(UserError):
    """What was named does not exist."""
