"""The table of tools as REST: a route for each tool, a stream of changes, and Prometheus metrics."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Match, Route

from core.errors import UserError
from core.services import activity, audit
from core.services.audit import Metrics
from inspector import wire
from inspector.serve import openapi, relay
from inspector.serve.dispatcher import FAILED_INSIDE, Caller, CallRefused, Tool, ToolDispatcher, status_of
from inspector.serve.http_guards import RELAY_PATH, problem
from inspector.serve.tokens import Scope, Tokens

log = logging.getLogger(__name__)

PREFIX = "/api/v1"
LOOK_SECONDS = 0.5
MAX_STREAMS = 32
# Recalls are Python: more of them at once than this only take the interpreter from each other.
MAX_READS = 4

Handler = Callable[[Request], Awaitable[Response]]


def routes(
    dispatcher: ToolDispatcher, version: str, draining: asyncio.Event, tokens: Tokens, max_streams: int = MAX_STREAMS
) -> list[Route]:
    document = openapi.document(dispatcher.tools, version, PREFIX)
    streams = anyio.CapacityLimiter(max_streams)
    reads = anyio.CapacityLimiter(MAX_READS)

    async def describe(request: Request) -> Response:
        here = {"servers": [{"url": str(request.base_url).rstrip("/")}]}
        return JSONResponse({**document, **here})

    async def events(request: Request) -> Response:
        _needs(request, Scope.READ)
        if streams.available_tokens < 1:
            raise CallRefused(503, f"{max_streams} streams are open already.")
        last = request.headers.get("last-event-id", "")
        since = int(last) if re.fullmatch(r"\d{1,15}", last) else None
        token = request.scope["state"]["token"]

        def may_go_on() -> bool:
            return not draining.is_set() and token in tokens.all()

        return StreamingResponse(
            _changes(dispatcher, since, may_go_on, draining, streams), media_type="text/event-stream"
        )

    async def metrics(request: Request) -> Response:
        _needs(request, Scope.READ)
        found = await anyio.to_thread.run_sync(audit.metrics, dispatcher.workspace)
        return PlainTextResponse(_prometheus(found), media_type="text/plain; version=0.0.4")

    async def relayed(request: Request) -> Response:
        work = functools.partial(relay.answer, dispatcher, request.scope["state"]["body"])
        return JSONResponse(await anyio.to_thread.run_sync(work, abandon_on_cancel=True))

    return [
        Route(RELAY_PATH, _answering(relayed), methods=["POST"]),
        Route(f"{PREFIX}/openapi.json", describe),
        Route(f"{PREFIX}/events", _answering(events)),
        Route("/metrics", _answering(metrics)),
        *(
            Route(PREFIX + tool.path, _answering(_handler(dispatcher, tool, reads)), methods=[tool.method])
            for tool in dispatcher.tools
        ),
    ]


def _handler(dispatcher: ToolDispatcher, tool: Tool, reads: anyio.CapacityLimiter) -> Handler:
    # Writes and heavy calls can be slow; they hold up no recall, so they are counted on their own.
    limiter = reads if tool.is_read_only and not tool.is_heavy else None

    async def handle(request: Request) -> Response:
        arguments, caller = _arguments(tool, request), _caller(request)
        # The dispatcher checks the permission first, whatever version was given.
        expected = _expected_version(request) if tool.scope in caller.scopes else None
        if expected is not None and "version" in tool.input["properties"]:
            arguments["version"] = expected  # looked at in the transaction that writes
        try:
            is_access = request.method != "HEAD"
            work = functools.partial(dispatcher.call, tool.name, arguments, caller, is_access=is_access)
            reply = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
        except CallRefused as refused:
            raise (
                CallRefused(412, str(refused)) if refused.status == 409 and expected is not None else refused
            ) from None
        memory = reply.shape.get("memory")
        memory = memory if isinstance(memory, dict) and "version" in memory else None
        if tool.is_read_only and memory is not None and expected not in (None, memory["version"]):
            raise CallRefused(412, f"Memory {memory['id']} is at version {memory['version']} now, not {expected}.")
        headers = {"ETag": f'"{memory["version"]}"'} if memory is not None else None
        return JSONResponse(reply.shape, headers=headers)

    return handle


def _answering(handler: Handler) -> Handler:
    """Answer every refusal as a problem document, with no text of an exception on the wire."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except CallRefused as refused:
            return problem(refused.status, str(refused))
        except UserError as error:
            return problem(status_of(error), str(error))

    return answer


