"""A real server on a port of its own, and a client for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import Client

from core.changes import PERSON
from core.services import remember
from core.services.workspace import Workspace
from inspector.serve.app import HttpServer, Serving
from inspector.serve.tokens import DEFAULT, EVERY_SCOPE, Tokens


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    """Ids 1 to 4, of which 1 and 2 contradict each other."""
    for content in (
        "The pool has 10 connections",
        "The pool has 25 connections",
        "Deploys happen on Tuesdays",
        "The on-call phone lives in the blue drawer",
    ):
        remember.remember(workspace, {"content": content}, actor=PERSON)
    return workspace


@pytest.fixture
def server(filled: Workspace) -> Iterator[HttpServer]:
    made = HttpServer(filled, Serving(port=0, compat="reference"))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def client(server: HttpServer) -> Client:
    """With every scope; a token that is made by itself may only read and write."""
    return Client(server.port, Tokens().change(DEFAULT, EVERY_SCOPE).secret)
