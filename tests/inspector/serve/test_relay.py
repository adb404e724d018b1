"""A server over standard input has its reads answered by a running server, and goes on alone when that is gone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import anyio
import pytest
from serving import Client
from stdio_client import over_stdio

from core.services import audit
from inspector.serve import running
from inspector.serve.app import HttpServer, Serving
from inspector.serve.relay import relay_to
from inspector.serve.tokens import DEFAULT, EVERY_SCOPE, Tokens


@pytest.fixture
def started(filled):
    """A running server in a process of its own, and its pid's process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "inspector", "--db", str(filled.store.path), "--serve", "--port", "0", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    reported = ""
    while not reported.endswith("}\n"):
        reported += process.stdout.readline()
    client = Client(int(json.loads(reported)["url"].rpartition(":")[2]), Tokens().find(DEFAULT).secret)
    assert client.say("GET", "/health").status == 200
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_reads_are_answered_by_the_server_under_the_clients_own_name_and_scopes(server, filled, tmp_path):
    async def main() -> None:
        async with over_stdio(filled.store.path, tmp_path, "auto", "--scope", "read,write") as session:
            found = await session.call_tool("memory_recall", {"query": "pool connections"})
            assert "10 connections" in found.content[0].text
            stored = await session.call_tool("memory_store", {"content": "Redis evicts any key"})
            assert stored.content[0].text == "Stored as memory 5."
            missing = await session.call_tool("memory_get", {"memory": 99})
            assert missing.is_error
            assert missing.content[0].text.startswith("There is no memory '99'")
            assert (await session.call_tool("memory_pin", {"memory": 1})).is_error

    anyio.run(main)
    server.dispatcher.recorder.flush()
    calls = audit.calls(filled)
    assert sorted((call.tool, call.client, call.session) for call in calls) == [
        ("memory_get", "claude-code", "stdio"),
        ("memory_pin", "claude-code", "stdio"),
        ("memory_recall", "claude-code", "stdio"),
        ("memory_store", "claude-code", "stdio"),
    ]


def test_a_narrow_scope_stays_narrow_although_the_servers_token_may_do_more(server, filled, tmp_path):
    Tokens().change(DEFAULT, EVERY_SCOPE)

    async def main() -> None:
        async with over_stdio(filled.store.path, tmp_path, "auto", "--scope", "write") as session:
            refused = await session.call_tool("memory_recall", {"query": "pool"})
            assert (refused.is_error, refused.content[0].text) == (
                True,
                "memory_recall needs a token with the scope read.",
            )

    anyio.run(main)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_goes_away_loses_no_call_and_no_write_is_done_twice(started, filled, tmp_path, how):
    async def main() -> None:
        async with over_stdio(filled.store.path, tmp_path, "auto") as session:
            assert not (await session.call_tool("memory_recall", {"query": "pool"})).is_error
            started.send_signal(how)
            await anyio.to_thread.run_sync(started.wait)
            for number in range(3):
                assert not (await session.call_tool("memory_store", {"content": f"Berth {number} is let"})).is_error
                found = await session.call_tool("memory_recall", {"query": "pool connections"})
                assert "10 connections" in found.content[0].text

    anyio.run(main)
    with filled.store.read() as reader:
        assert reader.count() == 7
    assert len([call for call in audit.calls(filled) if call.client == "claude-code"]) == 7


def test_calls_in_flight_when_the_server_is_killed_are_all_answered(started, filled, tmp_path):
    async def main() -> None:
        async with over_stdio(filled.store.path, tmp_path, "auto") as session:
            await session.call_tool("memory_recall", {"query": "pool"})
            answers = []

            async def ask(number: int) -> None:
                if number % 2:
                    answers.append(await session.call_tool("memory_store", {"content": f"Berth {number} is let"}))
                else:
                    answers.append(await session.call_tool("memory_why_not", {"query": "pool", "memory": 4}))

            async with anyio.create_task_group() as group:
                for number in range(8):
                    group.start_soon(ask, number)
                await anyio.to_thread.run_sync(started.kill)
            assert [each.is_error for each in answers] == [False] * 8

    anyio.run(main)
    with filled.store.read() as reader:
        assert reader.count() == 8


def test_only_the_secret_of_the_note_opens_the_way(server, filled, client):
    relay = relay_to(filled.store.path)
    asked = {"tool": "memory_stats", "arguments": {}, "caller": {
        "client": "x", "session": "", "scopes": ["read"], "max_confidence": 1.0}}  # fmt: skip
    assert relay.ask(asked)["shape"]["memories"] == 4
    assert client.say("POST", "/relay", asked).status == 401, "a token, whatever its scopes"
    assert Client(server.port, relay.secret).api("GET", "/stats").status == 401, "nor is the secret a token"
    for wrong in (
        {},
        {"tool": 7},
        {**asked, "caller": {}},
        {**asked, "caller": {**asked["caller"], "scopes": ["all"]}},
    ):
        assert Client(server.port, relay.secret).say("POST", "/relay", wrong).status == 400
    note = next((running._folder()).glob("*.json"))
    assert note.stat().st_mode & 0o777 == 0o600


def test_the_model_of_the_server_embeds_what_is_written(filled, models, tmp_path):
    server = HttpServer(filled, Serving(port=0))
    server.start()
    try:
        filled.embeddings.load()

        async def main() -> None:
            async with over_stdio(filled.store.path, tmp_path, "auto") as session:
                stored = await session.call_tool("memory_store", {"content": "Redis evicts any key"})
                assert stored.structured_content["embedded"]

        anyio.run(main)
    finally:
        server.stop()
