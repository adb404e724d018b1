"""The flight recorder: what agents asked and got is written down, counted as theirs, and can be asked again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.changes import PERSON, Op
from core.errors import NotFound, UserError
from core.services import audit, contradictions, curate, query, recorder, remember
from core.services.audit import CallFilter
from core.services.contradictions import Resolution
from core.services.query import Question
from core.services.recorder import Call, CallOutcome, CallRecord, Recorder, Retention


def keep(workspace, content, **fields):
    return remember.remember(workspace, {"content": content, **fields}, actor=PERSON).memory


def ask(workspace, text, client="codex", tool=audit.RECALL, profile="oro", **fields):
    answer = query.ask(workspace, Question(text=text, profile=profile, **fields))
    call = Call(at=workspace.store.clock.now(), client=client, session="s1", tool=tool, elapsed_us=1500)
    return answer, recorder.recall_record(answer, at=call)


@pytest.fixture
def recording(workspace):
    made = Recorder(workspace)
    yield made
    made.close()


@pytest.fixture
def filled(workspace):
    for n in range(30):
        keep(workspace, f"Statement {n} about the pool and subject{n}")
    return workspace


def test_a_recall_is_kept_with_its_question_its_funnel_and_what_it_nearly_returned(filled, recording):
    answer, noted = ask(filled, "what about the pool?", k=3, parameters={"decay.half_life_days": 60.0})
    recording.note(noted)
    recording.flush()
    (listed,) = audit.calls(filled)
    call = audit.call(filled, listed.id)
    assert (call.client, call.session, call.tool, call.outcome) == (
        "codex",
        "s1",
        "memory_recall",
        CallOutcome.ANSWERED,
    )
    assert query.question_of(call.question) == Question(
        text="what about the pool?", profile="oro", k=3, parameters={"decay.half_life_days": 60.0}
    )
    returned = [each for each in call.results if not each.missed]
    assert [(each.memory_id, each.score) for each in returned] == [(r.id, r.value) for r in answer.ranking.results]
    assert [each.missed for each in call.results if each.missed], "what was nearly returned is there with its reason"
    assert [stage["name"] for stage in call.trace["stages"]] == [stage.name for stage in answer.ranking.trace.stages]


def test_what_was_returned_counts_as_accessed_by_that_client_and_undo_is_not_disturbed(filled, recording):
    first = keep(filled, "The pool has 10 connections")
    edited = curate.edit(filled, [first.id], {"confidence": 0.9}, actor=PERSON)
    answer, noted = ask(filled, "connections", client="claude")
    assert [each.id for each in answer.ranking.results] == [first.id]
    for _ in range(3):
        recording.note(noted)
    recording.flush()
    with filled.store.read() as reader:
        memory = reader.memory(first.id)
        touch = reader.journal_entries(limit=1)[0]
    assert (memory.access_count, memory.return_count, memory.version) == (3, 3, 2)
    assert memory.last_accessed_at == filled.store.clock.now()
    assert (touch.op, touch.actor) == (Op.TOUCH, "claude")
    assert curate.undo_last(filled, actor=PERSON).entries[0].seq == edited.seq
    assert filled.store.check() == []


def test_a_call_is_asked_again_of_its_own_moment_and_of_now(filled, recording):
    old = keep(filled, "Deploys happen on Tuesdays")
    answer, noted = ask(filled, "when do deploys happen?")
    recording.note(noted)
    recording.flush()
    filled.store.clock.advance(timedelta(days=2))
    curate.forget(filled, [old.id], actor=PERSON)
    new = keep(filled, "Deploys happen on Thursdays now")
    replayed = audit.replay(filled, audit.calls(filled)[0].id)
    assert [r.id for r in replayed.then.ranking.results] == [r.id for r in answer.ranking.results] == [old.id]
    assert [r.value for r in replayed.then.ranking.results] == [r.value for r in answer.ranking.results]
    assert [r.id for r in replayed.now.ranking.results] == [new.id]
    assert len(audit.calls(filled)) == 1, "asking again is not recorded"


def test_calls_are_listed_by_client_time_tool_memory_and_emptiness(filled, recording):
    hit, noted = ask(filled, "subject7", client="a")
    recording.note(noted)
    recording.flush()
    middle = filled.store.clock.now() + timedelta(minutes=1)
    filled.store.clock.advance(timedelta(minutes=2))
    recording.note(ask(filled, "nothing of the kind", client="b")[1])
    later = filled.store.clock.now()
    recording.note(
        CallRecord(Call(at=later, client="b", tool="memory_get", elapsed_us=10, outcome=CallOutcome.REFUSED))
    )
    recording.flush()

    def listed(**wanted):
        return [(each.client, each.tool) for each in audit.calls(filled, CallFilter(**wanted))]

    assert listed(clients=("a",)) == listed(until=middle) == listed(memory=hit.ranking.results[0].id)
    assert listed(clients=("a",)) == [("a", "memory_recall")]
    assert listed(since=middle) == [("b", "memory_get"), ("b", "memory_recall")]
    assert listed(only_without_result=True) == listed(clients=("b",), tools=("memory_recall",))
    assert len(audit.calls(filled, limit=1)) == 1
    assert [each.client for each in audit.calls(filled, before=2)] == ["a"]
    metrics = audit.metrics(filled)
    assert (metrics.total.calls, metrics.total.recalls, metrics.total.refused) == (3, 2, 1)
    assert (metrics.total.zero_hit_rate, metrics.total.p95_ms) == (0.5, 1.5)
    assert (metrics.by_client["b"].zero_hit_rate, metrics.by_client["a"].zero_hit_rate) == (1.0, 0.0)
    with pytest.raises(NotFound):
        audit.call(filled, 99)
    with pytest.raises(UserError, match="has no query to replay"):
        audit.replay(filled, 3)


def test_old_calls_and_calls_beyond_the_number_are_let_go(filled):
    recording = Recorder(filled, Retention(calls=5, days=10))
    try:
        for _ in range(8):
            recording.note(ask(filled, "pool")[1])
            recording.flush()
        assert len(audit.calls(filled)) == 5
        filled.store.clock.advance(timedelta(days=11))
        recording.note(ask(filled, "pool")[1])
        recording.flush()
        assert len(audit.calls(filled)) == 1
    finally:
        recording.close()


@pytest.mark.parametrize("years", [10, -10])
def test_a_clock_that_jumped_lets_no_call_go(filled, years):
    recording = Recorder(filled, Retention(calls=50, days=90))
    try:
        for days in (*[1] * 6, 365 * years, 1, 1, -365 * years, 1):
            filled.store.clock.advance(timedelta(days=days))
            recording.note(ask(filled, "pool")[1])
            recording.flush()
        assert len(audit.calls(filled)) == 11
        for _ in range(5):  # what is old by all that passed since is let go all the same
            filled.store.clock.advance(timedelta(days=20))
            recording.note(ask(filled, "pool")[1])
            recording.flush()
        assert len(audit.calls(filled)) == 5
    finally:
        recording.close()


def test_a_purge_takes_a_memory_out_of_the_calls_too(filled, recording):
    answer, noted = ask(filled, "subject7")
    recording.note(noted)
    recording.flush()
    id = answer.ranking.results[0].id
    curate.forget(filled, [id], actor=PERSON)
    curate.purge(filled, actor=PERSON)
    (call,) = audit.calls(filled)
    assert id not in [each.memory_id for each in call.results]


def test_a_verdicts_preview_asks_what_agents_asked_lately(workspace, recording):
    a = keep(workspace, "The cache holds 10 entries")
    b = keep(workspace, "The cache holds 25 entries")
    recording.note(ask(workspace, "how many entries does the cache hold?", profile="inspector")[1])
    recording.flush()
    (cluster,) = contradictions.clusters(workspace)
    impacts = contradictions.preview(workspace, cluster.links[0].id, Resolution.KEEP_A)
    (asked,) = [each for each in impacts if each.question.text == "how many entries does the cache hold?"]
    assert asked.changes
    assert {a.id, b.id} <= set(asked.before)
    assert len({a.id, b.id} & set(asked.after)) == 1
