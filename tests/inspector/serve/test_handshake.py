"""The opening over standard input: the light answers are the SDK's own, and what comes before the rest is there is
neither lost nor answered twice."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys

import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from inspector import resources
from inspector.serve import handshake, handshake_answers
from inspector.serve.handshake import Handshake
from inspector.serve.handshake_answers import CLIENT, ENVELOPE, INITIALIZED, exchange, hello, request
from inspector.serve.tokens import DEFAULT_SCOPES, Scope


def test_the_file_is_what_the_sdk_says_now():
    kept = resources.path(handshake.ANSWERS).read_text("utf-8")
    assert kept == handshake_answers.text(), "run `make docs`"


def said_lightly(messages, compat="", scopes=DEFAULT_SCOPES):
    opening = Handshake(compat, scopes)
    answers = [opening.answer(each) for each in messages]
    return [json.dumps(each, ensure_ascii=False, separators=(",", ":")) if each else each for each in answers]


OLDER = [
    INITIALIZED,
    request("tools/list"),
    request("tools/list", {}),
    request("ping"),
    request("ping", {"_meta": {"progressToken": 7}}),
]


@pytest.mark.parametrize("version", [*KNOWN_PROTOCOL_VERSIONS, "1999-01-01", ""])
@pytest.mark.parametrize("compat", ["", "reference"])
def test_older_openings_are_answered_byte_for_byte_as_the_sdk_does(version, compat):
    messages = [hello(version), *OLDER]
    light = [each for each in said_lightly(messages, compat) if each != {}]
    assert light == exchange(messages, compat, DEFAULT_SCOPES)


@pytest.mark.parametrize("scopes", [frozenset(each) for n in (1, 2, 3) for each in itertools.combinations(Scope, n)])
def test_the_newest_opening_is_answered_byte_for_byte_as_the_sdk_does(scopes):
    without_client = {"_meta": {name: value for name, value in ENVELOPE["_meta"].items() if "clientInfo" not in name}}
    for first in ("server/discover", "tools/list"):
        messages = [
            request(first, ENVELOPE),
            request("tools/list", without_client),
            request("server/discover", ENVELOPE),
        ]
        assert said_lightly(messages, scopes=scopes) == exchange(messages, scopes=scopes)


def mutations():
    """Openings with one thing changed; the SDK refuses some of them."""
    values = [None, 7, "x", [], {}, {"a": 1}, {"a": {}}, True, [1], {"listChanged": True}, {"listChanged": "x"}]
    for name in ("protocolVersion", "capabilities", "clientInfo", "_meta", "more"):
        for value in values:
            yield {**hello("2025-06-18")["params"], name: value}
    for name in ("roots", "sampling", "elicitation", "experimental", "extensions", "tasks", "logging", "new"):
        for value in [*values, {"a": {"b": {}}}, {"form": {}, "url": {}}, {"tools": {}}, {"requests": {"x": {}}}]:
            yield {**hello("2025-06-18")["params"], "capabilities": {name: value}}
    for name in ("name", "version", "title", "icons", "websiteUrl", "description", "new"):
        for value in values:
            yield {**hello("2025-06-18")["params"], "clientInfo": {**CLIENT, name: value}}
    yield {}
    yield {"protocolVersion": "2025-06-18"}


def test_whatever_is_answered_lightly_the_sdk_answers_so_too():
    answered = 0
    for params in mutations():
        opening = request("initialize", params)
        (light,) = said_lightly([opening])
        if light is not None:
            answered += 1
            assert [light] == exchange([opening]), params
    assert answered > 20
    for params in (
        {"cursor": "x"},
        {"_meta": 7},
        {"_meta": {"progressToken": True}},
        {"_meta": {"a": 1}},
        {"x": 1},
        ENVELOPE,
    ):
        assert said_lightly([hello("2025-11-25"), request("tools/list", params)])[1] is None
    newest = request(
        "tools/list", {"_meta": {**ENVELOPE["_meta"], "io.modelcontextprotocol/protocolVersion": "2030-01-01"}}
    )
    for first in (request("tools/list"), request("ping"), newest, request("initialize")):
        assert said_lightly([first, hello("2025-11-25")]) == [None, None], "the SDK decides from then on"


@pytest.fixture
def process(filled):
    """A server over standard input and output."""
    with subprocess.Popen(
        [sys.executable, "-m", "inspector", "--db", str(filled.store.path), "--serve", "--stdio"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as made:  # fmt: skip
        yield made
        made.kill()


def send(process, *messages):
    process.stdin.write("".join(json.dumps(each) + "\n" for each in messages).encode())
    process.stdin.flush()


def ids_to_the_end(process) -> dict:
    """Answers by id, until the process ends by itself; no id is answered twice."""
    out, err = process.communicate(timeout=120)
    assert (process.returncode, b"Traceback" in err) == (0, False)
    answers = [json.loads(line) for line in out.splitlines()]
    assert len({each["id"] for each in answers}) == len(answers)
    return {each["id"]: each for each in answers}


def call(id, tool, **arguments):
    return {**request("tools/call", {"name": tool, "arguments": arguments}), "id": id}


def test_requests_before_the_rest_is_there_are_answered_once_and_before_the_end(process):
    send(process, hello("2025-11-25"), INITIALIZED)
    send(process, call(2, "memory_get", memory=1), call(3, "memory_store", content="Redis evicts any key"))
    send(process, {**request("ping"), "id": 4}, {**request("tools/list"), "id": 5}, call(6, "memory_dream"))
    answers = ids_to_the_end(process)
    assert sorted(answers) == [1, 2, 3, 4, 5, 6]
    assert answers[2]["result"]["structuredContent"]["memory"]["content"] == "The pool has 10 connections"
    assert answers[3]["result"]["content"][0]["text"] == "Stored as memory 5."
    assert "There is no tool" in answers[6]["error"]["message"]


def test_a_request_that_is_cancelled_while_it_waits_is_never_carried_out(process, filled):
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    send(
        process,
        hello("2025-11-25"),
        INITIALIZED,
        call(2, "memory_store", content="Not this"),
        cancelled,
        call(3, "memory_get", memory=1),
    )
    assert sorted(ids_to_the_end(process)) == [1, 3]
    with filled.store.read() as reader:
        assert reader.count() == 4


def test_the_end_of_the_input_after_the_opening_ends_it_at_once(process):
    send(process, hello("2025-11-25"), INITIALIZED, {**request("tools/list"), "id": 2})
    assert sorted(ids_to_the_end(process)) == [1, 2]


def test_a_signal_while_the_rest_is_loaded_ends_it_with_0(process):
    send(process, hello("2025-11-25"), INITIALIZED, {**request("tools/list"), "id": 2})
    assert [json.loads(process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0


def test_a_malformed_opening_is_refused_as_the_sdk_does(process):
    wrong = request("initialize", {"protocolVersion": 7})
    send(process, wrong, {**hello("2025-11-25"), "id": 2})
    answers = ids_to_the_end(process)
    assert answers[1] == json.loads(exchange([wrong])[0])
    assert answers[2]["result"]["protocolVersion"] == "2025-11-25"


def test_a_store_that_cannot_be_opened_answers_with_its_sentence_and_ends(tmp_path):
    (tmp_path / "no.db").write_text("no database at all, but long enough to look at" * 10)
    process = subprocess.Popen(
        [sys.executable, "-m", "inspector", "--db", str(tmp_path / "no.db"), "--serve", "--stdio"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    send(process, hello("2025-11-25"), INITIALIZED, call(2, "memory_get", memory=1))
    out, err = process.communicate(timeout=60)
    first, second = map(json.loads, out.splitlines())
    assert (process.returncode, first["id"], second["id"]) == (2, 1, 2)
    assert "no.db" in second["error"]["message"]
    assert len(err.strip().splitlines()) == 1


def test_what_is_imported_for_the_opening_is_light(filled):
    """The rest is loaded once the client has its tools."""
    heavy = ("mcp", "pydantic", "numpy", "apsw", "starlette", "anyio", "asyncio", "jsonschema", "core.services")
    code = (
        "import sys; from inspector.commands import serve; from inspector.serve import stdio, handshake, tokens;"
        f"print([each for each in {heavy!r} if each in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, check=True)
    assert run.stdout.strip() == "[]"
