"""Makes the file of `handshake.py`: asks the SDK's server for its answers, in every version of the protocol."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from core.services.recorder import Recorder
from core.services.workspace import Workspace
from inspector import program
from inspector.serve import app, handshake, mcp
from inspector.serve.dispatcher import ToolDispatcher
from inspector.serve.tokens import Scope

CLIENT = {"name": "client", "version": "1"}
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": LATEST_MODERN_VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": CLIENT,
    }
}
INITIALIZED: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def hello(version: str) -> dict[str, Any]:
    return request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT})


def request(method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params})}


def exchange(messages: Sequence[dict[str, Any]], compat: str = "", scopes: frozenset[Scope] = frozenset()) -> list[str]:
    """Return what the SDK's server says to these messages, as it would be written; no tool is called."""
    nothing = cast(Workspace, None), cast(Recorder, None)
    dispatcher = ToolDispatcher(*nothing, app.Serving(compat=compat).tools())

    async def talk() -> list[str]:
        server = mcp.build(dispatcher, program.version(), scopes)
        to_server, reading = anyio.create_memory_object_stream[SessionMessage | Exception](len(messages))
        writing, from_server = anyio.create_memory_object_stream[SessionMessage](len(messages))
        said = []
        with to_server, reading, writing, from_server:
            async with anyio.create_task_group() as group:
                group.start_soon(server.run, reading, writing, server.create_initialization_options())
                for each in messages:
                    parsed = types.jsonrpc_message_adapter.validate_json(json.dumps(each), by_name=False)
                    await to_server.send(SessionMessage(parsed))
                    if "id" in each:
                        answer = (await from_server.receive()).message
                        said.append(answer.model_dump_json(by_alias=True, exclude_unset=True))
                group.cancel_scope.cancel()
        return said

    return anyio.run(talk)


def answers() -> dict[str, Any]:
    """Return the content of the file: each tool once an era, which orders its fields in its own way, and which of them
    are listed for which options."""
    eras = {
        "handshake": [hello(LATEST_HANDSHAKE_VERSION), INITIALIZED, request("tools/list")],
        "modern": [request("tools/list", ENVELOPE)],
    }
    tools: dict[str, list[Any]] = {era: [] for era in eras}
    lists: dict[str, dict[str, list[int]]] = {compat: {} for compat in ("", *app.COMPATIBLE)}
    for compat, era in itertools.product(lists, eras):
        for scopes in _sets_of_scopes():
            listed = json.loads(exchange(eras[era], compat, scopes)[-1])["result"]["tools"]
            tools[era] += [each for each in listed if each not in tools[era]]
            lists[compat][handshake.named(scopes)] = [tools[era].index(each) for each in listed]
    return {
        "newest": LATEST_HANDSHAKE_VERSION,
        "modern": LATEST_MODERN_VERSION,
        "initialize": {each: _results([hello(each)])[0] for each in HANDSHAKE_PROTOCOL_VERSIONS},
        "discover": _results([request("server/discover", ENVELOPE)])[0],
        "list": {era: {**_results(messages)[-1], "tools": []} for era, messages in eras.items()},
        "lists": lists,
        "tools": tools,
    }


def _sets_of_scopes() -> list[frozenset[Scope]]:
    return [frozenset(each) for n in range(len(Scope)) for each in itertools.combinations(Scope, n + 1)]


def text() -> str:
    """Return the file, a line an answer and a tool."""
    found = answers()
    eras = [f'"{era}": {_lines("[]", map(_written, tools))}' for era, tools in found["tools"].items()]
    parts = [f'"{name}": {_written(value)}' for name, value in found.items() if name != "tools"]
    return _lines("{}", [*parts, f'"tools": {_lines("{}", eras)}']) + "\n"


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(ends: str, parts: Iterable[str]) -> str:
    return f"{ends[0]}\n" + ",\n".join(parts) + f"\n{ends[1]}"


def _results(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [json.loads(each)["result"] for each in exchange(messages, scopes=frozenset(Scope))]
