"""Standard input as lines that can be given up: the SDK's own reader cannot be cancelled, so a signal would wait."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import AsyncIterator

import anyio
import anyio.from_thread
import anyio.lowlevel

MOST_BYTES = 1 << 20  # of one line


class StandardInput:
    """Read by a thread of its own from a private copy; who else reads standard input finds its end."""

    def __init__(self) -> None:
        self._own = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._send, self._receive = anyio.create_memory_object_stream[str](64)
        self._loop = anyio.lowlevel.current_token()
        threading.Thread(target=self._read, name="standard input", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self._receive.__aiter__()

    def _read(self) -> None:
        left = b""
        with contextlib.suppress(Exception):  # the loop is gone, or the pipe is
            while chunk := os.read(self._own, 65536):
                *lines, left = (left + chunk).split(b"\n")
                if len(left) > MOST_BYTES:
                    break
                for line in lines:
                    anyio.from_thread.run(self._send.send, line.decode("utf-8", "replace"), token=self._loop)
        with contextlib.suppress(Exception):
            anyio.from_thread.run_sync(self._send.close, token=self._loop)
