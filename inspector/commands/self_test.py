"""`--self-test`: checks that this installation works.

It creates the sample in a temporary folder, queries it, draws a view, and serves one call to a real client over
loopback. The user's stores, settings and tokens are not touched; only the embedding model is taken from the user's
cache.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.services import query
from core.services.workspace import Workspace
from inspector import program, sample
from inspector.cli import CHECK_FAILED, OK
from inspector.commands import desktop, terminal

QUESTION = "why do migrations hang?"


def self_test(options: argparse.Namespace) -> int:
    """Print one line for each check; return 1 when one of them fails."""
    outcomes: list[dict[str, Any]] = []
    with _temporary_home() as home:
        store = home / "sample.db"
        for what, proof in PROOFS.items():
            try:
                outcomes.append({"proof": what, "ok": True, "found": proof(store)})
            except Exception as error:  # any error is a failed check
                outcomes.append({"proof": what, "ok": False, "found": f"{type(error).__name__}: {error}"})
    width = max(map(len, PROOFS))
    lines = [f"{'ok' if each['ok'] else 'FAILED':<6} {each['proof']:<{width}}  {each['found']}" for each in outcomes]
    is_sound = all(each["ok"] for each in outcomes)
    terminal.show(options, {"ok": is_sound, "version": program.version(), "proofs": outcomes}, "\n".join(lines))
    return OK if is_sound else CHECK_FAILED


@contextlib.contextmanager
def _temporary_home() -> Iterator[Path]:
    before = os.environ.get("MEMORY_INSPECTOR_HOME")
    with tempfile.TemporaryDirectory(prefix="memory-inspector-") as folder:
        os.environ["MEMORY_INSPECTOR_HOME"] = folder
        try:
            yield Path(folder)
        finally:
            del os.environ["MEMORY_INSPECTOR_HOME"]
            if before is not None:
                os.environ["MEMORY_INSPECTOR_HOME"] = before


def _store(store: Path) -> str:
    sample.create(store, terminal.progress())
    with Workspace.open(store) as workspace, workspace.store.read() as reader:
        return f"{reader.count()} memories in a new store"


def _recall(store: Path) -> str:
    with Workspace.open(store) as workspace:
        why_not = ""
        try:
            workspace.embeddings.load()
        except UserError as error:
            why_not = str(error)
        answer = query.ask(workspace, query.Question(text=QUESTION))
        if not answer.memories:
            raise UserError(f"nothing was found for {QUESTION!r}.")
        by = f"full text only: {why_not}" if why_not else f"by full text and vectors ({answer.query.space.model})"  # type: ignore[union-attr]
        return f"{len(answer.memories)} memories {by}"


def _view(store: Path) -> str:
    desktop.draw_without_a_screen()
    from inspector.gui import app, tour
    from inspector.gui.settings import Settings

    app.application()
    window = app.window(Settings(store.with_name("desktop.ini")), with_model=False)
    colours = tour.colours_of_browse(window, store)
    was_opened = window.store.is_open
    window.close()
    if not was_opened:
        raise UserError("the window could not open the store.")
    if colours < 10:
        raise UserError(f"the picture of Browse holds only {colours} colours.")
    return f"Browse drawn in {colours:,} colours"


def _call(store: Path) -> str:
    import anyio

    from inspector.serve import app
    from inspector.serve.tokens import Tokens

    with Workspace.open(store) as workspace:
        server = app.HttpServer(workspace, app.Serving(port=0))
        server.start()
        try:
            return anyio.run(_ask_over_mcp, f"{server.url}/mcp", Tokens().find("default").secret)
        finally:
            server.stop()


async def _ask_over_mcp(url: str, token: str) -> str:
    import httpx2  # comes with mcp
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        answer = await client.call_tool("memory_recall", {"query": QUESTION, "k": 3})
    if answer.is_error or not answer.structured_content:
        raise UserError(f"memory_recall answered {answer.content}.")
    return f"memory_recall returned {len(answer.structured_content['results'])} memories over MCP at {url}"


PROOFS: dict[str, Callable[[Path], str]] = {"store": _store, "recall": _recall, "view": _view, "server": _call}
