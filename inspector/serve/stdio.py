"""MCP over standard input and output: answers the opening at once, and loads the rest behind it. Light to import.

One thread reads lines, the main thread decides about each, and a third, once something needs it, loads and runs the
SDK's session (`stdio_session.py`). Until that is ready, requests wait in their order. The SDK's own reader cannot be
cancelled, so a signal would wait; here a signal is an event like a line.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from core.errors import UserError
from inspector.serve import messages
from inspector.serve.handshake import Handshake
from inspector.serve.messages import NoMessage

if TYPE_CHECKING:
    from inspector.serve.stdio_session import StdioSession

CHUNK_BYTES = 65_536
MAX_WAITING = 256  # lines read and not yet handed on; more wait in the pipe
QUIET_SECONDS = 0.3  # after which the rest is loaded, if the client has not asked for its tools by then
STOPPING_SECONDS = 5.0  # for the session to end after a signal

# What the threads tell the main one: a line, the end of the input, a signal; that the session is ready, has failed or
# is over.
LINE, END, SIGNAL, READY, FAILED, OVER = range(6)
Event = tuple[int, Any]
Tell = Callable[[int, Any], None]


class StdioServer:
    """Standard input and output of this process; other readers find the end, and other writers the log.

    `load` runs the session in the thread that calls it, and reports what becomes of it.
    """

    def __init__(self, handshake: Handshake, load: Callable[[StdioServer], None]) -> None:
        self._handshake = handshake
        self._load = load
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._room = threading.Semaphore(MAX_WAITING)
        self._waiting: list[dict[str, Any]] = []
        self._session: StdioSession | None = None
        self._is_loading = False
        self._is_at_end = False
        self._input, self._output = os.dup(0), os.dup(1)
        self._writing = threading.Lock()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    def run(self) -> None:
        """Serve until the input ends and all is answered, or a signal comes; UserError if the rest cannot be loaded."""
        with self._signals():
            threading.Thread(target=self._read, name="standard input", daemon=True).start()
            with contextlib.suppress(BrokenPipeError):  # the client is gone
                while self._handle(*self._next()):
                    pass

    def tell(self, kind: int, what: Any = None) -> None:
        """Report an event; safe from any thread and from a signal's handler."""
        self._events.put((kind, what))

    def write(self, text: str) -> None:
        """Write one message; safe from any thread."""
        left = memoryview(f"{text}\n".encode())
        with self._writing:
            while left:
                left = left[os.write(self._output, left) :]

    def _next(self) -> Event:
        while True:
            try:
                return self._events.get(timeout=None if self._is_loading else QUIET_SECONDS)
            except queue.Empty:
                self._start_loading()

    def _handle(self, kind: int, what: Any) -> bool:
        """Handle an event; return whether to go on."""
        if kind == LINE:
            self._handle_line(what)
        elif kind == READY:
            self._hand_over(what)
        elif kind == FAILED:
            for message in self._waiting:
                if "id" in message and "method" in message:
                    self._answer(messages.error(message["id"], messages.INTERNAL_ERROR, str(what)))
            raise what
        elif kind == END:
            self._is_at_end = True
            if self._session is not None:
                self._session.finish()
            return self._session is not None or bool(self._waiting)
        elif kind == SIGNAL and self._session is not None:
            self._session.stop()
        return kind not in (SIGNAL, OVER) or (kind == SIGNAL and self._session is not None)

    def _handle_line(self, line: bytes) -> None:
        try:
            message = messages.message_of(line)
        except NoMessage as wrong:
            self._room.release()
            self._answer(wrong.answer)
            return
        if self._session is not None:
            self._room.release()
            self._session.send(message)
            return
        answer = self._handshake.answer(message)
        if answer is None:
            self._hold(message)
            return
        self._room.release()
        if answer:
            self._answer(answer)
        if message["method"] == "tools/list":
            self._start_loading()

    def _hold(self, message: dict[str, Any]) -> None:
        """Keep a message until the session is there; a request that is cancelled before is never answered."""
        if message.get("method") == "notifications/cancelled":
            cancelled = (message.get("params") or {}).get("requestId")
            kept = [each for each in self._waiting if "method" not in each or each.get("id", self) != cancelled]
            for _ in range(1 + len(self._waiting) - len(kept)):
                self._room.release()
            self._waiting = kept
            return
        self._waiting.append(message)
        self._start_loading()

    def _start_loading(self) -> None:
        if not self._is_loading:
            self._is_loading = True
            threading.Thread(target=self._load, args=(self,), name="session", daemon=True).start()

    def _hand_over(self, session: StdioSession) -> None:
        for message in (*self._handshake.replay, *self._waiting):
            session.send(message)
        for _ in self._waiting:
            self._room.release()
        self._waiting.clear()
        self._session = session
        if self._is_at_end:
            session.finish()

    def _answer(self, message: dict[str, Any]) -> None:
        self.write(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    def _read(self) -> None:
        """Put every line on the queue; of one that is too long only as much is kept as shows that."""
        left = b""
        with contextlib.suppress(OSError):
            while chunk := os.read(self._input, CHUNK_BYTES):
                *lines, left = (left + chunk).split(b"\n")
                for line in filter(bytes.strip, lines):
                    self._room.acquire()
                    self.tell(LINE, line)
                if len(left) > messages.MAX_LINE_BYTES:
                    left = left[: messages.MAX_LINE_BYTES + 1]
        self.tell(END)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        def handle(number: int, _: object) -> None:
            self.tell(SIGNAL, number)
            # A client that does not read what is written holds up every thread that writes.
            threading.Timer(STOPPING_SECONDS, os._exit, (0,)).start()

        before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def run(handshake: Handshake, load: Callable[[StdioServer], None]) -> None:
    """Serve a session; `load` is called in a thread of its own, and may raise UserError."""

    def load_or_report(server: StdioServer) -> None:
        try:
            load(server)
        except UserError as error:
            server.tell(FAILED, error)
        except Exception as error:  # a bug: told like any other, by the command line
            server.tell(FAILED, error)
        else:
            server.tell(OVER)

    StdioServer(handshake, load_or_report).run()
