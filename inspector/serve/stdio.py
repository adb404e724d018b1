"""Standard input as lines that can be cancelled, each checked to be a message.

The SDK's own reader cannot be cancelled, so a signal would wait; and it skips invalid lines silently, so that a client
would wait for ever. Here a client that sends one gets one sentence.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel

from core.errors import UserError
from inspector.serve import schemas

MAX_BYTES = 1 << 20  # of one line, as of a body over HTTP
PARSE_ERROR, INVALID_REQUEST = -32700, -32600


class StdioTransport:
    """Standard input, read by a thread from a private copy; other readers of standard input find its end.

    `complaints` are the answers to invalid lines.
    """

    def __init__(self) -> None:
        self._own = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._lines, self._receive = anyio.create_memory_object_stream[str](64)
        self._complain, self.complaints = anyio.create_memory_object_stream[dict[str, Any]](64)
        self._loop = anyio.lowlevel.current_token()
        threading.Thread(target=self._read, name="standard input", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self._receive.__aiter__()

    def _read(self) -> None:
        left, is_too_long = b"", False
        with contextlib.suppress(Exception):  # the loop is gone, or the pipe is
            while chunk := os.read(self._own, 65536):
                *lines, left = (left + chunk).split(b"\n")
                for line in lines:
                    complaint = TOO_LONG if is_too_long or len(line) > MAX_BYTES else complaint_about(line)
                    is_too_long = False
                    if complaint is not None:
                        anyio.from_thread.run(self._complain.send, complaint, token=self._loop)
                    elif line.strip():
                        anyio.from_thread.run(self._lines.send, line.decode("utf-8"), token=self._loop)
                if len(left) > MAX_BYTES:
                    left, is_too_long = b"", True
        with contextlib.suppress(Exception):
            anyio.from_thread.run_sync(self._lines.close, token=self._loop)


def is_message(body: Any) -> bool:
    """Whether a value is a JSON-RPC 2.0 message; checked before the SDK does, whose errors are long or missing."""
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        return False
    is_call = isinstance(body.get("method"), str) and isinstance(body.get("params", {}), dict)
    is_named = "id" not in body or (isinstance(body["id"], (str, int)) and not isinstance(body["id"], bool))
    return is_named and (is_call or "result" in body or "error" in body)


def complaint_about(line: bytes) -> dict[str, Any] | None:
    """Return the answer to an invalid line; None for a valid or an empty one."""
    if not line.strip():
        return None
    try:
        body = json.loads(line)
        if is_message(body):
            schemas.refuse_what_json_cannot_mean(body)
            return None
    except UserError as error:
        return _error(body.get("id"), INVALID_REQUEST, str(error))
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "The line is not JSON.")
    return _error(
        body.get("id") if isinstance(body, dict) else None, INVALID_REQUEST, "The line is no JSON-RPC message."
    )


def _error(id: Any, code: int, sentence: str) -> dict[str, Any]:
    named = id if isinstance(id, (str, int)) and not isinstance(id, bool) else None
    return {"jsonrpc": "2.0", "id": named, "error": {"code": code, "message": sentence}}


TOO_LONG = _error(None, INVALID_REQUEST, f"A line may hold {MAX_BYTES:,} bytes at most.")
