"""One permission check: every tool, over MCP and over REST, refuses a token that lacks its scope, and records that."""

from __future__ import annotations

import re

import pytest

from core.services import audit
from inspector.cli import main
from inspector.serve import reference
from inspector.serve.dispatcher import Caller, CallRefused
from inspector.serve.tokens import EVERY_SCOPE, Tokens
from inspector.serve.tools import TOOLS

EVERY_TOOL = (*TOOLS, *reference.TOOLS)


@pytest.mark.parametrize("tool", EVERY_TOOL, ids=lambda tool: tool.name)
def test_a_token_without_the_scope_is_refused_by_tool_and_route(client, server, filled, tool):
    others = EVERY_SCOPE - {tool.scope}
    with pytest.raises(CallRefused, match=f"{tool.name} needs a token with the scope {tool.scope}") as refused:
        server.dispatcher.call(tool.name, {}, Caller("codex", others))
    assert refused.value.status == 403
    client.token = Tokens().add("lesser", others).secret
    path = re.sub(r"{\w+}", "1", tool.path)
    said = client.api(tool.method, path, None if tool.method in ("GET", "DELETE") else {})
    assert said.status == 403
    assert f"needs a token with the scope {tool.scope}" in said.shape["detail"]
    server.dispatcher.recorder.flush()
    assert {(call.tool, call.outcome) for call in audit.calls(filled)} == {(tool.name, "refused")}


def test_live_changes_and_figures_need_the_scope_to_read(client):
    client.token = Tokens().add("writer", EVERY_SCOPE - {"read"}).secret
    for path in ("/api/v1/events", "/metrics"):
        assert client.say("GET", path).status == 403


def test_every_route_asks_for_a_token(client, server):
    routes = [route for route in server._server.config.app.router.routes if route.path not in ("/health", "/ready")]
    assert len(routes) > len(EVERY_TOOL)
    for route in routes:
        for method in route.methods or {"GET", "POST"}:
            said = client.say(method, re.sub(r"{\w+}", "1", route.path), Authorization=None)
            assert said.status == 401, route.path


@pytest.mark.parametrize("tag", ['"1"', '"7"', "yesterday"])
@pytest.mark.parametrize("tool", [each for each in TOOLS if "{memory}" in each.path], ids=lambda tool: tool.name)
def test_a_version_asked_for_reveals_nothing_to_a_token_without_the_scope(client, tool, tag):
    client.token = Tokens().add("lesser", EVERY_SCOPE - {tool.scope}).secret
    body = None if tool.method in ("GET", "DELETE") else {}
    there, not_there = (
        client.api(tool.method, tool.path.replace("{memory}", id), body, If_Match=tag) for id in ("1", "999")
    )
    assert (there.status, not_there.status) == (403, 403)
    assert there.shape == not_there.shape


def test_a_link_that_retires_a_memory_reveals_nothing_to_a_token_without_the_scope(client):
    client.token = Tokens().add("writer", EVERY_SCOPE - {"curate"}).secret
    said = [client.api("POST", "/links", {"source": 1, "target": target, "kind": "supersedes"}) for target in (2, 999)]
    assert [each.status for each in said] == [403, 403]
    assert said[0].shape == said[1].shape


def test_a_token_that_is_made_by_itself_may_read_and_write_and_gets_more_on_purpose(client, home):
    (home / "tokens.json").unlink()
    made = Tokens().find("default")
    assert made.scopes == {"read", "write"}
    client.token = made.secret
    assert client.api("POST", "/memories/1/pin", {}).status == 403
    assert main(["token", "change", "--scope", "read,write,curate"]) == 0
    assert client.api("POST", "/memories/1/pin", {}).status == 200
