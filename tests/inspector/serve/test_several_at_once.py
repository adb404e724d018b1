"""Several memories in one call: each is judged and answered by itself, and all of them are one operation."""

from __future__ import annotations

import anyio
from serving import over_http

from core.changes import PERSON
from core.services import curate

SEVERAL = [
    {"content": "Redis evicts any key", "type": "gotcha"},
    {"content": "The pool has 10 connections"},
    {"content": "half \x00 a text"},
    {"content": "Redis evicts any key"},
    {"content": "The build takes 4 minutes", "tags": ["ci"]},
    {"content": "The build takes 9 minutes"},
]


def test_each_of_several_is_answered_and_all_are_undone_at_once(server, client, filled):
    async def main() -> None:
        async with over_http(server, client.token, "auto") as session:
            shared = {"session": "s-1", "tags": ["shared"]}
            answered = await session.call_tool("memory_store", {"memories": SEVERAL, **shared})
            assert not answered.is_error, answered.content
            results = answered.structured_content["results"]
            assert [each["stored"] for each in results] == [True, False, False, False, True, True]
            new, known, refused, again, build, other = results
            assert (known["memory"], again["memory"]) == (1, new["memory"])
            assert refused["sentence"].startswith("Not stored: ")
            assert other["suspected_contradictions"] == [build["memory"]]
            lines = answered.content[0].text.splitlines()
            assert lines[0] == f"1. Stored as memory {new['memory']}."
            found = await session.call_tool("memory_get", {"memories": [new["memory"], str(build["memory"]), 999]})
            first, second = (each["memory"] for each in found.structured_content["memories"])
            assert (first["type"], first["session"], first["tags"]) == ("gotcha", "s-1", ["shared"])
            assert second["tags"] == ["ci"], "its own fields count before the shared ones"
            assert found.structured_content["missing"] == ["999"]
            curate.undo_operation(filled, answered.structured_content["operation"], actor=PERSON)

    anyio.run(main)
    with filled.store.read() as reader:
        assert reader.count() == 4, "one undo reverts all of it"
        reasons = [entry.reason for entry in reader.journal_entries(limit=10)]
    refused = [reason for reason in reasons if "Not stored: The pool" in reason]
    assert len(refused) == 1, "the refused text is in the journal"


def test_a_call_that_is_wrong_changes_nothing(client, filled):
    for body, sentence in (
        ({}, "Give either content, for one memory, or memories, for several."),
        ({"content": "x", "memories": [{"content": "y"}]}, "Give either content"),
        ({"memories": []}, "memories must be a list of 1 to 100 items."),
        ({"memories": [{"content": "good"}, {}]}, "The argument memories.1.content is missing."),
        ({"memories": [{"content": "good"}, {"content": "x", "pinned": True}]}, "There is no argument 'pinned'"),
    ):
        said = client.api("POST", "/memories", body)
        assert said.status in (400, 422)
        assert sentence in said.shape["detail"]
    with filled.store.read() as reader:
        assert reader.count() == 4


def test_a_token_caps_the_confidence_of_each_of_several(client, server):
    from inspector.serve.dispatcher import Caller
    from inspector.serve.tokens import DEFAULT_SCOPES

    capped = Caller("codex", DEFAULT_SCOPES, max_confidence=0.5)
    reply = server.dispatcher.call("memory_store", {"memories": [{"content": "Tea is at four"}]}, capped)
    assert "Its confidence is 0.5" in reply.shape["results"][0]["sentence"]
