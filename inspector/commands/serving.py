"""The server for agents: serve, token, connect."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core import folders
from core.errors import CannotOpen, UserError
from core.services.recorder import Retention
from core.services.workspace import Workspace
from inspector import connections, program
from inspector.cli import OK
from inspector.commands import terminal

if TYPE_CHECKING:
    from inspector.serve.app import Serving


def serve(options: argparse.Namespace) -> int:
    from inspector.serve import app

    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", force=True
    )
    for noisy in ("mcp", "httpx", "uvicorn"):  # theirs may hold what a memory says, or a session's id
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    program.settle()
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

    serving.tools()  # a wrong name is said before a store is made
    scopes = tokens.scopes_of(options.scope) if options.scope else tokens.DEFAULT_SCOPES
    with opened_or_made(options) as workspace:
        app.serve_stdio(workspace, serving, scopes)


def _listen(options: argparse.Namespace, serving: Serving) -> None:
    from inspector.serve import app, tokens

    if options.scope:
        raise UserError(
            "--scope goes with --stdio; over HTTP each token has its own, as `memory-inspector token add` gives them."
        )
    tokens.Tokens().check()
    with serving.bind() as bound, opened_or_made(options) as workspace:
        server = app.HttpServer(workspace, serving, bound)
        place = workspace.store.path
        told = f"Serving {place} at {server.url}: MCP at /mcp, REST at /api/v1. `memory-inspector connect` tells how."
        shape = {"url": server.url, "mcp": f"{server.url}/mcp", "store": str(place), "pid": os.getpid()}
        terminal.show(options, shape, told)
        sys.stdout.flush()
        if options.tethered:
            threading.Thread(target=_stop_at_the_end_of_input, args=(server.stop,), daemon=True).start()
        server.run()


def _stop_at_the_end_of_input(stop: Callable[[], None]) -> None:
    """Its end is closed by whoever started us, and by the system when that program is gone, however it ended."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    stop()


def opened_or_made(options: argparse.Namespace) -> Workspace:
    """The store that is meant; the user's own is made if there is none yet, so that an agent can start with nothing."""
    path = terminal.store_path(options)
    if not path.exists() and getattr(options, "db", None) is None and not getattr(options, "sample", False):
        try:
            Workspace.create_filled(path, lambda _: None)
        except CannotOpen:
            if not path.exists():  # else another client has just made it
                raise
    return terminal.open_workspace(options)


def token_show(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens

    token = Tokens().find(options.name)
    terminal.show(options, {"name": token.name, "token": token.secret, "scopes": sorted(token.scopes)}, token.secret)
    return OK


def token_list(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens

    known = Tokens().all()
    lines = [f"{token.name:<20} {', '.join(sorted(token.scopes))}" for token in known]
    shape = {"tokens": [{"name": token.name, "scopes": sorted(token.scopes)} for token in known]}
    terminal.show(options, shape, "\n".join(lines))
    return OK


def token_add(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens, scopes_of

    token = Tokens().add(options.name, scopes_of(options.scope or ["read"]))
    terminal.show(options, {"name": token.name, "token": token.secret, "scopes": sorted(token.scopes)}, token.secret)
    return OK


def token_change(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens, scopes_of

    if not options.scope:
        raise UserError("Name what the token may do, such as --scope read,write,curate.")
    token = Tokens().change(options.name, scopes_of(options.scope))
    told = f"The token {token.name} opens {', '.join(sorted(token.scopes))} from now on."
    terminal.show(options, {"name": token.name, "scopes": sorted(token.scopes)}, told)
    return OK


def token_rotate(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens

    token = Tokens().rotate(options.name)
    terminal.show(options, {"name": token.name, "token": token.secret, "scopes": sorted(token.scopes)}, token.secret)
    return OK


def token_remove(options: argparse.Namespace) -> int:
    from inspector.serve.tokens import Tokens

    Tokens().remove(options.name)
    terminal.show(options, {"removed": options.name}, f"The token {options.name} is refused from now on.")
    return OK


def connect(options: argparse.Namespace) -> int:
    """Print, or merge into its file, what a client needs to know."""
    client = connections.client(options.client)
    way = connections.Way(
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
        raise UserError(f"{client.title} starts its servers itself; leave --url out.")
    entry = connections.entry(client, way)
    text = connections.written(client, entry)
    if not options.write:
        where = client.path(Path.cwd())
        told = f"{text.rstrip()}\n\nThis goes into {where}; --write merges it there." if where else text.rstrip()
        terminal.show(options, {"client": client.name, "file": str(where or ""), "config": entry}, told)
        return OK
    path = connections.merge(client, entry, Path.cwd())
    terminal.show(options, {"client": client.name, "file": str(path)}, f"{client.title} is told in {path}.")
    return OK
