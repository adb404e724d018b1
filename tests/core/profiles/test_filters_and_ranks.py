"""What a filter keeps out changes no score of what it lets through."""

from __future__ import annotations

import random

import pytest

from core import profiles
from core.services import query
from core.services.query import Question
from tests.support.store_steps import add

WORDS = ("harbour", "ferry", "tide", "lamp", "rope")

# Its best result is 1 by definition, so that it does depend on which are left.
RELATIVE_TO_THE_BEST = ("robotmem",)


@pytest.fixture
def filled(workspace):
    rng = random.Random(8)
    for n in range(60):
        content = f"note {n} " + " ".join(rng.choices(WORDS, k=rng.randint(1, 8)))
        add(workspace.store, content, confidence=rng.choice((0.2, 0.5, 0.9)), context={"kept": n % 3 == 0})
    return workspace


def scores(workspace, **asked):
    answer = query.ask(workspace, Question(text="ferry lamp", k=50, **asked))
    return {result.id: result.value for result in answer.ranking.results}, answer


@pytest.mark.parametrize("name", [each.name for each in profiles.PROFILES if each.name not in RELATIVE_TO_THE_BEST])
@pytest.mark.parametrize("filtered", [{"min_confidence": 0.6}, {"context": {"kept": True}}])
def test_filtering_others_leaves_the_score_of_a_memory_as_it_is(filled, name, filtered):
    stages = {stage.name for stage in profiles.profile(name).stages}
    off = {"dedup": {"dedup.overlap": 1.0}, "threshold": {"threshold.least": 0.0}, "budget": {"budget.tokens": 0}}
    lenient = {path: value for stage in off if stage in stages for path, value in off[stage].items()}
    every, _ = scores(filled, profile=name, parameters=lenient)
    some, _ = scores(filled, profile=name, parameters=lenient, **filtered)
    if name not in ("bcr", "cc-v3-vector"):  # which know vectors alone
        assert some
    assert {id: every[id] for id in some if id in every} == {id: some[id] for id in some if id in every}


def test_the_rank_in_the_tree_is_the_position_in_the_list(filled):
    _, answer = scores(filled, profile="cc-v3", min_confidence=0.6)
    for result in answer.ranking.results:
        share = result.score.part("bm25 by rank")
        assert share.part("rank").value == result.hits["bm25"].rank
