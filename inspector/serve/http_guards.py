"""The checks every HTTP request passes before it is handled: Host, Origin, token, size and time. Pure ASGI, around MCP
and REST alike."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import anyio
from starlette.responses import JSONResponse

from core.errors import UserError
from inspector.serve import messages
from inspector.serve.tokens import Tokens

log = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

MAX_BYTES = 1 << 20
BODY_SECONDS = 10.0
RELAY_PATH = "/relay"  # for other processes of this user, which know the secret of this server
OPEN_PATHS = ("/health", "/ready")  # say only that the server is there, and what of it works


def problem(status: int, sentence: str, **headers: str) -> JSONResponse:
    """Return an error response as RFC 9457 defines it."""
    shape = {"type": "about:blank", "title": _TITLES.get(status, "Refused"), "status": status, "detail": sentence}
    return JSONResponse(shape, status, headers=headers or None, media_type="application/problem+json")


_TITLES = {
    400: "Bad request", 401: "No token", 403: "Not allowed", 404: "Not found", 405: "Method not allowed",
    408: "Too slow",
    409: "Changed meanwhile", 412: "Changed meanwhile", 413: "Too large", 414: "Too long", 415: "Not JSON",
    421: "Not this host", 422: "Cannot be done", 431: "Too long", 500: "Internal error", 503: "Service unavailable",
    507: "No space",
}  # fmt: skip


class HttpGuards:
    """Checks Host, Origin, Sec-Fetch-Site, token and body, in this order, cheapest first."""

    def __init__(
        self, app: App, *, hosts: frozenset[str], tokens: Tokens, secret: str, is_wildcard: bool = False
    ) -> None:
        self.app = app
        self.secret = secret
        self.is_wildcard = is_wildcard
        self.hosts = hosts
        self.tokens = tokens

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            answer = self._refused(scope, headers)
        except UserError as error:  # the tokens cannot be read
            log.error("%s", error)
            answer = problem(503, "The server cannot read its tokens; its log says more.")
        if answer is None and scope["method"] in ("POST", "PUT", "PATCH"):
            body = await self._body(headers, receive)
            if isinstance(body, JSONResponse):
                answer = body
            else:
                scope.setdefault("state", {})["body"] = json.loads(body) if body else {}
                receive = _replayed(body, receive)
        await (answer or self.app)(scope, receive, send)

    def _refused(self, scope: Message, headers: dict[str, str]) -> JSONResponse | None:
        # A page that rebinds its name to 127.0.0.1 still says that name here.
        hosts = self.hosts | self._own_address(scope)
        if headers.get("host", "").lower() not in hosts:
            return problem(421, "This server does not answer for that host.")
        if "origin" in headers and headers["origin"].lower() not in {f"http://{host}" for host in hosts}:
            return problem(403, "A page of another origin may not call this server.")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return problem(403, "A page of another site may not call this server.")
        if scope["path"] in OPEN_PATHS:
            return None
        kind, _, secret = headers.get("authorization", "").partition(" ")
        if scope["path"] == RELAY_PATH and hmac.compare_digest(secret.encode("utf-8", "replace"), self.secret.encode()):
            return None
        is_token = kind.lower() == "bearer" and scope["path"] != RELAY_PATH
        token = self.tokens.holder(secret.strip()) if is_token else None
        if token is None:
            return problem(
                401,
                "A token is needed in the Authorization header; the person who runs this server has it.",
                **{"WWW-Authenticate": "Bearer"},
            )
        scope.setdefault("state", {})["token"] = token
        return None

    def _own_address(self, scope: Message) -> frozenset[str]:
        """Return the address this request came to, where the server listens at every address."""
        if not self.is_wildcard or not scope.get("server"):
            return frozenset()
        host, port = scope["server"]
        return frozenset((f"[{host}]:{port}" if ":" in host else f"{host}:{port}",))

    async def _body(self, headers: dict[str, str], receive: Receive) -> bytes | JSONResponse:
        """Return the whole body, read within its time and size and checked to be JSON of limited depth, or an error
        response."""
        body = bytearray()
        with anyio.move_on_after(BODY_SECONDS) as late:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return problem(400, "The request ended before its body.")
                body += message.get("body", b"")
                if len(body) > MAX_BYTES:
                    return problem(413, f"A body may hold {MAX_BYTES:,} bytes at most.")
                if not message.get("more_body"):
                    break
        if late.cancelled_caught:
            return problem(408, "The body took too long to arrive.", Connection="close")
        if not body:
            return b""
        # A text/plain POST needs no preflight, so any page could send one.
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return problem(415, "A body must be JSON and say so: Content-Type: application/json.")
        try:
            if not isinstance(json.loads(body), dict):
                return problem(400, "The body must be one JSON object.")
        except RecursionError:
            return problem(400, f"The body is nested more than {messages.MAX_NESTING} levels deep.")
        except (ValueError, UnicodeDecodeError):
            return problem(400, "The body is not JSON.")
        return bytes(body)


class ErrorResponses:
    """Answers requests that are cancelled at shutdown with a sentence instead of a bare 500."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except asyncio.CancelledError:
            if scope["type"] != "http" or started:
                raise
            await problem(503, "The server is stopping.")(scope, receive, send)


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_told = False

    async def replay() -> Message:
        nonlocal is_told
        if is_told:
            return await receive()
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
