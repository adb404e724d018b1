"""One permission check: every tool, over MCP and over REST, refuses a token that lacks its scope, and records that."""

from __future__ import annotations

import re

import pytest

from core.services import audit
from inspector.serve import reference
from inspector.serve.door import Caller, Refused
from inspector.serve.tokens import EVERY_SCOPE, Tokens
from inspector.serve.tools import TOOLS

EVERY_TOOL = (*TOOLS, *reference.TOOLS)


@pytest.mark.parametrize("tool", EVERY_TOOL, ids=lambda tool: tool.name)
def test_a_token_without_the_scope_is_refused_by_tool_and_route(client, server, filled, tool):
    others = EVERY_SCOPE - {tool.scope}
    with pytest.raises(Refused, match=f"{tool.name} needs a token with the scope {tool.scope}") as refused:
        server.door.call(tool.name, {}, Caller("codex", others))
    assert refused.value.status == 403
    client.token = Tokens().add("lesser", others).secret
    path = re.sub(r"{\w+}", "1", tool.path)
    said = client.api(tool.method, path, None if tool.method in ("GET", "DELETE") else {})
    assert said.status == 403
    assert f"needs a token with the scope {tool.scope}" in said.shape["detail"]
    server.door.recorder.flush()
    assert {(call.tool, call.outcome) for call in audit.calls(filled)} == {(tool.name, "refused")}


def test_live_changes_and_figures_need_the_scope_to_read(client):
    client.token = Tokens().add("writer", EVERY_SCOPE - {"read"}).secret
    for path in ("/api/v1/events", "/metrics"):
        assert client.say("GET", path).status == 403


def test_every_route_asks_for_a_token(client, server):
    routes = [route for route in server._server.config.app.router.routes if route.path != "/health"]
    assert len(routes) > len(EVERY_TOOL)
    for route in routes:
        for method in route.methods or {"GET", "POST"}:
            said = client.say(method, re.sub(r"{\w+}", "1", route.path), Authorization=None)
            assert said.status == 401, route.path
