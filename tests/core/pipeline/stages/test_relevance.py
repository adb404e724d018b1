"""The relevance floor: nothing is returned where nothing is relevant, and what is doubtful is marked."""

from __future__ import annotations

import pytest
from ranking import BM25, funnel, ranked, reasons, scores
from store_steps import add

from core.pipeline.stages.recall import FullText, RescoreText, VectorSearch
from core.pipeline.stages.relevance import RelevanceFloor
from core.pipeline.trace import ReasonKind
from core.services import query
from core.services.query import Question

RECALL = (FullText(), VectorSearch(), RescoreText(name="stems", stemmed=True), RescoreText(name="plain"))
FLOOR = RelevanceFloor()
DOUBTFUL = "Low relevance: "


def judged(store, asked, stage=FLOOR, **fields):
    return ranked(store, BM25, stage, recall=RECALL, asked=asked, **fields)


@pytest.fixture
def talk(store):
    """A store that holds small talk itself: it matches, and is still not what anybody asks for."""
    add(store, "thanks, that looks good")
    add(store, "ok, continue")
    return add(store, "the pool size is 40")


def test_small_talk_returns_nothing_although_a_memory_holds_its_words(store, talk):
    ranking = judged(store, "thanks, that looks good")
    assert scores(ranking) == {}
    assert funnel(ranking)[-1][1] > 0, "it was found"
    (reason, *_) = reasons(ranking).values()
    assert reason.kind is ReasonKind.BELOW_THRESHOLD
    assert reason.sentence.startswith("Nothing relevant was found: the best is so with a probability of ")
    assert reason.facts["best"] < reason.facts["threshold"] == FLOOR.min


def test_a_question_keeps_all_its_results_and_their_order(store, talk):
    asked = "pool size that looks good"
    with_floor, without = judged(store, asked), ranked(store, BM25, recall=RECALL, asked=asked)
    assert scores(with_floor) == scores(without)
    assert with_floor.trace.stages[-1].facts.keys() == scores(without).keys()


def test_an_answer_whose_best_is_doubtful_carries_a_warning_and_is_marked(store):
    held = add(store, "the pool of connections has a size")
    for number in range(30):
        add(store, f"note {number} of another matter")
    stage = RelevanceFloor(low=0.28)
    ranking = judged(store, "why did the billing service of connections time out on friday?", stage)
    assert list(scores(ranking)) == [held.id]
    assert ranking.trace.stages[-1].facts[held.id]["low"]
    assert ranking.trace.warnings[-1].startswith(DOUBTFUL)
    sure = judged(store, "pool of connections size", stage)
    assert not sure.trace.stages[-1].facts[held.id]["low"]
    assert not any(warning.startswith(DOUBTFUL) for warning in sure.trace.warnings)


def test_a_query_that_refers_to_earlier_talk_has_a_lower_floor_and_says_so(store, talk):
    stage = RelevanceFloor(min=0.99, min_recalling=0.0)
    assert scores(judged(store, "pool size", stage)) == {}
    ranking = judged(store, "pool size", stage, recall_phrase="last time")
    assert talk.id in scores(ranking)
    assert ranking.trace.stages[-1].notes == ("The query refers to earlier talk ('last time'): the floor is 0.",)


def test_the_probability_is_explained_by_a_tree_of_its_own(store, talk):
    ranking = judged(store, "pool size")
    stage = ranking.trace.stages[-1]
    tree = stage.measured(talk.id)
    assert tree.name == "relevance"
    assert tree.value == stage.facts[talk.id]["probability"]
    assert 0.8 < tree.part("coverage").value <= 1
    assert tree.part("small talk").value == 0


def test_an_empty_pool_stays_empty(store):
    assert scores(judged(store, "nothing is here")) == {}


def test_the_default_profile_says_that_nothing_is_relevant(workspace):
    add(workspace.store, "thanks, that looks good")
    size = add(workspace.store, "the pool size is 40")
    answer = query.ask(workspace, Question(text="ok, thanks, looks good to me"))
    assert answer.memories == []
    assert answer.prompt == ""
    assert [memory.id for memory in query.ask(workspace, Question(text="pool size")).memories] == [size.id]
