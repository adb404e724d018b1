"""The OpenAPI document of all routes, made from the table of tools. What several routes share is a component, so that a
generated client has it once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from inspector.serve import schemas
from inspector.serve.dispatcher import Tool
from inspector.serve.schemas import INTEGER, PROBLEM, STRING, Schema, answer, array, component
from inspector.serve.tokens import Scope
from inspector.serve.tool_schemas import COMPONENTS

DEFAULT_SERVER = "http://127.0.0.1:7823"
_REFUSED = {"$ref": "#/components/responses/Refused"}
_CHANGE = answer(seq=INTEGER, at=STRING, op=STRING, actor=STRING, reason=STRING, memories=array(INTEGER))


def document(tools: Iterable[Tool], version: str, prefix: str) -> dict[str, Any]:
    """Return the document; a server replaces its `servers` by the address that was asked."""
    paths: dict[str, Any] = {}
    for tool in tools:
        paths.setdefault(prefix + tool.path, {})[tool.method.lower()] = _operation(tool)
    paths[f"{prefix}/events"] = {"get": _events()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Memory Inspector",
            "version": version,
            "description": "What agents remember, over REST.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": DEFAULT_SERVER}],
        "tags": [{"name": scope, "description": f"Needs a token with the scope {scope}."} for scope in Scope],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**COMPONENTS, "Change": _CHANGE},
            "responses": {
                "Refused": {
                    "description": "Refused, with one sentence.",
                    "content": {"application/problem+json": {"schema": PROBLEM}},
                }
            },
        },
    }


def _operation(tool: Tool) -> dict[str, Any]:
    in_path = re.findall(r"{(\w+)}", tool.path)
    properties: dict[str, Schema] = tool.input["properties"]
    required = tool.input.get("required", [])
    elsewhere = {name: schema for name, schema in properties.items() if name not in in_path}
    described: dict[str, Any] = {
        "operationId": tool.name,
        "summary": tool.title,
        "description": tool.about,
        "tags": [tool.scope],
        "parameters": [{"name": name, "in": "path", "required": True, "schema": properties[name]} for name in in_path],
        "responses": _responses("Done.", {"application/json": {"schema": tool.output}}),
    }
    if tool.method in ("GET", "DELETE"):
        described["parameters"] += [
            {"name": name, "in": "query", "required": name in required, "schema": schema}
            for name, schema in elsewhere.items()
        ]
    else:
        body = schemas.arguments(elsewhere, [name for name in required if name not in in_path])
        if tool.one_of:
            body["oneOf"] = [{"required": [name]} for name in tool.one_of]
        described["requestBody"] = {
            "required": bool(body.get("required") or tool.one_of),
            "content": {"application/json": {"schema": body}},
        }
    if "{memory}" in tool.path and "version" in properties:
        described["parameters"].append(_header("If-Match", "Only if the memory is still at this version (its ETag)."))
    return described


def _events() -> dict[str, Any]:
    """Describe the stream of changes, which is no tool."""
    about = (
        "Each operation as it is committed, by any client, as server-sent events: the event is `change`, its id the "
        "number of the operation, its data a Change as JSON. The stream ends when the server stops or the token goes."
    )
    return {
        "operationId": "events",
        "summary": "Changes as they happen",
        "description": about,
        "tags": [Scope.READ],
        "parameters": [_header("Last-Event-ID", "Continue after this event.")],
        "responses": _responses(
            "A stream of events.", {"text/event-stream": {"schema": {**STRING, "contentSchema": component("Change")}}}
        ),
    }


def _header(name: str, about: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": about, "schema": STRING}


def _responses(about: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"200": {"description": about, "content": content}, "4XX": _REFUSED, "5XX": _REFUSED}
