"""Calls that take long leave room for the others, and end when nothing waits for them any longer."""

from __future__ import annotations

import threading

import pytest

from core.services.recorder import Recorder
from inspector.serve import schemas
from inspector.serve.dispatcher import MAX_HEAVY, Caller, CallRefused, Tool, ToolDispatcher, ToolResult
from inspector.serve.tokens import DEFAULT_SCOPES, Scope
from inspector.serve.tools import TOOLS

AGENT = Caller("codex", DEFAULT_SCOPES)


@pytest.fixture
def recording(filled):
    made = Recorder(filled)
    yield made
    made.close()


def test_only_a_few_heavy_calls_run_at_once_and_the_next_is_refused(filled, recording):
    entered, let_go = threading.Semaphore(0), threading.Event()

    def run(_):
        entered.release()
        let_go.wait(20)
        return ToolResult({})

    nothing = schemas.arguments({})
    heavy = Tool("heavy", "", "", Scope.READ, run, "POST", "/heavy", nothing, nothing, is_heavy=True)
    light = Tool("light", "", "", Scope.READ, lambda _: ToolResult({}), "POST", "/light", nothing, nothing)
    dispatcher = ToolDispatcher(filled, recording, (heavy, light))
    threads = [threading.Thread(target=dispatcher.call, args=("heavy", {}, AGENT)) for _ in range(MAX_HEAVY)]
    for thread in threads:
        thread.start()
    assert all(entered.acquire(timeout=20) for _ in threads)
    with pytest.raises(CallRefused, match="ask again in a moment") as refused:
        dispatcher.call("heavy", {}, AGENT)
    assert refused.value.status == 503
    dispatcher.call("light", {}, AGENT)
    let_go.set()
    for thread in threads:
        thread.join(20)
    dispatcher.call("heavy", {}, AGENT)


def test_a_call_that_asks_again_and_again_ends_when_the_server_stops(filled, recording):
    dispatcher = ToolDispatcher(filled, recording, TOOLS)
    asked = {"query": "pool connections", "memory": 4, "k": 1}
    assert dispatcher.call("memory_why_not", asked, AGENT).shape["why_not"]["is_complete"]
    dispatcher.stopping.set()
    with pytest.raises(CallRefused, match="Given up after asking again"):
        dispatcher.call("memory_why_not", asked, AGENT)


def test_a_call_that_takes_too_long_is_given_up(filled, recording, monkeypatch):
    monkeypatch.setattr("inspector.serve.dispatcher.MAX_SECONDS", -1.0)
    with pytest.raises(CallRefused, match="ask with fewer words"):
        ToolDispatcher(filled, recording, TOOLS).call("memory_why_not", {"query": "pool", "memory": 4, "k": 1}, AGENT)
