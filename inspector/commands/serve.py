"""The command --serve: over HTTP, in one process or several, or over standard input."""

from __future__ import annotations

import argparse
import contextlib
import functools
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from core.errors import CannotOpen, UserError
from inspector import program
from inspector.cli import OK
from inspector.commands import terminal

if TYPE_CHECKING:
    import socket

    from core.services.workspace import Workspace
    from inspector.serve.app import HttpServer, Serving
    from inspector.serve.workers import Worker


def serve(options: argparse.Namespace) -> int:
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", force=True
    )
    for noisy in ("mcp", "httpx", "uvicorn"):  # their messages may contain a memory's text or a session's id
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    program.limit_garbage_collection()
    given = {
        "host": options.host,
        "port": terminal.number(options.port, "--port"),
        "allow_remote": options.allow_remote,
        "compat": options.compat or "",
        "workers": terminal.count(options.workers, "--workers"),
    }
    kept = {
        "calls": terminal.count(options.keep_calls, "--keep-calls"),
        "days": terminal.count(options.keep_days, "--keep-days", most_digits=5),
    }

    def serving() -> Serving:
        from core.services.recorder import Retention
        from inspector.serve.app import Serving

        return Serving(**given, retention=Retention(**kept))

    if options.stdio:
        _speak(options, serving)
    else:
        _listen(options, serving())
    # A call that was given up may still hold a thread; what it had to write is written, so do not wait for it.
    logging.shutdown()
    os._exit(OK)


def _speak(options: argparse.Namespace, serving: Callable[[], Serving]) -> None:
    """Serve a session over standard input. Only what answers its opening is imported here."""
    from inspector.serve import stdio, tokens
    from inspector.serve.handshake import Handshake

    scopes = tokens.scopes_of(options.scope) if options.scope else tokens.DEFAULT_SCOPES
    cap = terminal.max_confidence(options)
    handshake = Handshake(options.compat or "", scopes)  # a wrong name is refused before a store is created
    if not terminal.store_path(options).exists():
        open_or_create(options).close()  # refused now, or made for the first time

    def load(server: stdio.StdioServer) -> None:
        from inspector.serve import app

        with open_or_create(options) as workspace:
            app.load_stdio(workspace, serving(), scopes, 1.0 if cap is None else cap, server)

    stdio.run(handshake, load)


def _listen(options: argparse.Namespace, serving: Serving) -> None:
    from inspector.serve import app, tokens

    for name, given in (("--scope", options.scope), ("--max-confidence", options.max_confidence)):
        if given:
            raise UserError(
                f"{name} goes with --stdio; over HTTP each token has its own, as `memory-inspector token add` gives"
                " them."
            )
    tokens.Tokens().check()
    with serving.bind() as bound:
        if serving.workers > 1:
            _listen_with_workers(options, serving, bound)
            return
        with open_or_create(options) as workspace:
            server = app.HttpServer(workspace, serving, bound)
            _say_where(options, server)
            if options.tethered:
                threading.Thread(target=_at_the_end_of_input, args=(server.stop,), daemon=True).start()
            server.run()


def _listen_with_workers(options: argparse.Namespace, serving: Serving, bound: socket.socket) -> None:
    """Start the workers and wait for a signal. Neither a store nor a thread that matters is open in the process that
    they are made of."""
    from inspector.serve import app, mcp  # noqa: F401  # loading MCP takes a second, so once for all workers
    from inspector.serve.workers import Workers

    def serve_one(worker: Worker) -> None:
        with terminal.open_workspace(options) as workspace:
            app.HttpServer(workspace, serving, bound, worker).run()

    with open_or_create(options) as workspace:  # refused, and the tokens made, before a worker is started
        _say_where(options, app.HttpServer(workspace, serving, bound))
    if options.tethered:
        stop = functools.partial(os.kill, os.getpid(), signal.SIGTERM)
        threading.Thread(target=_at_the_end_of_input, args=(stop,), daemon=True).start()
    Workers(serving.workers, serve_one).run()
    with terminal.open_workspace(options, read_only=True) as workspace:
        app.log_metrics(workspace)


def _say_where(options: argparse.Namespace, server: HttpServer) -> None:
    place = server.workspace.store.location
    where = f"{server.url}: MCP at /mcp, REST at /api/v1"
    details = f"Serving {place} at {where}. `memory-inspector connect` shows how to connect."
    shape = {"url": server.url, "mcp": f"{server.url}/mcp", "store": str(place), "pid": os.getpid()}
    terminal.show(options, shape, details)
    sys.stdout.flush()


def _at_the_end_of_input(stop: Callable[[], None]) -> None:
    """Stop the server when the parent process closes its end, or is gone."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    stop()


def open_or_create(options: argparse.Namespace) -> Workspace:
    """Open the store; the user's own is created if there is none, so that an agent can start with nothing."""
    from core.services.workspace import Workspace

    path = terminal.store_path(options)
    if not path.exists() and getattr(options, "db", None) is None and not getattr(options, "sample", False):
        try:
            Workspace.create_filled(path, lambda _: None)
        except CannotOpen:
            if not path.exists():  # else another client has just made it
                raise
    return terminal.open_workspace(options)
