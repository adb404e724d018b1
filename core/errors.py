"""Errors with a text for the user; every other exception is a bug."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class UserError(Exception):
    """An error that the user can correct. Its text is one clear sentence, shown as it is."""


def suggestion(given: str, known: Iterable[str]) -> str:
    """Return the known name closest to a mistyped one, as words for the sentence; empty if none is close."""
    import difflib

    names = {name.lower(): name for name in known}
    near = difflib.get_close_matches(given.lower()[:60], names, n=1)
    return f" (perhaps {names[near[0]]}?)" if near else ""


class Fault(StrEnum):
    """Why a store cannot be opened; a front-end chooses by it what to offer."""

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
    """The store cannot be opened; nothing in it was changed."""

    def __init__(self, fault: Fault, sentence: str) -> None:
        super().__init__(sentence)
        self.fault = fault


class ReadOnly(UserError):
    """A write to a store that was opened read-only."""


class NoSpace(UserError):
    """The disk is full; nothing of the change was stored."""


class Unavailable(UserError):
    """One source of an answer is unavailable; the others answer, and the answer says so."""


class StaleEdit(UserError):
    """The row has changed since the caller read it."""


class NeedsPerson(UserError):
    """The change needs the decision of a person; nothing was changed."""


class NotFound(UserError):
    """What was named does not exist."""
