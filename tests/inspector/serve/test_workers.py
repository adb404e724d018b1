"""Several processes on one port: they answer alike, forward sessions to each other, are replaced, and end together."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from serving import Client

from core.services import audit
from inspector.serve.tokens import DEFAULT, Tokens

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the children of a process from /proc")

WORKERS = 3
ACCEPT = {"Accept": "application/json, text/event-stream"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "1"}}


def workers_of(process) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for_end(pid: int) -> None:
    """Wait for a process that is not our child."""
    watched = os.pidfd_open(pid) if is_there(pid) else None
    if watched is not None:
        assert select.select([watched], [], [], 30)[0], "it does not end"
        os.close(watched)


@pytest.fixture
def started(filled, tmp_path):
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "inspector", "--db", str(filled.store.path), "--serve", "--port", "0", "--json",
             "--workers", str(WORKERS)],
            stdout=subprocess.PIPE, stderr=log, text=True,
        )  # fmt: skip
    reported = ""
    while not reported.endswith("}\n"):
        reported += process.stdout.readline()
    client = Client(int(json.loads(reported)["url"].rpartition(":")[2]), Tokens().find(DEFAULT).secret)
    yield process, client
    if process.poll() is None:
        process.kill()
        process.wait()
    process.stdout.close()


def become_ready(client: Client) -> dict[str, str]:
    while (said := client.say("GET", "/ready")).status != 200:
        assert said.shape["status"] == "loading", said.shape
    return said.shape


def test_all_answer_record_and_are_ready_together(started, filled):
    process, client = started
    assert become_ready(client)["workers"] == "ready"
    assert len(workers_of(process)) == WORKERS
    for _ in range(12):
        assert client.api("POST", "/recall", {"query": "pool"}, X_Client="codex").status == 200
    stored = client.api("POST", "/memories", {"content": "Redis evicts any key"})
    assert client.api("GET", f"/memories/{stored.shape['memory']['id']}").status == 200, "by whichever worker"
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert [call.tool for call in audit.calls(filled) if call.client == "codex"] == ["memory_recall"] * 12


def test_a_session_is_answered_whichever_worker_is_called(started):
    _, client = started
    become_ready(client)
    holders = set()
    for _ in range(6):
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        session = client.say("POST", "/mcp", hello, **ACCEPT).headers["mcp-session-id"]
        holders.add(session.rpartition(".")[2])
        more = {**ACCEPT, "Mcp_Session_Id": session}
        assert (
            client.say("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, **more).status == 202
        )
        for number in range(4):  # each on a connection of its own
            asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call",
                     "params": {"name": "memory_get", "arguments": {"memory": 1}}}  # fmt: skip
            said = client.say("POST", "/mcp", asked, **more)
            assert said.shape["result"]["structuredContent"]["memory"]["content"] == "The pool has 10 connections"
        assert client.say("DELETE", "/mcp", **more).status == 200
        assert client.say("POST", "/mcp", {"jsonrpc": "2.0", "id": 9, "method": "ping"}, **more).status == 404
    assert holders <= {"0", "1", "2"}


def test_a_stream_of_changes_sees_what_another_worker_writes(started):
    _, client = started
    become_ready(client)
    stream = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    stream.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {client.token}"})
    response = stream.getresponse()
    assert response.readline() == b": listening\n"
    for number in range(4):
        assert client.api("POST", "/memories", {"content": f"Berth {number} is let"}).status == 200
    seen = ""
    while seen.count("event: change") < 4:
        seen += response.readline().decode()
    stream.close()


def test_a_worker_that_dies_is_replaced(started, tmp_path):
    process, client = started
    become_ready(client)
    before = workers_of(process)
    os.kill(before[0], signal.SIGKILL)
    wait_for_end(before[0])
    while len(now := workers_of(process)) < WORKERS or before[0] in now:
        assert process.poll() is None
    become_ready(client)
    for _ in range(6):
        assert client.api("POST", "/recall", {"query": "pool"}).status == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert "was ended by SIGKILL" in (tmp_path / "log").read_text()
    assert not any(is_there(pid) for pid in now)


def test_workers_end_when_their_parent_is_killed(started):
    process, client = started
    become_ready(client)
    pids = workers_of(process)
    process.kill()
    process.wait(10)
    for pid in pids:
        wait_for_end(pid)
    with pytest.raises(ConnectionRefusedError):
        client.say("GET", "/health")


@pytest.mark.parametrize("given", ["0", "33", "two", "-1"])
def test_a_number_of_workers_that_cannot_be_is_one_sentence(filled, given):
    run = subprocess.run(
        [sys.executable, "-m", "inspector", "--db", str(filled.store.path), "--serve", f"--workers={given}"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (run.returncode, len(run.stderr.strip().splitlines())) == (2, 1)
    assert "--workers must be" in run.stderr