async def not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 500:
        log.error("%s %s failed", request.method, request.url.path[:100], exc_info=error)
    sentences = {
        404: f"There is nothing at {request.url.path[:100]}.",
        405: f"{request.method} is not for this address.",
    }
    headers = {"Allow": _allowed(request)} if status == 405 else {}
    return problem(status, sentences.get(status, FAILED_INSIDE), **headers)


def _allowed(request: Request) -> str:
    """Return the methods of all routes that share an address; Starlette names only those of the first."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted({method for route in routes for method in route.methods or ()}))


def _caller(request: Request) -> Caller:
    token = request.scope["state"]["token"]
    name, session = request.headers.get("x-client") or token.name, request.headers.get("x-session", "")[:100]
    return Caller(name, token.scopes, session, token.max_confidence)


def _needs(request: Request, scope: Scope) -> None:
    if scope not in request.scope["state"]["token"].scopes:
        raise CallRefused(403, f"This needs a token with the scope {scope}.")


def _arguments(tool: Tool, request: Request) -> dict[str, Any]:
    """Return a tool's arguments: from the body or, where there is none, the query string, and from the path."""
    given: dict[str, Any] = request.scope["state"].get("body", {})
    if tool.method in ("GET", "DELETE"):
        given = {name: _parsed(tool, name, request.query_params.getlist(name)) for name in request.query_params}
    return {**given, **{name: _parsed(tool, name, [value]) for name, value in request.path_params.items()}}


def _parsed(tool: Tool, name: str, values: list[str]) -> Any:
    """Return a value of a query string as its schema wants it; one that does not fit is left to the check of
    arguments."""
    kind = tool.input["properties"].get(name, {}).get("type")
    if kind == "array":
        return values
    value = values[-1]
    if kind == "integer" and re.fullmatch(r"-?\d{1,30}", value):
        return int(value)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    return value


def _expected_version(request: Request) -> int | None:
    """Return the version of the memory that If-Match names, if it is given."""
    tag = request.headers.get("if-match", "*")
    if tag.strip() == "*" or "memory" not in request.path_params:
        return None
    found = re.fullmatch(r'(?:W/)?"(\d{1,18})"', tag.strip())
    if found is None:
        raise CallRefused(400, 'If-Match must be the ETag of an answer, such as "3".')
    return int(found[1])


async def _changes(
    dispatcher: ToolDispatcher,
    since: int | None,
    may_go_on: Callable[[], bool],
    draining: asyncio.Event,
    streams: anyio.CapacityLimiter,
) -> AsyncIterator[str]:
    """Stream every operation as it is committed, by any client: desktop, other servers, agents."""
    async with streams:
        seen = await anyio.to_thread.run_sync(audit.newest_operation, dispatcher.workspace) if since is None else since
        yield ": listening\n\n"
        while may_go_on():
            found = await anyio.to_thread.run_sync(audit.operations_after, dispatcher.workspace, seen)
            for entry, memories in found:
                seen = entry.seq
                if entry.op not in activity.AUTOMATIC:
                    data = json.dumps({**wire.entry(entry), "memories": memories})
                    yield f"event: change\nid: {seen}\ndata: {data}\n\n"
            if not found:
                with anyio.move_on_after(LOOK_SECONDS):
                    await draining.wait()


_FIGURES = {
    "calls": "Recorded calls of agents",
    "recalls": "Recalls among them",
    "p50_ms": "Median time of a recall",
    "p95_ms": "95th percentile of the time of a recall",
    "p99_ms": "99th percentile of the time of a recall",
    "zero_hit_rate": "Share of recalls without results",
    "fallback_rate": "Share of recalls that full text answered alone, or LIKE in its place",
    "refused": "Calls that were refused",
    "failed": "Calls with an internal error",
}


def _prometheus(metrics: Metrics) -> str:
    """Return the statistics of all clients and of each in Prometheus' text format."""
    lines = []
    for name, about in _FIGURES.items():
        lines += [f"# HELP memory_inspector_{name} {about}.", f"# TYPE memory_inspector_{name} gauge"]
        lines.append(f"memory_inspector_{name} {getattr(metrics.total, name):g}")
        for client, figures in metrics.by_client.items():
            label = json.dumps(client, ensure_ascii=False)
            lines.append(f"memory_inspector_{name}{{client={label}}} {getattr(figures, name):g}")
    return "\n".join(lines) + "\n"
