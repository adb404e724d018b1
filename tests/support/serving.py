"""A client of the server that sends exactly what it is given."""

from __future__ import annotations

import http.client
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import Implementation

ME = Implementation(name="claude-code", version="2.0")


@dataclass
class Response:
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

    def say(self, method: str, path: str, body: Any = None, **headers: str | None) -> Response:
        """A body that is not bytes goes as JSON; a header of None is left out."""
        sent: dict[str, Any] = {"Authorization": f"Bearer {self.token}", **self.headers}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            content = body if body is None or isinstance(body, bytes) else json.dumps(body)
            connection.request(method, path, content, {name: each for name, each in sent.items() if each is not None})
            response = connection.getresponse()
            return Response(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def api(self, method: str, path: str, body: Any = None, **headers: str | None) -> Response:
        return self.say(method, f"/api/v1{path}", body, **headers)


@asynccontextmanager
async def over_http(server: Any, token: str, mode: str) -> AsyncIterator[mcp.Client]:
    """A client of the MCP SDK, connected to the server."""
    async with (
        create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
        mcp.Client(streamable_http_client(f"{server.url}/mcp", http_client=http), mode=mode, client_info=ME) as client,
    ):
        yield client
