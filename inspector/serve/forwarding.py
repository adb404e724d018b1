"""Forwards a request to the worker that holds its MCP session, and streams the answer back."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import anyio
import h11

from inspector.serve.http_guards import Message, Receive, Send, problem

CHUNK_BYTES = 65_536
_OF_ONE_CONNECTION = (b"connection", b"keep-alive", b"transfer-encoding", b"content-length")


async def forward(port: int, scope: Message, receive: Receive, send: Send) -> None:
    """Send the request to a port of this machine; a worker that is gone has taken its sessions with it (404)."""
    body = b""
    if scope["method"] == "POST":
        body = (await receive())["body"]  # whole: the guards have read it
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        await problem(404, "The session is gone; initialize another one.")(scope, receive, send)
        return
    try:
        async with anyio.create_task_group() as group:

            async def end_with_the_client() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(end_with_the_client)
            await _exchange(reader, writer, _request(scope, body), body, send)
            group.cancel_scope.cancel()
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _request(scope: Message, body: bytes) -> h11.Request:
    headers = [each for each in scope["headers"] if each[0] not in _OF_ONE_CONNECTION]
    headers += [(b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
    return h11.Request(method=scope["method"], target=target, headers=headers)


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: h11.Request, body: bytes, send: Send
) -> None:
    connection = h11.Connection(h11.CLIENT)
    for event in (request, h11.Data(data=body), h11.EndOfMessage()):
        writer.write(connection.send(event) or b"")
    await writer.drain()
    while True:
        received: Any = connection.next_event()
        if received is h11.NEED_DATA:
            connection.receive_data(await reader.read(CHUNK_BYTES))
        elif isinstance(received, h11.Response):
            headers = [(name, value) for name, value in received.headers if name not in (b"connection", b"keep-alive")]
            await send({"type": "http.response.start", "status": received.status_code, "headers": headers})
        elif isinstance(received, h11.Data):
            await send({"type": "http.response.body", "body": bytes(received.data), "more_body": True})
        else:
            await send({"type": "http.response.body", "body": b""})
            return
