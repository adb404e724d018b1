"""Answers as a model reads them: in brief they stay within their tokens and say what an agent needs; in full, all."""

from __future__ import annotations

import json

import anyio
import pytest
from serving import over_http
from tokens_o200k import estimated_tokens

from core.changes import PERSON
from core.services import exchange, query, remember, why_not
from core.services.query import Question
from core.services.workspace import Workspace
from inspector import resources, sample, wire
from inspector.serve.app import HttpServer, Serving
from inspector.serve.tokens import DEFAULT, EVERY_SCOPE, Tokens

QUERIES = [json.loads(line)["text"] for line in sample.judged_queries().read_text("utf-8").splitlines()]
MAX_RECALL, MAX_EXPLAIN, MAX_WHY_NOT = 900, 600, 400


@pytest.fixture(scope="module")
def hatchway(tmp_path_factory) -> Workspace:
    """The memories of the sample, without vectors."""
    with Workspace.create(tmp_path_factory.mktemp("sample") / "sample.db") as made:
        exchange.import_file(made, resources.path("sample/memories.jsonl"), actor=PERSON, moved_to_now=True)
        yield made


@pytest.mark.parametrize("text", QUERIES)
def test_a_brief_recall_of_ten_stays_within_its_tokens_in_either_form(hatchway, text):
    shape = wire.brief.recalled(query.ask(hatchway, Question(text=text, k=10)))
    assert estimated_tokens(shape) <= MAX_RECALL
    assert estimated_tokens(wire.brief.recalled_text(shape)) <= MAX_RECALL


def test_most_of_these_recalls_have_ten_results(hatchway):
    counts = [len(query.ask(hatchway, Question(text=text, k=10)).ranking.results) for text in QUERIES]
    assert counts.count(10) > len(QUERIES) / 2


@pytest.mark.parametrize("id", range(1, 111, 12))
def test_a_brief_explanation_stays_within_its_tokens_in_either_form(hatchway, id):
    shape = wire.brief.explanation(query.explain(hatchway, Question(text=QUERIES[0], k=10), str(id)))
    assert estimated_tokens(shape) <= MAX_EXPLAIN
    assert estimated_tokens(wire.brief.explanation_text(shape)) <= MAX_EXPLAIN


def test_a_brief_why_not_stays_within_its_tokens_and_names_the_smallest_change_first(hatchway):
    question = Question(text=QUERIES[0], k=3)
    last = query.ask(hatchway, Question(text=QUERIES[0], k=5)).memories[-1]
    found = query.explain(hatchway, question, str(last.id))
    missed = why_not.why_not(hatchway, question, str(last.id))
    shape = wire.brief.why_not(found, missed)
    assert shape["why_not"]["changes"][0] == {"sentence": missed.smallest.sentence}
    text = wire.brief.why_not_text(shape)
    assert missed.smallest.sentence in text
    assert estimated_tokens(shape) <= MAX_WHY_NOT
    assert estimated_tokens(text) <= MAX_WHY_NOT


def test_a_long_memory_is_an_excerpt_only_where_the_results_need_the_room(workspace):
    long = "The gearbox needs oil. " + "It stands in hall four, behind the lathe. " * 80
    remember.remember(workspace, {"content": long}, actor=PERSON)
    for number in range(9):
        remember.remember(workspace, {"content": f"Gearbox {number} needs oil {'xyz'[number % 3] * 5}"}, actor=PERSON)
    texts = [each["text"] for each in wire.brief.results(query.ask(workspace, Question(text="gearbox oil", k=10)))]
    (cut,) = (text for text in texts if text.endswith("…"))
    assert cut.startswith("The gearbox needs oil.")
    assert 400 < len(cut) < 4 * 50 * 10, "it has the room that the short ones leave"
    budgeted = Question(text="gearbox oil", k=10, token_budget=2_000)
    whole = [each["text"] for each in wire.brief.results(query.ask(workspace, budgeted))]
    assert " ".join(long.split()) in whole


def test_an_observation_says_whom_it_is_about_where_its_text_does_not(workspace):
    for content, names in (("Likes tea", ["Bob"]), ("Ada likes tea too", ["Ada"])):
        remember.remember(workspace, {"content": content, "entities": names, "type": "observation"}, actor=PERSON)
    answer = query.ask(workspace, Question(text="likes tea"))
    shape = wire.brief.recalled(answer)
    assert {each["text"]: each.get("about") for each in shape["results"]} == {
        "Likes tea": ["Bob"],
        "Ada likes tea too": None,
    }
    assert "Likes tea (about Bob, today," in wire.brief.recalled_text(shape)
    assert "Likes tea (about: Bob, confidence:" in answer.prompt


def test_over_mcp_brief_is_the_default_and_full_has_everything(server, client):
    asked = {"query": "how many connections does the pool have?", "k": 2}

    async def main() -> None:
        async with over_http(server, client.token, "auto") as session:
            brief = (await session.call_tool("memory_recall", asked)).structured_content
            full = (await session.call_tool("memory_recall", {**asked, "detail": "full"})).structured_content
            assert set(brief) == {"notice", "results", "warnings"}
            assert set(brief["results"][0]) == {"id", "text", "type", "age", "score", "why"}
            for short, whole in zip(brief["results"], full["results"], strict=True):
                assert {**whole, "score": short["score"]}.items() >= short.items()
                assert whole["memory"]["id"] == short["id"]
                assert whole["score"] == pytest.approx(short["score"], rel=0.01)
            assert full["trace"]["stages"]
            assert full["prompt"].startswith(brief["notice"])
            for name in ("memory_explain", "memory_why_not"):
                given = {**asked, "memory": 4}
                answered = await session.call_tool(name, given)
                brief, text = answered.structured_content, answered.content[0].text
                full = (await session.call_tool(name, {**given, "detail": "full"})).structured_content
                assert "trace" not in brief
                assert full["trace"]["stages"]
                assert brief["reason"]["sentence"] == full["reason"]["sentence"]
                assert brief["reason"]["sentence"] in text
            refused = await session.call_tool("memory_recall", {**asked, "detail": "all"})
            assert refused.content[0].text == "detail must be one of brief, full."

    anyio.run(main)


def test_a_recall_of_the_last_days_leaves_out_what_is_older(workspace, clock):
    remember.remember(workspace, {"content": "The pool had 5 connections"}, actor=PERSON)
    clock.advance(clock.now() - clock.now().replace(day=1))
    remember.remember(workspace, {"content": "The pool has 25 connections"}, actor=PERSON)
    server = HttpServer(workspace, Serving(port=0))
    server.start()
    token = Tokens().change(DEFAULT, EVERY_SCOPE).secret

    async def recalled(**more: str) -> list[str]:
        async with over_http(server, token, "auto") as session:
            found = await session.call_tool("memory_recall", {"query": "pool connections", **more})
            return [each["text"] for each in found.structured_content["results"]]

    try:
        assert anyio.run(lambda: recalled(since="1d")) == ["The pool has 25 connections"]
        assert anyio.run(lambda: recalled(until="1d")) == ["The pool had 5 connections"]
        assert len(anyio.run(recalled)) == 2
    finally:
        server.stop()
