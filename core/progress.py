"""Progress and cancellation of long work."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import UserError

# Called with the name of the work, the amount done and the total (0: unknown).
# It may raise Cancelled; the work then stops where it can be resumed.
Progress = Callable[[str, int, int], None]


class Cancelled(UserError):
    """The user cancelled long work."""


def silent(what: str, done: int, total: int) -> None:
    """Ignore the progress."""
