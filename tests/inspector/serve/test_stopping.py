"""A server that is told to stop says goodbye and exits with 0, whatever is still open."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys

import pytest

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
    told = ""
    while not told.endswith("}\n"):
        told += process.stdout.readline()
    yield process, json.loads(told)
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        pipe.close()


def test_sigterm_ends_open_streams_and_the_exit_code_is_0(started):
    process, told = started
    port = int(told["url"].rpartition(":")[2])
    stream = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    stream.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {Tokens().find(DEFAULT).secret}"})
    response = stream.getresponse()
    assert response.readline() == b": listening\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    response.read()  # ends, and not with an error
    stream.close()
    assert "Traceback" not in process.stderr.read()


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
        process.stdin.write(json.dumps(hello).encode() + b"\nnot json\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["result"]["serverInfo"]["name"] == "memory-inspector"
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
        (["--host", "0.0.0.0"], "--allow-remote says that this is meant"),
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
