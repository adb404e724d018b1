"""Many silent connections take neither files nor answers away, and what has failed in the background is said."""

from __future__ import annotations

import json
import resource
import socket
import subprocess
import sys
import threading

import pytest
from serving import Client

from core.services.workspace import Workspace
from inspector.serve import app, listening
from inspector.serve.app import HttpServer, Serving
from inspector.serve.tokens import DEFAULT, Tokens

FILES = 128  # fewer than the queue of connections that wait to be accepted while MCP is loaded
SOCKETS = 300
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
MCP = {"Accept": "application/json, text/event-stream"}
LIMITED = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))
from inspector.__main__ import main
sys.exit(main())
"""


@pytest.fixture
def limited(filled, tmp_path):
    """A server in a process that may open few files."""
    Tokens().all()  # made before the server looks for them
    arguments = ["--db", str(filled.store.path), "--serve", "--port", "0", "--json"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", LIMITED, *arguments], stdout=subprocess.PIPE, stderr=log, text=True
        )
    reported = ""
    while not reported.endswith("}\n"):
        reported += process.stdout.readline()
    yield int(json.loads(reported)["url"].rpartition(":")[2])
    process.kill()
    process.wait()
    process.stdout.close()


def begun(port: int) -> socket.socket:
    """A connection that says nothing; it is not waited for, since the server may let it wait."""
    made = socket.socket()
    made.setblocking(False)
    made.connect_ex(("127.0.0.1", port))
    return made


def test_mcp_answers_however_many_silent_sockets_came_before_it_was_loaded(limited, tmp_path):
    silent = [begun(limited) for _ in range(SOCKETS)]
    try:
        client = Client(limited, Tokens().find(DEFAULT).secret)
        said = client.say("POST", "/mcp", HELLO, **MCP)
        assert (said.status, said.shape["result"]["serverInfo"]["name"]) == (200, "memory-inspector")
        ready = client.say("GET", "/ready", Authorization=None).shape
        assert (ready["mcp"], ready["store"]) == ("ready", "ready")
        assert client.say("GET", "/api/v1/memories").status == 200
        assert "Too many open files" not in (tmp_path / "log").read_text()
    finally:
        for connection in silent:
            connection.close()


@pytest.mark.parametrize(("files", "most"), [(20_000, 256), (1024, 256), (256, 96), (128, 32), (64, 8), (20, 8)])
def test_the_cap_leaves_half_of_the_files_and_some_for_the_store_and_the_model(files, most, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert listening.max_connections() == most


class Fails:
    """A build that fails a number of times before it is what it was."""

    def __init__(self, times: int, build) -> None:
        self.times, self.build, self.failed = times, build, threading.Event()

    def __call__(self, *arguments):
        if self.times:
            self.times -= 1
            self.failed.set()
            raise OSError(24, "Too many open files")
        return self.build(*arguments)


@pytest.fixture
def failing(filled, monkeypatch):
    """A server whose MCP part does not load at first; `now` ends the wait for another attempt."""
    monkeypatch.setattr(app, "RETRY_SECONDS", (600.0,))
    server = HttpServer(filled, Serving(port=0))
    build = Fails(1, server._mcp._build)
    monkeypatch.setattr(server._mcp, "_build", build)
    server.start()
    assert build.failed.wait(20)
    yield server
    server.stop()


def test_a_failure_to_load_is_reported_and_retried(failing, monkeypatch):
    monkeypatch.setattr(app, "WAIT_SECONDS", 0.1)
    client = Client(failing.port, Tokens().find(DEFAULT).secret)
    refused = client.say("POST", "/mcp", HELLO, **MCP)
    assert refused.status == 503
    assert "Too many open files" in refused.shape["detail"]
    for path in ("/health", "/ready"):
        said = client.say("GET", path, Authorization=None)
        assert (said.status, said.shape["status"], said.shape["mcp"]) == (503, "failing", "failed")
    monkeypatch.setattr(app, "WAIT_SECONDS", 20.0)
    failing._mcp.try_again()
    assert client.say("POST", "/mcp", HELLO, **MCP).status == 200
    assert client.say("GET", "/health", Authorization=None).shape["status"] == "ok"


def test_readiness_covers_mcp_store_and_model(client):
    assert client.say("POST", "/mcp", HELLO, **MCP).status == 200
    said = client.say("GET", "/ready", Authorization=None)
    assert said.shape.keys() == {"status", "version", "mcp", "store", "model"}
    assert said.shape["model"] in ("loading", "unavailable", "ready")
    assert said.status == (503 if said.shape["model"] == "loading" else 200)


def test_a_store_that_has_gone_is_not_ready(client, filled):
    assert client.say("GET", "/health", Authorization=None).shape["store"] == "ready"
    filled.store.path.rename(filled.store.path.with_name("elsewhere.db"))
    try:
        said = client.say("GET", "/health", Authorization=None)
        assert (said.status, said.shape["status"], said.shape["store"]) == (503, "failing", "failed")
    finally:
        filled.store.path.with_name("elsewhere.db").rename(filled.store.path)


def test_a_model_that_fails_in_whatever_way_is_said_to_be_unavailable(workspace: Workspace, monkeypatch):
    def broken(*_):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("core.services.embeddings.load", broken)
    with pytest.raises(OSError, match="Too many"):
        workspace.embeddings.load()
    status = workspace.embeddings.status()
    assert (status.state, "Too many open files" in status.sentence) == ("unavailable", True)
