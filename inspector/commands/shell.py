"""completion, man."""

from __future__ import annotations

import argparse

from core.errors import UserError
from inspector import completion as scripts
from inspector import connections, manual, program
from inspector.cli import OK
from inspector.commands import terminal


def completion(options: argparse.Namespace) -> int:
    if options.shell not in scripts.SHELLS:
        raise UserError(f"There is completion for {', '.join(scripts.SHELLS)}, not for {options.shell[:40]!r}.")
    script = scripts.SHELLS[options.shell](_offers())
    terminal.show(options, {"shell": options.shell, "script": script}, script.rstrip())
    return OK


def man(options: argparse.Namespace) -> int:
    page = manual.page(program.version())
    terminal.show(options, {"page": page}, page.rstrip())
    return OK


def _offers() -> dict[str, tuple[str, ...]]:
    """The words that can stand for a placeholder, each from the place that knows them."""
    from core.model import Status
    from core.services import exchange, models, profiles
    from core.services.contradictions import Resolution
    from inspector.serve.tokens import Scope

    return {
        "PROFILE": tuple(profile.name for profile in profiles.published()),
        "MODEL": tuple(offer.model.name for offer in models.offers()),
        "STATUS": tuple(Status),
        "FORMAT": exchange.FORMATS,
        "VERDICT": tuple(Resolution),
        "CLIENT": tuple(client.name for client in connections.CLIENTS),
        "SCOPE": tuple(Scope),
        "COMPAT": ("reference",),
        "SHELL": tuple(scripts.SHELLS),
    }
