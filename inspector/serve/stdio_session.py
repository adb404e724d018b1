"""The SDK's session behind `stdio.py`, in a thread with a loop of its own."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from inspector.serve.handshake import REPLAYED

DRAINING_SECONDS = 15.0  # at the end of the input, for the answers that are under way


class StdioSession:
    """One session; `send`, `finish` and `stop` are called from another thread."""

    def __init__(self, server: Server[Any], write: Callable[[str], None]) -> None:
        self._server = server
        self._write = write
        self._unanswered: set[str | int] = set()

    def run(self, when_ready: Callable[[StdioSession], None]) -> None:
        """Run the session until it is finished or stopped."""
        anyio.run(self._run, when_ready)

    def send(self, message: dict[str, Any]) -> None:
        self._do(self._send, message)

    def finish(self) -> None:
        """End the session once every request is answered."""
        self._do(self._finishing.set)

    def stop(self) -> None:
        """End the session now."""
        self._do(self._scope.cancel)

    def _do(self, work: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the session is over
            anyio.from_thread.run_sync(work, *arguments, token=self._token)

    async def _run(self, when_ready: Callable[[StdioSession], None]) -> None:
        self._token = anyio.lowlevel.current_token()
        self._finishing, self._answered = anyio.Event(), anyio.Event()
        # Without a limit: the lines that wait are limited where they are read.
        self._incoming, reading = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        writing, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        with anyio.CancelScope() as self._scope:
            async with anyio.create_task_group() as group:
                group.start_soon(self._end_when_answered)

                async def write_answers() -> None:
                    async for each in outgoing:
                        await self._write_answer(each)

                group.start_soon(write_answers)
                when_ready(self)
                await self._server.run(reading, writing, self._server.create_initialization_options())
                group.cancel_scope.cancel()

    def _send(self, message: dict[str, Any]) -> None:
        try:
            parsed = types.jsonrpc_message_adapter.validate_python(message, by_name=False)
        except ValueError as error:
            self._incoming.send_nowait(error)
            return
        if "method" in message and "id" in message:
            self._unanswered.add(message["id"])
        elif message.get("method") == "notifications/cancelled":
            self._settle((message.get("params") or {}).get("requestId"))  # never answered
        self._incoming.send_nowait(SessionMessage(parsed))

    async def _write_answer(self, said: SessionMessage) -> None:
        id = getattr(said.message, "id", None) if not isinstance(said.message, types.JSONRPCRequest) else None
        if id != REPLAYED:
            text = said.message.model_dump_json(by_alias=True, exclude_unset=True)
            await anyio.to_thread.run_sync(self._write, text)
        self._settle(id)

    def _settle(self, id: Any) -> None:
        if isinstance(id, (str, int)):
            self._unanswered.discard(id)
        self._answered.set()
        self._answered = anyio.Event()

    async def _end_when_answered(self) -> None:
        await self._finishing.wait()
        with anyio.move_on_after(DRAINING_SECONDS):
            while self._unanswered:
                await self._answered.wait()
        await self._incoming.aclose()
