"""The commands connect and token."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import folders
from core.errors import UserError
from core.services.workspace import Workspace
from inspector import connections, program
from inspector.cli import OK
from inspector.commands import terminal

if TYPE_CHECKING:
    from inspector.serve.tokens import Token


def _described(token: Token) -> dict[str, Any]:
    return {"name": token.name, "scopes": sorted(token.scopes), "max_confidence": token.max_confidence}


def _opens(token: Token) -> str:
    cap = f", confidence at most {token.max_confidence:g}" if token.max_confidence < 1 else ""
    return ", ".join(sorted(token.scopes)) + cap


def token_show(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens

    token = Tokens().find(options.name)
    terminal.show(options, {**_described(token), "token": token.secret}, token.secret)
    return OK


def token_list(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens

    known = Tokens().all()
    lines = [f"{token.name:<20} {_opens(token)}" for token in known]
    terminal.show(options, {"tokens": [_described(token) for token in known]}, "\n".join(lines))
    return OK


def token_add(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens, scopes_of

    cap = terminal.max_confidence(options)
    token = Tokens().add(options.name, scopes_of(options.scope or ["read"]), 1.0 if cap is None else cap)
    terminal.show(options, {**_described(token), "token": token.secret}, token.secret)
    return OK


def token_change(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens, scopes_of

    cap = terminal.max_confidence(options)
    if not options.scope and cap is None:
        raise UserError("Give what to change, such as --scope read,write,curate or --max-confidence 0.7.")
    token = Tokens().change(options.name, scopes_of(options.scope) if options.scope else None, cap)
    terminal.show(options, _described(token), f"The token {token.name} now allows {_opens(token)}.")
    return OK


def token_rotate(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens

    token = Tokens().rotate(options.name)
    terminal.show(options, {**_described(token), "token": token.secret}, token.secret)
    return OK


def token_remove(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens

    Tokens().remove(options.name)
    terminal.show(options, {"removed": options.name}, f"The token {options.name} is refused from now on.")
    return OK


def connect(options: argparse.Namespace) -> int:
    """Print a client's configuration, or merge it into the client's file."""
    client = connections.client(options.client)
    way = connections.ConnectionMethod(
        program=program.command(),
        store=None if terminal.store_path(options) == folders.default_store() else str(terminal.store_path(options)),
        url=options.url,
        compat=options.compat or "",
        curate=options.curate,
    )
    if options.curate and options.url is not None:
        raise UserError("Over HTTP the token says it: `memory-inspector token change --scope read,write,curate`.")
    if options.compat not in (None, "reference"):
        raise UserError(f"--compat must be reference, not {options.compat[:40]!r}.")
    if options.url is not None and not options.url.startswith(("http://", "https://")):
        raise UserError("--url is the address of a running server, such as http://127.0.0.1:7823/mcp.")
    if options.url is not None and not client.speaks_http:
        raise UserError(f"{client.title} starts its servers itself; omit --url.")
    entry = connections.entry(client, way)
    text = connections.written(client, entry)
    is_missing = way.store is not None and way.url is None and not Path(way.store).exists()
    if not options.write:
        where = client.path(Path.cwd())
        details = f"{text.rstrip()}\n\nThis goes into {where}; --write merges it there." if where else text.rstrip()
        if is_missing:
            details += f"\nThere is no store yet; {'--write' if where else '`memory-inspector init`'} makes it."
        terminal.show(options, {"client": client.name, "file": str(where or ""), "config": entry}, details)
        return OK
    if client.path(Path.cwd()) is not None and is_missing:
        _make_store(options)  # or the client would start a server that refuses to serve what is not there
    path = connections.merge(client, entry, Path.cwd())
    made = f" Made the store {way.store}." if is_missing else ""
    shape = {"client": client.name, "file": str(path), "made": way.store if is_missing else None}
    terminal.show(options, shape, f"Configured {client.title} in {path}.{made}")
    return OK


def _make_store(options: argparse.Namespace) -> None:
    path = terminal.store_path(options)
    if getattr(options, "sample", False):
        terminal.open_workspace(options, read_only=True).close()
    else:
        Workspace.create_filled(path, lambda _: None)
