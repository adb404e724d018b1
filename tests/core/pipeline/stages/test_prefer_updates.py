"""Which of two statements updates the other, and that the newer one then comes first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pools import Given, judged, pool_of

from core import draft, text, update_phrases
from core.changes import Op
from core.clock import FixedClock
from core.embed import recipe
from core.model import MemoryId
from core.pipeline.pool import Candidate, StageTrace
from core.pipeline.query import Query
from core.pipeline.stages.normalise import RawScore
from core.pipeline.stages.prefer_updates import PreferUpdates
from core.services import query
from core.services.query import Question
from core.services.workspace import Workspace

NOW = datetime(2026, 11, 15, tzinfo=UTC)
GAPS = (1, 7, 60, 365)  # days between two versions


# Statements and questions as agents' memories hold them: `update`, the last of `said` is right; `another`, the first
# is, since the other is about something else; `past`, the first is asked for.
CASES = [json.loads(line) for line in Path(__file__).with_name("updates.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(params=[False, True], ids=["words alone", "with the model"])
def share(request, tmp_path, arctic):
    """In how many of the cases of a kind the right one comes first, all of that kind in one store."""
    embedder = arctic if request.param else None

    def measure(kind: str, **parameters: float) -> float:
        cases = [case for case in CASES if case["kind"] == kind]
        with Workspace.create(tmp_path / f"{kind}{len(parameters)}.db", clock=FixedClock(NOW)) as workspace:
            if embedder is not None:
                workspace.embeddings.use(embedder)
            ids = list(_kept(workspace, cases, embedder))
            right = 0
            for case, versions in zip(cases, ids, strict=True):
                asked = Question(text=case["asked"], k=50, parameters=parameters)
                found = [each.id for each in query.ask(workspace, asked).ranking.results if each.id in versions]
                right += found[:1] == [versions[-1] if kind == "update" else versions[0]]
        return right / len(cases)

    return measure


def _kept(workspace: Workspace, cases: list[dict], embedder) -> Iterator[list[MemoryId]]:
    for n, case in enumerate(cases):
        last, gap = NOW - timedelta(days=2 + n), timedelta(days=GAPS[n % len(GAPS)])
        with workspace.store.transact(Op.IMPORT, "test") as transaction:
            yield [
                transaction.add_memory(
                    memory := draft.memory({"content": said, "created_at": last - gap * before}, NOW),
                    {embedder.space: embedder.embed_document(recipe.embedded_text(memory))} if embedder else None,
                ).id
                for before, said in zip(reversed(range(len(case["said"]))), case["said"], strict=True)
            ]


def test_of_sixty_updates_about_nine_in_ten_come_first_and_without_the_stage_one_in_three(share):
    assert share("update") >= 0.88
    assert share("update", **{"newer.among": 0}) < 0.35


def test_of_like_statements_about_something_else_most_stay_behind(share):
    assert share("another") >= 0.7


def test_a_question_of_the_past_is_answered_as_if_nothing_were_newer(share):
    assert share("past") == share("past", **{"newer.among": 0})


# one rule after the other


def ranked(asked: str, *said: str | dict, scores: tuple[float, ...] = (1.0, 0.9, 0.8)) -> list[int]:
    """Return the order, numbered from the oldest on, a week apart, each with its score."""
    return [id for id, _ in outcome(asked, *said, scores=scores).order]


def outcome(asked: str, *said: str | dict, scores: tuple[float, ...] = (1.0, 0.9, 0.8)) -> StageTrace:
    given = []
    for n, (each, score) in enumerate(zip(said, scores, strict=False), 1):
        fields = {"content": each} if isinstance(each, str) else each
        memory = draft.memory({"created_at": NOW - timedelta(days=100 - 7 * n), **fields}, NOW)
        given.append(Given(memory._replace(id=MemoryId(n)), {"given": score}))
    stages = (RawScore(list="given"), PreferUpdates())
    return judged(stages, Query(text=asked, now=NOW, k=10), pool_of(given))[-1]


def candidates(found: StageTrace) -> list[Candidate]:
    return [found.after.candidate(row) for row in found.after.order.tolist()]


LIMIT = "The limit is {} requests a minute"


def test_a_later_statement_in_like_words_is_lifted_just_above_the_older_and_the_lift_explained():
    found = outcome("what is the limit?", LIMIT.format(100), LIMIT.format(200))
    first, second = candidates(found)
    assert (first.id, first.value, second.value) == (2, pytest.approx(1.001), 1.0)
    assert first.score.part("score of the older").facts == {"memory": 1}
    assert found.facts[2] == {
        "newer_than": 1, "updates": 1, "overlap": pytest.approx(3 / 5), "adjacent": True, "change": ""
    }  # fmt: skip


def test_without_a_score_or_a_later_date_nothing_is_lifted():
    said = LIMIT.format(100), LIMIT.format(200)
    assert ranked("what is the limit?", *said, scores=(0.0, 0.0)) == [1, 2]
    assert ranked("what is the limit?", *({"content": each, "created_at": NOW} for each in said)) == [1, 2]


def test_of_three_versions_the_last_stands_first_whatever_their_scores_were():
    said = [LIMIT.format(n) for n in (100, 200, 300)]
    for scores in ((1.0, 0.8, 0.9), (1.0, 0.9, 0.8), (0.8, 1.0, 0.9)):
        assert ranked("what is the limit?", *said, scores=scores) == [3, 2, 1]


def test_one_that_others_stand_before_must_score_nearly_as_well():
    other = {"content": "zeppelin", "created_at": NOW}
    said = LIMIT.format(100), LIMIT.format(200), other
    assert ranked("what is the limit?", *said, scores=(1.0, 0.61, 0.8)) == [2, 1, 3]
    assert ranked("what is the limit?", *said, scores=(1.0, 0.59, 0.8)) == [1, 3, 2]


@pytest.mark.parametrize(
    ("asked", "older", "newer"),
    [
        ("Where does Anna live?", "Anna lives in Paris.", "Anna moved to Lyon last week."),
        ("Who is our CEO?", "Our CEO is Linda Park.", "Linda Park stepped down; Arjun Mehta leads the company."),
        ("Does Pedro smoke?", "Pedro smokes a pack a day.", "Pedro has stopped, not one cigarette since May."),
        ("Wo wohnt Anna?", "Anna wohnt in Köln.", "Anna ist nach Leipzig umgezogen."),
        ("小王住在哪里？", "小王住在北京。", "小王上个月搬到了上海。"),
        ("¿Dónde vive Lucía?", "Lucía vive en Madrid.", "Lucía se mudó a Sevilla."),
        ("Who is on call?", "On-call this month: Dmitri.", "Dmitri is on leave, Farah took over on-call."),
    ],
)
def test_an_update_in_other_words_mentions_a_change_or_what_was_before(asked, older, newer):
    assert ranked(asked, older, newer) == [2, 1]


@pytest.mark.parametrize(
    ("asked", "older", "newer"),
    [
        ("Which port has staging?", "Staging listens on port 8080.", "Production listens on port 9090."),
        ("Who owns payments?", "Payments is owned by team Falcon.", "Catalogue is owned by team Osprey."),
        ("What is the status of PAY-311?", "Ticket PAY-311 is open.", "Ticket PAY-312 was closed."),
        ("Where does Anna live?", "Anna lives in Paris.", "Bruno moved to Lyon."),
        ("Where does Anna live?", "Anna lives in Paris.", "Anna works in Lyon now."),
        ("Where does Anna work?", "Anna works at Siemens.", "Anna moved to a new flat."),
        ("What is Lena allergic to?", "Lena is allergic to nuts.", "Lena's brother is allergic to shellfish."),
        ("小王住在哪里？", "小王住在北京。", "小李搬到了上海。"),
        ("How big may images be?", "Images may be 5 MB large.", "Videos may be 200 MB large."),
    ],
)
def test_a_statement_about_another_thing_person_or_aspect_is_no_update(asked, older, newer):
    assert ranked(asked, older, newer) == [1, 2]


@pytest.mark.parametrize(
    "asked",
    ["What was the limit originally?", "What did the limit use to be?", "The old limit?", "Wie war das limit früher?"],
)
def test_a_question_of_the_past_lifts_nothing_and_says_so(asked):
    found = outcome(asked, LIMIT.format(100), LIMIT.format(200))
    assert [each.id for each in candidates(found)] == [1, 2]
    assert found.notes


def test_of_an_event_only_a_statement_in_like_words_is_an_update():
    said = "Anna painted a lake in May", "Anna now painted the garden fence red"
    assert ranked("What did Anna paint?", *said) == [1, 2]
    assert ranked("What does Anna paint?", *said) == [2, 1]
    said = "Anna painted a lake in oil in May", "Anna painted a lake in oil in June"
    assert ranked("What did Anna paint?", *said) == [2, 1]


def test_within_a_session_what_follows_updates_only_if_it_mentions_a_change():
    def turns(*said: str) -> list[dict]:
        return [{"content": each, "session": "s"} for each in said]

    assert ranked("what is the limit?", *turns(LIMIT.format(100), LIMIT.format(200))) == [1, 2]
    assert ranked("what is the limit?", *turns(LIMIT.format(100), LIMIT.format("now 200"))) == [2, 1]


def test_two_that_are_named_for_different_people_or_are_of_different_users_do_not_update_each_other():
    def named(field: str, *names) -> list[dict]:
        return [{"content": LIMIT.format(n), field: name} for n, name in enumerate(names)]

    assert ranked("what is the limit?", *named("entities", ["ana"], ["bob"])) == [1, 2]
    assert ranked("what is the limit?", *named("entities", ["ana"], ["ana", "bob"])) == [2, 1]
    assert ranked("what is the limit?", *named("user", "ana", "bob")) == [1, 2]


@pytest.mark.parametrize(("space", "order"), [(" ", [1, 3, 2]), (" " * 4000, [2, 1, 3])])
def test_of_a_long_text_only_the_beginning_is_compared(space, order):
    said = (LIMIT.format(n) + "." + space + " ".join(f"x{n}y{word}" for word in range(300)) for n in (100, 200))
    other = {"content": "zeppelin", "created_at": NOW}
    assert ranked("what is the limit?", *said, other, scores=(1.0, 0.9, 0.95)) == order


def test_where_a_question_shares_no_word_with_the_older_like_words_decide():
    assert ranked("how often may I call?", LIMIT.format(100), LIMIT.format(200)) == [2, 1]


@pytest.mark.parametrize(
    "words",
    ["live lives living", "allergic allergy allergist", "plan planned planning", "depart departs departure",
     "deploy deploys deployment"],
)  # fmt: skip
def test_words_of_one_root(words):
    assert len(set(map(text.root, words.split()))) == 1


def test_roots_keep_apart_what_only_begins_alike():
    words = "server service user use grandma grandpa production product 100 1000 pay payment 服务".split()
    assert len(set(map(text.root, words))) == len(words)


@pytest.mark.parametrize(
    ("asked", "is_of_an_event"),
    [
        ("Where does Anna live?", False),
        ("How many books has Mei read?", False),
        ("What has Melanie painted?", True),
        ("What did she say?", True),
        ("Do we have to sign?", False),
        ("Why is it slow?", True),
        ("What budget have I set?", False),
        ("Was it paid?", True),
        ("Was frisst die Katze?", False),
    ],
)
def test_which_questions_ask_for_events(asked, is_of_an_event):
    assert update_phrases.asks_about_event(asked) is is_of_an_event
