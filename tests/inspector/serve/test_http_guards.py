"""HTTP guards: a request that must not pass is refused before anything is read, in one sentence."""

from __future__ import annotations

import json
import re
import socket
import stat

import pytest
from serving import Client

from core.errors import UserError
from inspector.serve import http_guards, listening
from inspector.serve.app import HttpServer, Serving
from inspector.serve.tokens import Scope, Tokens, scopes_of

RECALL = ("POST", "/api/v1/recall", {"query": "pool"})


def refused(said, status, words):
    assert said.status == status, said.body
    assert words in said.shape["detail"]
    assert "access-control-allow-origin" not in said.headers
    return True


@pytest.mark.parametrize("path", ["/api/v1/recall", "/mcp"])
def test_a_foreign_host_origin_or_site_is_refused_everywhere(client, server, path):
    for headers, status in (
        ({"Host": "evil.example"}, 421),
        ({"Host": f"evil.example:{server.port}"}, 421),
        ({"Host": f"127.0.0.1:{server.port + 1}"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
    ):
        said = client.say("POST", path, {"query": "pool"}, **headers)
        assert (said.status, said.headers["content-type"]) == (status, "application/problem+json"), headers
    assert client.say(*RECALL, Host=f"localhost:{server.port}", Origin=f"http://localhost:{server.port}").status == 200


def test_only_the_token_in_the_header_is_accepted(client):
    for authorization in (None, "Bearer wrong", f"Basic {client.token}", "Bearer", "Bearer café", client.token):
        said = client.say(*RECALL, Authorization=authorization)
        assert refused(said, 401, "A token is needed")
        assert said.headers["www-authenticate"] == "Bearer"
    assert client.say("POST", f"/api/v1/recall?token={client.token}", {"query": "x"}, Authorization=None).status == 401
    assert client.say("GET", "/health", Authorization=None).shape["status"] == "ok"
    assert client.say("GET", "/metrics", Authorization=None).status == 401


def test_a_body_must_say_that_it_is_json_and_be_it(client):
    assert refused(client.say(*RECALL, Content_Type="text/plain"), 415, "application/json")
    assert refused(client.say(*RECALL, Content_Type="application/jsonfoo"), 415, "application/json")
    assert client.say(*RECALL, Content_Type="application/json; charset=utf-8").status == 200
    for body, words in ((b'{"query": "po', "not JSON"), (b"\xff\xfe", "not JSON"), (b"[1]", "one JSON object")):
        assert refused(client.say("POST", "/api/v1/recall", body), 400, words)


def test_what_is_too_large_or_too_deep_is_refused_and_the_next_call_is_answered(client):
    assert refused(client.say("POST", "/api/v1/memories", b'"' + b"x" * http_guards.MAX_BYTES + b'"'), 413, "1,048,576")
    assert refused(client.say("POST", "/api/v1/recall", b'{"a":' * 100_000 + b"1" + b"}" * 100_000), 400, "nested")
    deep = b'{"query": "x", "context": ' + b'{"a":' * 200 + b"1" + b"}" * 200 + b"}"
    assert refused(client.say("POST", "/api/v1/recall", deep), 400, "nested")
    assert client.say(*RECALL).status == 200


def exchange(port: int, sent: bytes) -> bytes:
    """What comes back until the other side hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


def test_a_client_that_says_nothing_or_too_slowly_is_let_go(client, server, monkeypatch):
    monkeypatch.setattr(listening, "HEADER_SECONDS", 0.2)
    assert b"408" in exchange(server.port, b"")
    assert b"408" in exchange(server.port, b"GET /health HTTP/1.1\r\nHost: ")
    monkeypatch.setattr(http_guards, "BODY_SECONDS", 0.2)
    head = (
        f"POST /api/v1/recall HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {client.token}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    )
    assert b"408" in exchange(server.port, head.encode())
    assert client.say(*RECALL).status == 200


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        (b"nonsense\r\n\r\n", 400, "not HTTP"),
        (b"GET /health HTTP/1.1\r\nno colon\r\n\r\n", 400, "not HTTP"),
        (b"GET /health HTTP/1.1\r\nX: " + b"a" * 70_000, 431, "headers"),
        (b"GET /" + b"a" * 70_000, 414, "address"),
        (b"POST /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "not HTTP"),
    ],
)
def test_what_is_not_http_or_too_long_gets_a_problem_response(client, server, sent, status, words):
    head, _, body = exchange(server.port, sent).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    assert words in json.loads(body)["detail"]
    assert client.say(*RECALL).status == 200


def test_when_it_is_full_the_longest_idle_connection_is_closed(client, server, monkeypatch):
    monkeypatch.setattr(listening, "MAX_CONNECTIONS", 3)
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(3)]
    try:
        assert client.say("GET", "/health").status == 200
    finally:
        for connection in silent:
            connection.close()


def test_a_server_at_every_address_answers_for_the_one_it_was_called_by(filled):
    server = HttpServer(filled, Serving(host="0.0.0.0", port=0, allow_remote=True))
    server.start()
    try:
        client = Client(server.port, Tokens().find("default").secret)
        assert client.say(*RECALL, Host=f"127.0.0.1:{server.port}").status == 200
        assert client.say(*RECALL, Host=f"10.0.0.7:{server.port}").status == 421
    finally:
        server.stop()


def test_another_address_needs_to_be_meant(workspace):
    with pytest.raises(UserError, match="reached from other machines"):
        HttpServer(workspace, Serving(host="0.0.0.0", port=0))
    with pytest.raises(UserError, match="a number from 0 to 65,535"):
        HttpServer(workspace, Serving(port=70_000))


def test_a_port_that_is_taken_is_said(workspace, server):
    with pytest.raises(UserError, match=f"port {server.port}: Address already in use; --port selects another"):
        HttpServer(workspace, Serving(port=server.port))


# tokens


def test_the_default_token_is_made_once_for_its_owner_alone_with_256_bits(tmp_path):
    path = tmp_path / "data" / "tokens.json"
    first, second = Tokens(path), Tokens(path)
    assert first.all() == second.all()
    (token,) = first.all()
    assert re.fullmatch(r"[\w-]{43}", token.secret)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["tokens.json"]


def test_a_rotated_or_removed_token_is_refused_by_a_server_that_runs(client):
    tokens = Tokens()
    reader = tokens.add("reader", scopes_of(["read"]))
    client.token, old = reader.secret, client.token
    assert client.say(*RECALL).status == 200
    tokens.rotate("reader")
    assert client.say(*RECALL).status == 401
    client.token = tokens.find("reader").secret
    assert client.say(*RECALL).status == 200
    tokens.remove("reader")
    assert client.say(*RECALL).status == 401
    client.token = old
    assert client.say(*RECALL).status == 200


def test_wrong_names_and_scopes_of_tokens_are_said(tmp_path):
    tokens = Tokens(tmp_path / "tokens.json")
    with pytest.raises(UserError, match="There is no token 'x'"):
        tokens.find("x")
    with pytest.raises(UserError, match="already a token"):
        tokens.add("default", [Scope.READ])
    with pytest.raises(UserError, match="The default token stays"):
        tokens.remove("default")
    with pytest.raises(UserError, match="A scope is one of read, write, curate"):
        scopes_of(["everything"])
    (tmp_path / "tokens.json").write_text("{")
    with pytest.raises(UserError, match="cannot be read as tokens"):
        Tokens(tmp_path / "tokens.json").all()
