"""A server that is asked to stop says goodbye and exits with 0, whatever is still open."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys

import pytest
from serving import Client

from core.services.workspace import Workspace
from inspector.serve.tokens import DEFAULT, Tokens


@pytest.fixture
def started(filled):
    """A server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "inspector", "--db", str(filled.store.path), "--serve", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    reported = ""
    while not reported.endswith("}\n"):
        reported += process.stdout.readline()
    yield process, json.loads(reported)
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        pipe.close()


def test_sigterm_ends_open_streams_and_the_exit_code_is_0(started):
    process, reported = started
    port = int(reported["url"].rpartition(":")[2])
    stream = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    stream.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {Tokens().find(DEFAULT).secret}"})
    response = stream.getresponse()
    assert response.readline() == b": listening\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    response.read()  # ends, and not with an error
    stream.close()
    log = process.stderr.read()
    assert "Traceback" not in log
    assert "all clients: 0 calls, 0 recalls, p50" in log


def test_a_write_that_is_made_to_be_slow_holds_up_neither_health_nor_the_end(started):
    process, reported = started
    port = int(reported["url"].rpartition(":")[2])
    client = Client(port, Tokens().find(DEFAULT).secret)
    for number in range(20):
        assert client.api("POST", "/memories", {"content": f"Notes on the harbour, berth {number}"}).status == 200
    slow = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"content": "Notes on the harbour " + "-" * 60_000})
    headers = {"Authorization": f"Bearer {client.token}", "Content-Type": "application/json"}
    slow.request("POST", "/api/v1/memories", body, headers)
    for _ in range(3):
        assert client.say("GET", "/health").status == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    slow.close()


def test_the_end_of_standard_input_and_a_signal_both_end_it_with_0(filled):
    command = [sys.executable, "-m", "inspector", "--db", str(filled.store.path), "--serve", "--stdio"]
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    for end in ("end of input", "signal"):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["result"]["serverInfo"]["name"] == "memory-inspector"
        for line, sentence in (
            (b"not json", "not JSON"),
            (b'{"jsonrpc": "2.0", "id": 7, "method": 5}', "no JSON-RPC message"),
            (b'{"jsonrpc": "2.0", "id": 8, "method": "x", "params": {"a": "\\ud800"}}', "half a character"),
            (
                b'{"jsonrpc": "2.0", "id": 9, "method": "x", "params": ' + b'{"a":' * 200 + b"1" + b"}" * 200 + b"}",
                "nested",
            ),
            (b'"' + b"x" * 1_200_000 + b'"', "bytes at most"),
        ):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            assert sentence in json.loads(process.stdout.readline())["error"]["message"]
        if end == "signal":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        assert process.wait(10) == 0
        assert b"Traceback" not in process.stderr.read()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


def test_wrong_use_is_one_sentence_and_the_exit_code_2(filled):
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    for more, words in (
        (["--port", str(taken.getsockname()[1])], "Address already in use"),
        (["--host", "0.0.0.0"], "--allow-remote allows it"),
        (["--compat", "mem0"], "--compat must be one of reference"),
        (["--stdio", "--scope", "all"], "A scope is one of read, write, curate"),
    ):
        run = subprocess.run(
            [sys.executable, "-m", "inspector", "--db", str(filled.store.path), "--serve", *more],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert run.returncode == 2
        assert words in run.stderr
        assert len(run.stderr.strip().splitlines()) == 1
    taken.close()


def test_several_clients_may_start_at_once_where_there_is_no_store_yet(home):
    command = [sys.executable, "-m", "inspector", "--serve", "--stdio"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = [subprocess.Popen(command, **pipes) for _ in range(4)]
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = {"name": "memory_store", "arguments": {"content": "Redis evicts any key", "duplicates": "keep"}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    given = "".join(json.dumps(each) + "\n" for each in asked).encode()
    for process in started:
        process.stdin.write(given)
        process.stdin.flush()
    outcomes = [(process.communicate(timeout=60), process.returncode) for process in started]
    assert [code for _, code in outcomes] == [0, 0, 0, 0], outcomes
    assert all(b"Stored as memory" in said[0] for said, _ in outcomes), "each is answered before it ends"
    with Workspace.open(home / "memories.db") as workspace, workspace.store.read() as reader:
        assert reader.count() == 4


def test_a_tethered_server_ends_when_the_program_that_started_it_is_gone(filled):
    program = [sys.executable, "-m", "inspector", "--db", str(filled.store.path), "--serve", "--port", "0"]
    with subprocess.Popen(
        [*program, "--json", "--tethered"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        reported = server.stdout.readline()
        assert reported
        server.stdin.close()  # as the system does for a program that has crashed
        assert server.wait(timeout=60) == 0
