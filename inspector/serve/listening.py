"""uvicorn with further limits: time for the headers, and a number of connections that leaves files for the store and
the model; a signal ends it with exit code 0."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from http import HTTPStatus
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from core.errors import UserError
from inspector.serve.http_guards import problem

HEADER_SECONDS = 5.0
MAX_CONNECTIONS = 256
RESERVED_FILES = 32  # for the socket, the log and the store's connections
MAX_HEAD_BYTES = 32 * 1024
STOPPING_SECONDS = 3
BACKLOG = 128  # connections that wait in the system's queue
ACCEPTED_AT_ONCE = 1  # a connection is counted, and another closed, only some turns of the loop later


def max_connections(workers: int = 1) -> int:
    """Return how many connections may be open in each of so many processes: half of a process's files are left for the
    store and the model."""
    most = max(1, MAX_CONNECTIONS // workers)
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return most
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return most
    return min(most, max(8, files // 2 - RESERVED_FILES))


def bind(host: str, port: int) -> socket.socket:
    """Return a socket to listen on, marked as TCP; else asyncio leaves Nagle on, and each answer on a kept-alive
    connection takes 40 ms longer."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(BACKLOG)  # from now on connections are accepted; the first may wait a moment
    except OSError as error:
        bound.close()
        raise UserError(
            f"Nothing can listen at {host} port {port}: {error.strerror}; --port selects another, 0 any that is free."
        ) from error
    except OverflowError as error:
        bound.close()
        raise UserError(f"A port is a number from 0 to 65,535, not {port}.") from error
    return bound


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 that drops silent and slow clients, and refuses connections above the limit."""

    _clock: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: Any) -> None:
        most = max_connections(self.config.workers)
        if len(self.server_state.connections) >= most and not self._make_room():
            self._is_refused = True
            transport.write(_whole(503, f"{most} connections are open already."))
            transport.close()
            return
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        if self._clock is None and (self.cycle is None or self.cycle.response_complete):
            self._start_timer()  # another request on a kept-alive connection: its headers are on the clock too
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_timer()  # the headers are here

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        if not self._is_refused:
            super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Answer invalid HTTP. Called by uvicorn while it handles h11's exception, which says whether a length was
        exceeded."""
        is_too_long = getattr(sys.exc_info()[1], "error_status_hint", 400) == 431
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):  # else the answer is on its way already
            if not is_too_long:
                refusal = _whole(400, "This is not HTTP.")
            elif b"\n" in self.conn.trailing_data[0]:
                refusal = _whole(431, f"The headers may hold {MAX_HEAD_BYTES:,} bytes at most.")
            else:
                refusal = _whole(414, f"The address may hold {MAX_HEAD_BYTES:,} bytes at most.")
            self.transport.write(refusal)
        self.transport.close()

    def _make_room(self) -> bool:
        """Close the connection that has been idle longest; return False if all are busy."""
        silent = [each for each in self.server_state.connections if getattr(each, "_clock", None) is not None]
        if silent:
            min(silent, key=lambda each: each._clock.when()).transport.abort()  # type: ignore[union-attr]
        return bool(silent)

    def _start_timer(self) -> None:
        self._stop_timer()
        self._clock = self.loop.call_later(HEADER_SECONDS, self._on_timeout)

    def _stop_timer(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _on_timeout(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_whole(408, "The headers took too long to arrive."))
            self.transport.close()


def _whole(status: int, sentence: str) -> bytes:
    """Return a raw HTTP response for a request that does not reach the application."""
    response = problem(status, sentence, Connection="close")
    headers = b"".join(b"%s: %s\r\n" % pair for pair in response.raw_headers)
    return b"HTTP/1.1 %d %s\r\n%s\r\n%s" % (status, HTTPStatus(status).phrase.encode(), headers, response.body)


class BoundedServer(uvicorn.Server):
    """A server in which `drain` ends open streams before uvicorn waits for them; a signal ends it with exit code 0."""

    def __init__(self, app: Any, drain: Callable[[], Awaitable[None]], workers: int = 1) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=BoundedProtocol,
                ws="none",
                loop="asyncio",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                workers=workers,  # read by BoundedProtocol; uvicorn itself starts none here
                timeout_keep_alive=5,
                backlog=ACCEPTED_AT_ONCE,  # asyncio accepts as many as this before anything else is done
                timeout_graceful_shutdown=STOPPING_SECONDS,
                h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            )
        )
        self._drain = drain

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(BACKLOG)  # asyncio has made the system's queue as short as what it accepts at once

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._drain()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield  # in a thread: signals are the main one's
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
