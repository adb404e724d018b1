"""A real server on a port of its own, and a client that says exactly what it is told."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.changes import PERSON
from core.services import remember
from core.services.workspace import Workspace
from inspector.serve.app import HttpServer, Serving
from inspector.serve.tokens import DEFAULT, Tokens


@dataclass
class Said:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def shape(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    """HTTP to one server with one token."""

    port: int
    token: str
    headers: dict[str, str] = field(default_factory=dict)

    def say(self, method: str, path: str, body: Any = None, **headers: str | None) -> Said:
        """A body that is not bytes goes as JSON; a header of None is left out."""
        told: dict[str, Any] = {"Authorization": f"Bearer {self.token}", **self.headers}
        if body is not None:
            told["Content-Type"] = "application/json"
        told.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            content = body if body is None or isinstance(body, bytes) else json.dumps(body)
            connection.request(method, path, content, {name: each for name, each in told.items() if each is not None})
            response = connection.getresponse()
            return Said(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def api(self, method: str, path: str, body: Any = None, **headers: str | None) -> Said:
        return self.say(method, f"/api/v1{path}", body, **headers)


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
    return Client(server.port, Tokens().find(DEFAULT).secret)
