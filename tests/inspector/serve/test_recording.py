"""What the server writes down of a recall: on a thread of its own, and with what stood in for the index."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

import apsw
import pytest

from core.services import audit, query, recorder
from core.services.query import Question
from core.services.recorder import Recorder
from inspector.serve import schemas
from inspector.serve.dispatcher import Caller, Tool, ToolDispatcher, ToolResult
from inspector.serve.tokens import DEFAULT_SCOPES, Scope


def with_reasons(answer, reason_of):
    """Return the same answer, the reasons of whose drops are made by a function of the stage's own."""
    trace = answer.ranking.trace
    stages = tuple(
        replace(stage, step=replace(stage.step, reason=reason_of(stage.step.reason))) for stage in trace.stages
    )
    return replace(answer, ranking=replace(answer.ranking, trace=replace(trace, stages=stages)))


def noticed(answer, threads):
    """Return the same answer, which notes on which threads its drops are made."""

    def watched(reason):
        def make(row):
            threads.append(threading.current_thread().name)
            return reason(row)

        return make

    return with_reasons(answer, watched)


@pytest.fixture
def recording(filled):
    made = Recorder(filled)
    yield made
    made.close()


def answering(answer):
    nothing = schemas.arguments({})
    run = lambda _: ToolResult({}, answer=answer)  # noqa: E731
    return Tool("memory_recall", "", "", Scope.READ, run, "POST", "/recall", nothing, nothing)


def test_the_record_of_an_answer_is_made_on_the_recorders_thread(filled, recording):
    threads: list[str] = []
    plain = query.ask(filled, Question(text="pool connections", k=1))
    dispatcher = ToolDispatcher(filled, recording, (answering(noticed(plain, threads)),))
    dispatcher.call("memory_recall", {}, Caller("codex", DEFAULT_SCOPES))
    recording.flush()
    assert set(threads) == {"recorder"}
    kept = audit.call(filled, audit.calls(filled)[0].id)
    expected = recorder.recall_record(plain, at=kept).call
    assert (kept.results, kept.trace, kept.question) == (expected.results, expected.trace, expected.question)
    with filled.store.read() as reader:
        assert [reader.memory(each.memory_id).return_count for each in kept.results if not each.missed] == [1]


def test_a_recorder_that_is_far_behind_holds_no_more_answers_than_it_may(filled, recording, monkeypatch):
    monkeypatch.setattr(recorder, "MAX_ANSWERS", 0)
    threads: list[str] = []
    answer = noticed(query.ask(filled, Question(text="pool connections", k=1)), threads)
    ToolDispatcher(filled, recording, (answering(answer),)).call("memory_recall", {}, Caller("codex", DEFAULT_SCOPES))
    recording.flush()
    assert set(threads) == {threading.current_thread().name}
    assert len(audit.calls(filled)) == 1


@pytest.fixture
def without_index(filled):
    """The store with a full text that cannot answer."""
    connection = apsw.Connection(str(filled.store.path))
    connection.execute("drop table fulltext")
    connection.execute("drop table fulltext_stemmed")
    connection.close()


@pytest.mark.usefixtures("without_index")
def test_what_like_answered_for_the_index_counts_as_fallen_back_and_is_warned_of(client, server, filled, caplog):
    caplog.set_level(logging.WARNING)
    said = client.api("POST", "/recall", {"query": "pool", "profile": "oro"}, X_Session="s-7")
    assert said.status == 200
    assert said.shape["results"], "texts that contain the word are found all the same"
    server.dispatcher.recorder.flush()
    assert audit.metrics(filled).total.fallback_rate == 1.0
    assert audit.calls(filled)[0].mode == recorder.BY_LIKE
    (warned,) = [each for each in caplog.records if "LIKE" in each.getMessage()]
    assert warned.levelname == "WARNING"
    assert "session=s-7" in warned.getMessage()
    assert "pool" not in warned.getMessage()


def test_an_answer_of_which_no_record_can_be_made_loses_no_other_call(filled, recording, caplog):
    def broken(row):
        raise RuntimeError("no drops")

    plain = query.ask(filled, Question(text="pool connections", k=1))
    for answer in (with_reasons(plain, lambda _: broken), plain):
        ToolDispatcher(filled, recording, (answering(answer),)).call(
            "memory_recall", {}, Caller("codex", DEFAULT_SCOPES)
        )
    recording.flush()
    assert len(audit.calls(filled)) == 1
    assert "A call was not recorded" in caplog.text
