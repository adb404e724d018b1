"""What a JSON-RPC message is, and the answer to what is none. Light to import.

The SDK's own errors are long, and it skips invalid lines silently, so that a client would wait for ever. Here a client
that sends one gets one sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from core.errors import UserError

MAX_NESTING = 32
MAX_LINE_BYTES = 1 << 20  # as of a body over HTTP
PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603


class NoMessage(Exception):
    """A line that is no message; `answer` is what its sender gets."""

    def __init__(self, id: Any, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.answer = error(id, code, sentence)


def is_message(body: Any) -> bool:
    """Whether a value is a JSON-RPC 2.0 message; checked before the SDK does."""
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        return False
    is_call = isinstance(body.get("method"), str) and isinstance(body.get("params", {}), dict)
    is_named = "id" not in body or (isinstance(body["id"], (str, int)) and not isinstance(body["id"], bool))
    return is_named and (is_call or "result" in body or "error" in body)


def message_of(line: bytes) -> dict[str, Any]:
    """Return the message in a line; NoMessage if it holds none."""
    if len(line) > MAX_LINE_BYTES:
        raise NoMessage(None, INVALID_REQUEST, f"A line may hold {MAX_LINE_BYTES:,} bytes at most.")
    try:
        body = json.loads(line)
    except (ValueError, RecursionError):
        raise NoMessage(None, PARSE_ERROR, "The line is not JSON.") from None
    if not is_message(body):
        id = body.get("id") if isinstance(body, dict) else None
        raise NoMessage(id, INVALID_REQUEST, "The line is no JSON-RPC message.")
    try:
        refuse_what_json_cannot_mean(body)
    except UserError as refused:
        raise NoMessage(body.get("id"), INVALID_REQUEST, str(refused)) from None
    return dict(body)


def error(id: Any, code: int, sentence: str) -> dict[str, Any]:
    """Return an error response; an id that can be none is left out."""
    named = id if isinstance(id, (str, int)) and not isinstance(id, bool) else None
    return {"jsonrpc": "2.0", "id": named, "error": {"code": code, "message": sentence}}


def refuse_what_json_cannot_mean(value: Any, depth: int = MAX_NESTING) -> None:
    """Refuse NaN and infinity, lone surrogates, and values nested too deeply."""
    if depth == 0:
        raise UserError(f"This is nested more than {MAX_NESTING} levels deep.")
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError("This holds a number that is none (NaN or infinity).")
    if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
        raise UserError("This holds half a character (a lone surrogate), which is no text.")
    if isinstance(value, Mapping):
        for name, item in value.items():
            refuse_what_json_cannot_mean(name, depth - 1)
            refuse_what_json_cannot_mean(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            refuse_what_json_cannot_mean(item, depth - 1)
