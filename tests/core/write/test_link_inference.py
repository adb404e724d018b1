"""The links of a conversation are kept as memories come, each compared with a bounded number of others."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.changes import Op
from core.model import LinkKind
from core.services import exchange, link_inference, query, remember
from core.services.query import Question
from core.write import link_inference as weaving
from inspector import resources


@pytest.fixture
def say(workspace, clock):
    def keep(content, session="s1", **fields):
        clock.advance(timedelta(minutes=1))
        return remember.remember(workspace, {"content": content, "session": session, **fields}, actor="agent").memory

    return keep


def links(workspace, memory, kind):
    with workspace.store.read() as reader:
        found = [link for link in reader.links_of(memory.id) if link.kind is kind]
    return {(link.source_id, link.target_id): link for link in found}


def test_a_memory_follows_the_one_before_it_in_its_session(workspace, say):
    first, other, second = say("one thing"), say("elsewhere", session="s2"), say("another matter")
    assert set(links(workspace, second, LinkKind.TEMPORAL)) == {(first.id, second.id)}
    assert links(workspace, other, LinkKind.TEMPORAL) == {}


def test_two_shared_keywords_make_a_topic_with_the_documents_weight(workspace, say):
    first = say("migrations need a lock timeout", session="a")
    second = say("the lock timeout hangs production", session="b")
    say("only the lock itself", session="c")
    (link,) = links(workspace, second, LinkKind.TOPIC).values()
    assert (link.source_id, link.target_id) == (second.id, first.id)
    assert link.evidence["shared"] == ["lock", "timeout"]
    assert link.weight == pytest.approx(2 / max(len(weaving.keywords(first)), len(weaving.keywords(second))))


def test_what_was_said_before_is_referred_to(workspace, say):
    first = say("We cache sessions in Redis for an hour", session="a", uid="cache-hour")
    again = say("As we discussed, Redis sessions are cached", session="b")
    named = say("This replaces cache-hour for sessions in Redis", session="c")
    assert set(links(workspace, again, LinkKind.REFERENCE)) == {(again.id, first.id)}
    assert (named.id, first.id) in links(workspace, named, LinkKind.REFERENCE)


def test_taking_the_memory_back_takes_its_links_along(workspace, say):
    say("migrations need a lock timeout")
    kept = remember.remember(
        workspace,
        {"content": "migrations lock timeout stalls production nightly for hours", "session": "s1"},
        actor="agent",
    )
    assert kept.changes.links
    with workspace.store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(kept.changes.seq)
    with workspace.store.read() as reader:
        assert reader.memory(kept.memory.id) is None
        assert reader.count_links() == 0


def test_a_memory_is_bound_to_a_few_others_however_many_there_are(workspace, say):
    for n in range(60):
        say(f"lock timeout table{n}", session=f"s{n}")
    last = say("lock timeout table60", session="last")
    assert len(links(workspace, last, LinkKind.TOPIC)) == weaving.MAX_TOPICS


def test_a_uid_is_found_wherever_it_is_named_and_nowhere_else(workspace, say):
    incident = say("alpha beta gamma", session="a", uid="inc-2041")
    say("delta", session="b", uid="2021")
    named = say("see inc-2041, for details about epsilon", session="c")
    other = say("deploy in x2021y was fine", session="d")
    assert (named.id, incident.id) in links(workspace, named, LinkKind.REFERENCE)
    assert links(workspace, other, LinkKind.REFERENCE) == {}


def test_weaving_again_doubles_no_link_however_the_memories_came(workspace, say):
    first, second = (
        say("migrations lock timeout", session="a"),
        say("timeout of the lock hangs production", session="b"),
    )
    before = links(workspace, second, LinkKind.TOPIC)
    assert set(before) == {(second.id, first.id)}
    assert link_inference.catch_up(workspace, actor="test") == 0
    assert links(workspace, second, LinkKind.TOPIC) == before


def test_imported_memories_are_woven_when_asked_once(workspace):
    exchange.import_file(workspace, resources.path("sample/memories.jsonl"), actor="test", moved_to_now=True)
    made = link_inference.catch_up(workspace, actor="test")
    assert made > 50
    assert link_inference.catch_up(workspace, actor="test") == 0
    answer = query.ask(workspace, Question(text="why do migrations hang?", profile="recursive-light-graph"))
    matched = {result.id for result in answer.ranking.results if "bm25" in result.hits}
    assert len(answer.memories) == 5
    assert {result.id for result in answer.ranking.finals.values()} - matched
