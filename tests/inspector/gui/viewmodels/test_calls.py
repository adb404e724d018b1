"""The calls of agents: listed, filtered, opened, and replayed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.clock import FixedClock
from core.services import audit, query, recorder
from core.services.activity import ActivityPeriod
from core.services.query import Question
from core.services.recorder import Call, CallOutcome, CallRecord, Recorder
from core.services.workspace import Workspace
from inspector.gui.viewmodels.calls import CallsViewModel
from tests.inspector.gui.conftest import NOW


def record(workspace, client, text, at):
    recording = Recorder(workspace)
    call = Call(at=at, client=client, session="s1", tool=audit.RECALL, elapsed_us=2500)
    recording.note(recorder.recall_record(query.ask(workspace, Question(text=text)), at=call))
    recording.close()


@pytest.fixture
def viewmodel(after, sample, store):
    """An old recall without a result, a recall, and a refused edit."""
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        record(workspace, "cursor", "xylophone", NOW - timedelta(days=3))
        record(workspace, "codex", "why do migrations hang?", NOW)
        recording = Recorder(workspace)
        refused = Call(
            at=NOW,
            elapsed_us=900,
            client="codex",
            tool="memory_edit",
            outcome=CallOutcome.REFUSED,
            complaint="No memory 9999.",
        )
        recording.note(CallRecord(refused))
        recording.close()
    after(store.opened, lambda: store.open(sample))
    made = CallsViewModel(store)
    after(made.listed, made.look)
    return made


def clients(calls):
    return [call.client for call in calls.calls]


def test_calls_are_listed_newest_first(viewmodel):
    assert clients(viewmodel.calls) == ["codex", "codex", "cursor"]
    assert viewmodel.calls.clients == {"codex": 2, "cursor": 1}
    assert not viewmodel.is_filtered


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        (((), (), ActivityPeriod.DAY, False), ["codex", "codex"]),
        ((("cursor",), (), ActivityPeriod.ALL, False), ["cursor"]),
        (((), (audit.RECALL,), ActivityPeriod.ALL, False), ["codex", "cursor"]),
        (((), (audit.RECALL,), ActivityPeriod.ALL, True), ["cursor"]),
    ],
    ids=["period", "client", "tool", "without result"],
)
def test_calls_are_filtered(after, viewmodel, selected, expected):
    *wanted, found_nothing = selected
    listed = after(viewmodel.listed, lambda: viewmodel.set_filter(*wanted, found_nothing=found_nothing))
    assert clients(listed) == expected
    assert viewmodel.is_filtered


def test_an_opened_call_has_its_question_its_funnel_and_its_results(after, viewmodel):
    opened = after(viewmodel.opened, lambda: viewmodel.open_call(viewmodel.calls.calls[1].id))
    assert opened.text == "why do migrations hang?"
    assert opened.funnel
    assert [each.place for each in opened.returned] == list(range(1, len(opened.returned) + 1))
    assert after(viewmodel.opened, lambda: viewmodel.open_call(None)) is None


def test_a_replay_compares_the_ranks_of_then_and_now(after, viewmodel):
    opened = after(viewmodel.opened, lambda: viewmodel.open_call(viewmodel.calls.calls[1].id))
    replayed = after(viewmodel.replayed, viewmodel.replay)
    assert (replayed.then, replayed.now, replayed.changed) == (len(opened.returned), len(opened.returned), 0)


def test_what_asked_nothing_cannot_be_replayed(after, viewmodel):
    after(viewmodel.opened, lambda: viewmodel.open_call(viewmodel.calls.calls[0].id))
    after(viewmodel.refused, viewmodel.replay)


def test_a_closed_store_has_no_calls(after, viewmodel, store):
    after(viewmodel.cleared, store.close)
    assert (viewmodel.calls, viewmodel.call) == (None, None)
