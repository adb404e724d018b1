"""Arguments as clients really send them: whole numbers as 5.0, optional ones as null, for every tool alike."""

from __future__ import annotations

import pytest

from inspector.serve.dispatcher import Caller, CallRefused
from inspector.serve.tokens import EVERY_SCOPE
from inspector.serve.tools import TOOLS

ME = Caller("codex", EVERY_SCOPE)
NEEDED = {
    "query": "pool", "memory": "1", "content": "Redis evicts any key", "source": 1, "target": 2, "contradiction": 1,
    "verdict": "defer",
}  # fmt: skip
ALTERNATIVES = {"memory_store": ("content",), "memory_get": ("memory",)}  # one of two arguments is needed
STRANGE = (None, 5.0, 1.0, -1.0, 0.0, 5.5, 1e300, float(2**70), True, "5", "", [], {}, [None], [1.0], {"a": None})


def call(server, tool, **more):
    names = tool.input.get("required", ()) or ALTERNATIVES.get(tool.name, ())
    try:
        return server.dispatcher.call(tool.name, {**{name: NEEDED[name] for name in names}, **more}, ME)
    except CallRefused as refused:
        assert refused.status != 500, (tool.name, more, str(refused))
        return refused


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_argument_makes_the_server_fail_inside(server, tool):
    for name in tool.input["properties"]:
        for value in STRANGE:
            call(server, tool, **{name: value})


def test_a_whole_number_may_come_as_a_decimal_and_a_null_is_as_good_as_absent(client):
    assert len(client.api("POST", "/recall", {"query": "pool", "k": 1.0, "types": None}).shape["results"]) == 1
    assert client.api("POST", "/explain", {"query": "pool", "memory": 1.0}).shape["memory"]["id"] == 1
    refused = client.api("POST", "/recall", {"query": "pool", "k": 5.5})
    assert (refused.status, refused.shape["detail"]) == (400, "k must be a whole number.")
    assert "query must be a text" in client.api("POST", "/recall", {"query": None}).shape["detail"]


def test_a_memory_is_named_by_its_number_or_its_text_but_by_nothing_else(client):
    for name in (1, 1.0, "1"):
        assert client.api("POST", "/explain", {"query": "pool", "memory": name}).shape["memory"]["id"] == 1
    for name in (1.5, True, [1]):
        refused = client.api("POST", "/explain", {"query": "pool", "memory": name})
        assert (refused.status, refused.shape["detail"]) == (400, "memory must be a whole number or a text.")


def test_nulls_and_whole_decimals_count_inside_lists_and_objects_too(client):
    body = {"memories": [{"content": "Redis evicts any key", "summary": None, "confidence": None}], "tags": None}
    assert client.api("POST", "/memories", body).shape["results"][0]["stored"] is True
    found = client.api("GET", "/memories/1?memories=2&memories=999").shape
    assert [each["memory"]["id"] for each in found["memories"]] == [1, 2]
    assert found["missing"] == ["999"]


def test_a_page_is_listed_by_a_decimal_limit(server):
    tool = next(each for each in TOOLS if each.name == "memory_list")
    assert len(call(server, tool, limit=2.0, before=None).shape["memories"]) == 2
