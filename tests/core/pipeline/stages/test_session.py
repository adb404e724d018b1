"""Session neighbours: what stands around a match in its session is found with it, and a session is replayed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core import draft
from core.changes import Op
from core.clock import FixedClock
from core.errors import UserError
from core.model import Filter, MemoryId, Status
from core.pipeline.trace import ReasonKind
from core.services import query
from core.services.query import Question
from core.services.why_not import why_not
from core.services.workspace import Workspace

NOW = datetime(2026, 11, 15, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    with Workspace.create(tmp_path / "store.db", clock=FixedClock(NOW)) as workspace:
        yield workspace


def said(workspace: Workspace, *rows: dict) -> None:
    """Turns of one session, a minute apart, unless they say otherwise."""
    with workspace.store.transact(Op.IMPORT, "test") as transaction:
        for minute, row in enumerate(rows):
            fields = {"session": "s", "created_at": NOW - timedelta(minutes=60 - minute), "confidence": 1.0, **row}
            transaction.add_memory(draft.memory(fields, NOW))


FILLER = [{"content": f"filler{n} text{n}", "session": "", "confidence": 1.0} for n in range(10)]


def test_an_answer_that_holds_no_word_of_the_question_is_found_beside_it_and_explained(store):
    turns = ["nothing", "before", "Which zeppelin?", "A blue one", "later on", "much later"]
    said(store, *({"content": turn} for turn in turns), *FILLER)
    asked = Question(text="zeppelin")
    explained = {n: query.explain(store, asked, str(n)) for n in range(1, 7)}
    words = explained[3].candidate.hits
    given = 0.7 * words["stems"].score + 0.3 * words["plain"].score
    assert {n: each.candidate.hits["session"].score for n, each in explained.items() if n in (1, 2, 4, 5)} == {
        2: pytest.approx(0.3 * given),
        1: pytest.approx(0.15 * given),
        4: pytest.approx(0.6 * given),
        5: pytest.approx(0.15 * given),
    }
    gift = explained[4].score.part("neighbour")
    assert (gift.facts["memory"], gift.part("share").value) == (3, 0.6)
    assert gift.facts["place"] == "1 before it in the session"
    assert explained[2].score.part("neighbour").facts["place"] == "1 after it in the session"
    assert explained[6].candidate is None
    assert [result.id for result in query.ask(store, asked).ranking.results][:2] == [3, 4]


def test_of_those_that_only_their_session_brings_the_ones_that_are_given_most_come_along(store):
    said(
        store, *({"content": turn} for turn in ("two before", "one before", "zeppelin", "one after zeppelin")), *FILLER
    )
    few = {"session.limit": 1, "session.min_limit_per_k": 0}
    scores = {each.id: each.hits.get("session") for each in query.ask(store, Question(text="zeppelin")).ranking.results}
    fewer = query.ask(store, Question(text="zeppelin", parameters=few)).ranking.results
    assert scores.keys() == {1, 2, 3, 4}
    assert {each.id: each.hits.get("session") for each in fewer} == {id: scores[id] for id in (2, 3, 4)}


def test_a_neighbour_must_fit_the_filter_and_the_next_that_does_takes_its_step(store):
    said(
        store,
        {"content": "zeppelin"},
        {"content": "forgotten", "status": Status.ARCHIVED},
        {"content": "another collection", "collection": "other"},
        {"content": "another type", "type": "event"},
        {"content": "fits"},
        *FILLER,
    )
    answer = query.ask(store, Question(text="zeppelin", filter=Filter(types=("fact",))))
    assert [result.id for result in answer.ranking.results] == [1, 5]
    with store.store.read() as reader:
        assert reader.session_neighbours([MemoryId(1)], Filter(types=("fact",), statuses=(Status.ACTIVE,)), 2) == {
            1: [(5, 1)]
        }


def test_memories_of_one_moment_have_no_order(store):
    said(store, *({"content": content, "created_at": NOW} for content in ("zeppelin", "other")), *FILLER)
    assert [result.id for result in query.ask(store, Question(text="zeppelin")).ranking.results] == [1]


def test_why_nothing_came_from_the_session_is_explained(store):
    said(
        store, *({"content": each} for each in ("zeppelin", "a", "b", "far")), {"content": "x", "session": "t"}, *FILLER
    )

    def why(id: int) -> str:
        absent = query.explain(store, Question(text="zeppelin"), str(id)).absent
        reason = next(each for each in absent if each.facts.get("list") == "session")
        assert reason.kind is ReasonKind.NOT_MATCHED
        return reason.sentence

    assert why(4) == ("None of the 12 best by words is within 2 steps of it in its session, or others are given more.")
    assert why(5) == "It has no neighbour in its session that passes the filter and was created at another time."
    assert why(6) == "It belongs to no session, so it has no neighbours."


def test_why_not_knows_that_an_archived_neighbour_would_come_with_another_status(store):
    said(store, {"content": "zeppelin?"}, {"content": "blue", "status": Status.ARCHIVED}, *FILLER)
    found = why_not(store, Question(text="zeppelin"), "2")
    assert found.reason.kind is ReasonKind.FILTERED
    assert any(change.kind == "status" and change.rank == 2 for change in found.changes)


def test_why_not_knows_how_many_steps_would_have_reached_it(store):
    said(store, *({"content": each} for each in ("zeppelin", "a", "b", "far")), *FILLER)
    found = why_not(store, Question(text="zeppelin"), "4")
    assert any(change.what == "session.steps" and change.after == 3 for change in found.changes)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"session.lists": ["bm25", "nowhere"]}, "uses a list 'nowhere'"),
        (
            {"session.lists": ["session", "bm25"]},
            "uses a list 'session'; before it there are: bm25, vector, stems, plain.",
        ),
        ({"session.weights": [1.0]}, "must be 2 numbers"),
        ({"words.lists": ["bm25", "nowhere"]}, "uses a list 'nowhere'"),
        ({"words.weights": [1.0]}, "must be 2 numbers"),
        ({"beside.list": "nowhere"}, "uses a list 'nowhere'"),
        ({"meaning.list": "nowhere"}, "uses a list 'nowhere'"),
        ({"session.steps": 11}, "must be from 0 to 10"),
        ({"newer.ratio": 2.0}, "must be from 0 to 1"),
    ],
)
def test_what_cannot_be_computed_is_refused(store, parameters, words):
    said(store, {"content": "zeppelin"})
    with pytest.raises(UserError, match=words):
        query.ask(store, Question(text="zeppelin", parameters=parameters))
