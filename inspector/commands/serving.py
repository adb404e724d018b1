"""The commands --serve, connect and token."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import folders
from core.errors import CannotOpen, UserError
from core.services.recorder import Retention
from core.services.workspace import Workspace
from inspector import connections, program
from inspector.cli import OK
from inspector.commands import terminal

if TYPE_CHECKING:
    from inspector.serve.app import Serving
    from inspector.serve.tokens import Token


def serve(options: argparse.Namespace) -> int:
    from inspector.serve import app

    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", force=True
    )
    for noisy in ("mcp", "httpx", "uvicorn"):  # their messages may contain a memory's text or a session's id
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    program.limit_garbage_collection()
    serving = app.Serving(
        host=options.host,
        port=terminal.number(options.port, "--port"),
        allow_remote=options.allow_remote,
        compat=options.compat or "",
        retention=Retention(
            calls=terminal.count(options.keep_calls, "--keep-calls"),
            days=terminal.count(options.keep_days, "--keep-days", most_digits=5),
        ),
    )
    if options.stdio:
        _speak(options, serving)
    else:
        _listen(options, serving)
    # A call that was given up may still hold a thread; what it had to write is written, so do not wait for it.
    logging.shutdown()
    os._exit(OK)


def _speak(options: argparse.Namespace, serving: Serving) -> None:
    from inspector.serve import app, tokens

    serving.tools()  # a wrong name is refused before a store is created
    scopes = tokens.scopes_of(options.scope) if options.scope else tokens.DEFAULT_SCOPES
    cap = _max_confidence(options)
    with open_or_create(options) as workspace:
        app.serve_stdio(workspace, serving, scopes, 1.0 if cap is None else cap)


def _listen(options: argparse.Namespace, serving: Serving) -> None:
    from inspector.serve import app, tokens

    for name, given in (("--scope", options.scope), ("--max-confidence", options.max_confidence)):
        if given:
            raise UserError(
                f"{name} goes with --stdio; over HTTP each token has its own, as `memory-inspector token add` gives"
                " them."
            )
    tokens.Tokens().check()
    with serving.bind() as bound, open_or_create(options) as workspace:
        server = app.HttpServer(workspace, serving, bound)
        place = workspace.store.location
        where = f"{server.url}: MCP at /mcp, REST at /api/v1"
        details = f"Serving {place} at {where}. `memory-inspector connect` shows how to connect."
        shape = {"url": server.url, "mcp": f"{server.url}/mcp", "store": str(place), "pid": os.getpid()}
        terminal.show(options, shape, details)
        sys.stdout.flush()
        if options.tethered:
            threading.Thread(target=_stop_at_the_end_of_input, args=(server.stop,), daemon=True).start()
        server.run()


def _stop_at_the_end_of_input(stop: Callable[[], None]) -> None:
    """Stop the server when the parent process closes its end, or is gone."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    stop()


def open_or_create(options: argparse.Namespace) -> Workspace:
    """Open the store; the user's own is created if there is none, so that an agent can start with nothing."""
    path = terminal.store_path(options)
    if not path.exists() and getattr(options, "db", None) is None and not getattr(options, "sample", False):
        try:
            Workspace.create_filled(path, lambda _: None)
        except CannotOpen:
            if not path.exists():  # else another client has just made it
                raise
    return terminal.open_workspace(options)


def _max_confidence(options: argparse.Namespace) -> float | None:
    if options.max_confidence is None:
        return None
    cap = terminal.decimal(options.max_confidence, "--max-confidence")
    if not 0 <= cap <= 1:
        raise UserError(f"--max-confidence must be from 0 to 1, not {options.max_confidence[:20]}.")
    return cap


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

    cap = _max_confidence(options)
    token = Tokens().add(options.name, scopes_of(options.scope or ["read"]), 1.0 if cap is None else cap)
    terminal.show(options, {**_described(token), "token": token.secret}, token.secret)
    return OK


def token_change(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens, scopes_of

    cap = _max_confidence(options)
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
