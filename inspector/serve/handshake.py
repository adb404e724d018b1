"""The opening of an MCP session over standard input, answered before the SDK is loaded. Light to import.

Importing the SDK and the tools takes two seconds of CPU, in which a client starts its first turn without tools. So the
SDK's own answers to `initialize`, `server/discover`, `ping` and `tools/list` are kept in a file that `make docs` writes
(`handshake_answers.py`). A request that is not exactly of the plain form is left to the SDK.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from core.errors import UserError
from inspector import resources

ANSWERS = "handshake.json"
REPLAYED = "memory-inspector:replayed"  # the id of a request that the SDK gets once more; no client sees it
_META = "io.modelcontextprotocol/"
_VERSION, _CAPABILITIES, _CLIENT = f"{_META}protocolVersion", f"{_META}clientCapabilities", f"{_META}clientInfo"


class Handshake:
    """One session's opening. `replay` is what the SDK must be told once it is there."""

    def __init__(self, compat: str, scopes: Collection[str]) -> None:
        self._answers = json.loads(resources.path(ANSWERS).read_text("utf-8"))
        if compat not in self._answers["lists"]:
            known = ", ".join(filter(None, self._answers["lists"]))
            raise UserError(f"--compat must be one of {known}, not {compat[:40]!r}.")
        self._listed = self._answers["lists"][compat][named(scopes)]
        self._era: str | None = None  # "handshake", "modern", or "" where the SDK decides
        self.replay: list[dict[str, Any]] = []

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a message, {} if it needs none, None if it is the SDK's."""
        method, params = message.get("method"), message.get("params")
        if message.keys() - {"jsonrpc", "id", "method", "params"}:
            method = None
        if "id" not in message:
            if method == "notifications/initialized" and self._era == "handshake" and not params:
                self.replay.append(message)
                return {}
            return None
        result = self._result(str(method), params)
        if self._era is None:
            self._era = "" if result is None else "handshake" if method == "initialize" else "modern"
            self.replay = [] if result is None else [{**message, "id": REPLAYED}]
        return None if result is None else {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _result(self, method: str, params: Any) -> dict[str, Any] | None:
        known: dict[str, dict[str, Any]] = {}
        if self._era is None and method == "initialize" and _is_hello(params):
            versions = self._answers["initialize"]
            known["initialize"] = versions.get(params["protocolVersion"], versions[self._answers["newest"]])
        elif self._era == "handshake" and _is_plain(params):
            known = {"ping": {}, "tools/list": self._list("handshake")}
        elif self._era in (None, "modern") and _is_envelope(params, self._answers["modern"]):
            known = {"server/discover": self._answers["discover"], "tools/list": self._list("modern")}
        return known.get(method)

    def _list(self, era: str) -> dict[str, Any]:
        tools = [self._answers["tools"][era][n] for n in self._listed]
        return {name: tools if name == "tools" else value for name, value in self._answers["list"][era].items()}


def named(scopes: Collection[str]) -> str:
    """Return the key of a set of scopes in the file."""
    return ",".join(sorted(scopes))


def _is_plain(params: Any) -> bool:
    """Whether the parameters of a request say nothing but where to report progress."""
    return not params or (params.keys() == {"_meta"} and _is_meta(params["_meta"]))


def _is_meta(meta: Any) -> bool:
    return isinstance(meta, dict) and not meta.keys() - {"progressToken"} and _is_token(meta.get("progressToken", 0))


def _is_token(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _is_hello(params: Any) -> bool:
    return (
        isinstance(params, dict)
        and params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and _are_capabilities(params["capabilities"])
        and _is_client(params["clientInfo"])
    )


def _is_envelope(params: Any, version: str) -> bool:
    if not isinstance(params, dict) or params.keys() != {"_meta"} or not isinstance(params["_meta"], dict):
        return False
    meta = params["_meta"]
    rest = {name: value for name, value in meta.items() if name not in (_VERSION, _CAPABILITIES, _CLIENT)}
    return (
        meta.get(_VERSION) == version
        and _are_capabilities(meta.get(_CAPABILITIES))
        and (_CLIENT not in meta or _is_client(meta[_CLIENT]))
        and _is_meta(rest)
    )


def _is_client(info: Any) -> bool:
    texts = ("name", "version", "title", "description")
    return (
        isinstance(info, dict)
        and {"name", "version"} <= info.keys() <= {*texts}
        and all(isinstance(value, str) for value in info.values())
    )


def _are_capabilities(given: Any) -> bool:
    """Whether a client's capabilities are of a form that every version accepts: objects in objects, and flags only
    where they belong."""
    if not isinstance(given, dict):
        return False
    for name, value in given.items():
        if name == "roots":
            is_right = isinstance(value, dict) and (not value or _is_flag(value, "listChanged"))
        elif name in ("experimental", "extensions"):
            is_right = isinstance(value, dict) and all(isinstance(each, dict) for each in value.values())
        else:
            is_right = _are_objects(value)
        if not is_right:
            return False
    return True


def _is_flag(value: dict[str, Any], name: str) -> bool:
    return value.keys() == {name} and isinstance(value[name], bool)


def _are_objects(value: Any) -> bool:
    return isinstance(value, dict) and all(_are_objects(each) for each in value.values())
