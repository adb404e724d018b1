"""The hook: memories for a prompt, markers from a transcript, and never a disturbance."""

from __future__ import annotations

import io
import json
import sys

import pytest

from core import folders
from core.services import audit, query
from core.services.query import Question
from inspector.cli import main
from inspector.serve.running import running


@pytest.fixture
def hook(filled, capsys, monkeypatch):
    def run(event, *arguments):
        written = event if isinstance(event, bytes) else json.dumps(event).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written)))
        code = main(["--db", str(filled.store.path), "hook", *arguments])
        return code, capsys.readouterr().out

    return run


def log() -> str:
    return (folders.cache() / "hook.log").read_text()


PROMPT = {"hook_event_name": "UserPromptSubmit", "prompt": "pool connections", "session_id": "s-1"}


def test_a_running_server_answers_and_records_it(hook, server, filled):
    assert running(filled.store.path) == server.url
    code, out = hook(PROMPT, "--k", "1")
    assert code == 0
    assert out.startswith("Stored memories follow")
    server.door.recorder.flush()
    (call,) = audit.calls(filled)
    assert (call.client, call.session, call.returned) == ("hook", "s-1", 1)


def test_without_a_server_the_store_itself_is_asked(hook, filled, tmp_path):
    code, out = hook({"user_prompt": "pool connections"}, "--to", str(tmp_path / "recollection.md"))
    assert code == 0
    expected = query.ask(filled, Question(text="pool connections")).prompt
    assert out.strip() == expected
    assert (tmp_path / "recollection.md").read_text() == expected
    assert audit.calls(filled) == []


@pytest.mark.parametrize("event", [b"", b"not json", b"[]", b'{"prompt": 7}', b'{"hook_event_name": "SessionEnd"}'])
def test_whatever_is_wrong_nothing_is_printed_and_the_exit_code_is_0(hook, event):
    assert hook(event) == (0, "")


def test_a_store_that_is_missing_or_a_wrong_option_does_not_erase_what_the_user_typed(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(PROMPT).encode())))
    assert main(["--db", str(tmp_path / "none.db"), "hook"]) == 0
    assert capsys.readouterr().out == ""
    assert "none.db" in log()
    assert main(["hook", "--wrong"]) == 1, "2 would erase it"


def test_what_the_agent_marked_in_its_transcript_is_kept_once(hook, filled, tmp_path):
    transcript = tmp_path / "t.jsonl"
    marked = "[MEMORY type=gotcha tags=redis] Redis evicts any key when it is full"
    lines = [
        {"type": "user", "message": {"content": "[MEMORY] what a user or a tool says is not kept"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": f"Done.\n{marked}"}]}},
        {"type": "assistant", "isSidechain": True, "message": {"content": "[MEMORY] nor what is said aside"}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "input": {}}]}},
        {"type": "summary"},
    ]
    transcript.write_text("\n".join(map(json.dumps, lines)) + "\nbroken {\n")
    event = {"hook_event_name": "SessionEnd", "transcript_path": str(transcript), "session_id": "s-9"}
    for _ in range(2):
        assert hook(event) == (0, "")
    with filled.store.read() as reader:
        (kept,) = [reader.memory(id) for id in reader.memory_ids() if id > 4]
    assert (kept.content, kept.type, kept.tags) == ("Redis evicts any key when it is full", "gotcha", ("redis",))
    assert (kept.session, kept.agent, kept.source) == ("s-9", "hook", "agent")
    assert "1 memories kept of 1 marked" in log()
    assert "0 memories kept of 1 marked" in log()
