"""The default profile: each part of its score as arithmetic, and who stands beside whom."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta

import pytest

from core import draft, profiles, text
from core.changes import Op
from core.clock import FixedClock
from core.embed import catalogue
from core.errors import UserError
from core.model import Filter, MemoryId, Status
from core.pipeline.candidate import Candidate, Hit, Pool
from core.pipeline.periods import time_spans
from core.pipeline.query import Query
from core.pipeline.trace import ReasonKind
from core.services import query
from core.services.query import Question
from core.services.why_not import why_not
from core.services.workspace import Workspace

NOW = datetime(2026, 11, 15, tzinfo=UTC)
SIZE = 999  # so that ln(1 + N) is ln 1000


def candidate(id: int, hits: dict[str, float] | None = None, **fields) -> Candidate:
    created = NOW - timedelta(days=fields.pop("age_days", 0.0))
    memory = draft.memory({"content": f"memory{id} alone", "created_at": created, "confidence": 1.0, **fields}, NOW)
    found = {name: Hit(name, score, 1) for name, score in (hits or {}).items()}
    return Candidate(memory._replace(id=MemoryId(id)), found)


def judged(*candidates: Candidate, asked: str = "q", trust: float = 20.0) -> dict[int, Candidate]:
    pool = Pool(candidates, (), SIZE, NOW)
    for stage in profiles.profile("inspector").stages:
        pool = stage(Query(text=asked, now=NOW, k=10, trust=trust), pool).pool
    return {each.id: each for each in pool.candidates}


def test_words_and_neighbours_count_in_words_that_only_one_memory_holds():
    found = judged(candidate(1, {"stems": 10.0, "plain": 8.0, "session": 2.0}), candidate(2, {"plain": 5.0}))
    assert found[1].value == pytest.approx((0.7 * 10 + 0.3 * 8) / math.log(1000) + 2 / math.log(1000))
    assert found[2].value == pytest.approx(0.3 * 5 / math.log(1000))
    assert found[1].score.part("words").value == pytest.approx((0.7 * 10 + 0.3 * 8) / math.log(1000))
    assert found[1].score.part("beside").value == pytest.approx(2 / math.log(1000))


def test_meaning_is_the_trust_in_the_model_times_the_cosine_above_the_lowest():
    found = judged(
        candidate(1, {"vector": 0.8}), candidate(2, {"vector": 0.71}), candidate(3, {"bm25": 1.0}), trust=2.0
    )
    assert found[1].value == pytest.approx(2 * (0.8 - 0.71))
    assert found[2].value == 0
    assert found[3].score.part("meaning") is None


def test_a_measured_model_is_trusted_by_its_measure_and_any_other_little():
    assert catalogue.ARCTIC_S.trust == 20
    assert {model.trust for model in catalogue.MODELS if model is not catalogue.ARCTIC_S} == {2.0}


def test_a_named_entity_and_a_named_period_add_up_before_confidence_and_decay():
    asked = "What did Ana say in October 2026?"
    found = judged(candidate(1, {"stems": 3.0}, entities=["ana"], confidence=0.5, age_days=31), asked=asked)
    expected = (0.7 * 3 / math.log(1000) + 0.5 + 1.0) * 0.5 * 0.5 ** (31 / 1825)
    assert found[1].value == pytest.approx(expected)
    assert found[1].score.part("named").facts["entity"] == "ana"
    assert found[1].score.part("time").facts["named"] == "in October 2026"


def test_a_pinned_memory_does_not_decay():
    assert judged(candidate(1, {"stems": 3.0}, age_days=3650, pinned=True))[1].value == pytest.approx(
        0.7 * 3 / math.log(1000)
    )


@pytest.mark.parametrize(
    ("name", "asked", "expected"),
    [
        ("Ana", "did ANA come?", True),
        ("Ana", "a banana", False),
        ("Ana Lima", "when did ana lima leave", True),
        ("杯子", "他抓取杯子了吗", True),
        ("Ｒedis", "redis", True),
        ("C++", "is C++ fast?", True),
        (" ", "anything", False),
    ],
)
def test_a_name_counts_as_whole_words_or_within_a_run_without_spaces(name, asked, expected):
    assert text.is_named(name, asked) is expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("on 7 May 2023", [(date(2023, 5, 7), date(2023, 5, 7))]),
        ("on May 7th, 2023", [(date(2023, 5, 7), date(2023, 5, 7))]),
        ("the 7th of May", [(date(2022, 5, 7), date(2022, 5, 7)), (date(2023, 5, 7), date(2023, 5, 7))]),
        ("May 2023", [(date(2023, 5, 1), date(2023, 5, 31))]),
        ("in February", [(date(y, 2, 1), date(y, 2, 28)) for y in (2022, 2023)]),
        ("since 2023-05-07", [(date(2023, 5, 7), date(2023, 5, 7))]),
        ("all of 2024-02", [(date(2024, 2, 1), date(2024, 2, 29))]),
        ("may I march?", []),
        ("31 June 2023, 2023-13-01", []),
    ],
)
def test_the_periods_a_question_names(asked, expected):
    assert [(each.first, each.last) for each in time_spans(asked, [2023, 2022, 2023])] == expected


@pytest.mark.parametrize(("day", "is_meant"), [("2026-04-30", False), ("2026-05-31", True), ("2026-06-01", True)])
def test_a_period_reaches_to_the_day_after_it(day, is_meant):
    found = judged(candidate(1, created_at=f"{day}T12:00:00Z"), asked="What happened in May 2026?")
    assert (found[1].score.part("time") is not None) is is_meant


# who stands beside whom


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
        first = reader.memories([MemoryId(1)]).values()
        assert reader.session_neighbours(first, Filter(types=("fact",), statuses=(Status.ACTIVE,)), 2) == {1: [(5, 1)]}


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
    assert why(5) == "Nothing stands before or after it in its session that fits the filter and has another time."
    assert why(6) == "It belongs to no session, so that nothing stands before or after it."


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
