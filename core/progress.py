"""Progress and cancellation of long work."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import UserError

# Called with what is being done, how much is done and how much there is in all (0: not known).
# It may raise Cancelled; the work then stops where it can be taken up again.
Progress = Callable[[str, int, int], None]


class Cancelled(UserError):
    """The user asked long work to stop."""


def silent(what: str, done: int, total: int) -> None:
    """For callers that do not watch."""
