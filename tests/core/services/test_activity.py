"""Activity: calls with their figures, a call opened, replayed and compared; the journal and what can be undone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.changes import PERSON
from core.errors import UserError
from core.services import activity, audit, curate, query, recorder, remember
from core.services.activity import ActivityPeriod
from core.services.audit import CallFilter
from core.services.query import Question
from core.services.recorder import Call, Recorder


def keep(workspace, content, actor=PERSON):
    return remember.remember(workspace, {"content": content}, actor=actor).memory


def record(workspace, text, client="codex", **fields):
    answer = query.ask(workspace, Question(text=text, **fields))
    recording = Recorder(workspace)
    at = Call(at=workspace.store.clock.now(), client=client, tool=audit.RECALL, elapsed_us=1500)
    recording.note(recorder.recall_record(answer, at=at))
    recording.close()
    return answer


@pytest.fixture
def filled(workspace):
    for n in range(30):
        keep(workspace, f"Statement {n} about the {'pool' if n < 8 else 'garage'} and subject{n}")
    return workspace


def test_calls_of_a_period_with_the_figures_of_that_period(filled):
    record(filled, "what about the pool?", client="cursor")
    filled.store.clock.advance(timedelta(days=2))
    record(filled, "nothing whatever")
    today = activity.calls(filled, CallFilter(), ActivityPeriod.DAY)
    assert [call.client for call in today.calls] == ["codex"]
    assert (today.figures.calls, today.figures.zero_hit_rate) == (1, 1.0)
    assert today.clients == {"cursor": 1, "codex": 1}
    everything = activity.calls(filled, CallFilter(), limit=1)
    assert (len(everything.calls), everything.has_more, everything.figures.calls) == (1, True, 2)


def test_an_opened_call_names_its_memories_and_why_others_were_cut(filled):
    answer = record(filled, "what about the pool?", k=3)
    opened = activity.call_detail(filled, audit.calls(filled)[0].id)
    assert opened.text == "what about the pool?"
    assert ("k", "3") in opened.settings
    assert [got.memory.content for got in opened.returned] == [memory.content for memory in answer.memories]
    assert [got.id for got in opened.returned] == [memory.id for memory in answer.memories]
    assert opened.near
    assert all(got.why for got in opened.near)
    assert [(step.entered, step.remaining) for step in opened.funnel if not step.is_source] == [
        (stage.entered, stage.remaining) for stage in answer.ranking.trace.stages
    ]


def test_a_call_whose_memory_was_purged_can_still_be_opened(filled):
    answer = record(filled, "what about the pool?", k=3)
    curate.forget(filled, [answer.memories[0].id], actor=PERSON)
    curate.purge(filled, actor=PERSON)
    opened = activity.call_detail(filled, audit.calls(filled)[0].id)
    assert opened.call.client == "codex"
    assert answer.memories[0].id not in {got.id for got in opened.returned if got.memory is not None}


def test_a_replay_reports_which_memories_moved(filled):
    answer = record(filled, "what about the pool?", k=3)
    filled.store.clock.advance(timedelta(minutes=1))
    curate.forget(filled, [answer.memories[0].id], actor=PERSON)
    steps = []
    replayed = activity.replay(filled, audit.calls(filled)[0].id, lambda *step: steps.append(step))
    places = {placed.memory.id: (placed.recorded, placed.then, placed.now, placed.move) for placed in replayed.ranks}
    assert places[answer.memories[0].id] == (1, 1, None, None)
    assert places[answer.memories[1].id] == (2, 2, 1, 1)
    assert replayed.changed == len(replayed.ranks)
    assert [done for _, done, _ in steps] == [0, 1, 2]


def test_the_journal_counts_what_each_entry_touched_and_knows_what_stands(filled):
    a, b = keep(filled, "Alpha is first", "codex"), keep(filled, "Beta is second", "codex")
    curate.link(filled, a.id, [b.id], {"kind": "relates"}, actor="cursor")
    record(filled, "what about the pool?")  # reading is not an operation
    newest = activity.journal(filled).changes[0]
    assert (newest.entry.actor, newest.touched, newest.is_undoable) == ("cursor", 2, True)
    assert {id for id, _ in activity.touched(filled, newest.entry.seq).memories} == {a.id, b.id}
    curate.undo_operation(filled, newest.entry.seq, actor=PERSON)
    undo, link = activity.journal(filled).changes[:2]
    assert (link.is_undone, link.is_undoable, undo.is_undoable) == (True, False, True)
    own = activity.journal(filled, "codex", limit=1)
    assert ([deed.entry.actor for deed in own.changes], own.has_more) == (["codex"], True)
    assert own.actors == {"codex": 2, "cursor": 1, PERSON: 31}


def test_several_operations_are_undone_together_or_not_at_all(filled):
    a, b = keep(filled, "Alpha is first", "codex"), keep(filled, "Beta is second", "codex")
    seqs = [deed.entry.seq for deed in activity.journal(filled, "codex").changes]
    curate.edit(filled, [a.id], {"content": "Alpha is last"}, actor=PERSON)
    with pytest.raises(UserError, match="changed since"):
        curate.undo_operations(filled, seqs, actor=PERSON)
    with filled.store.read() as reader:
        assert set(reader.memories([a.id, b.id])) == {a.id, b.id}
    curate.undo_last(filled, actor=PERSON)
    assert activity.summarise(curate.undo_operations(filled, seqs, actor=PERSON).entries) == "2 × remember"
    with filled.store.read() as reader:
        assert reader.memories([a.id, b.id]) == {}
    with pytest.raises(UserError, match="undone already"):
        curate.undo_operations(filled, seqs, actor=PERSON)


def test_an_entry_is_described_by_its_author_its_memory_and_the_fields_it_changed(workspace):
    ids = [remember.remember(workspace, {"content": text}, actor=PERSON).memory.id for text in ("Use WAL", "Pin tests")]
    curate.edit(workspace, [ids[0]], {"tags": ["db"]}, actor=PERSON)
    curate.forget(workspace, ids, actor="codex")
    forgetting, edit, addition = (each.entry for each in activity.journal(workspace).changes[:3])
    assert activity.describe(workspace, forgetting) == "codex's forgetting of 2 memories"
    assert activity.describe(workspace, edit) == f"your edit of #{ids[0]} (tags)"
    assert activity.describe(workspace, addition) == f"your addition of #{ids[1]}"
