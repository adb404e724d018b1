"""Running a profile: sources, then stages; the mode, the funnel and the reasons of what was not found."""

from __future__ import annotations

import pytest
from ranking import BM25, funnel, profile_of, query_of, ranked, reasons, scores
from store_steps import SPACE, add, vector

from core.errors import UserError
from core.model import Filter
from core.pipeline.run import rank_of, run
from core.pipeline.stages.cut import TopK
from core.pipeline.stages.filter import MinimumScore
from core.pipeline.stages.fuse import ReciprocalRankFusion
from core.pipeline.stages.normalise import DivideAndClamp, RawScore
from core.pipeline.stages.recall import FullText, VectorSearch
from core.pipeline.trace import Mode, ReasonKind

BOTH = (FullText(), VectorSearch())


@pytest.fixture
def three(store):
    return [
        add(store, "The pool", {SPACE: vector(1, 0, 0, 0)}),
        add(store, "The pool of the API has ten connections", {SPACE: vector(0, 1, 0, 0)}, confidence=0.5),
        add(store, "Deploys happen on Tuesdays", {SPACE: vector(0.9, 0.1, 0, 0)}),
    ]


def vectors(*numbers):
    return {"vector": vector(*numbers).vector, "space": SPACE}


def test_the_trace_counts_what_entered_and_remained_at_every_stage(store, three):
    ranking = ranked(store, BM25, MinimumScore(min=-1.0), TopK(), k=1)
    assert funnel(ranking) == [("score", 2, 2), ("threshold", 2, 2), ("top", 2, 1)]
    assert ranking.trace.gathered == (three[0].id, three[1].id)
    assert list(scores(ranking)) == [three[0].id], "the shorter text holds the word more densely"
    assert reasons(ranking)[three[1].id].kind is ReasonKind.OUTRANKED


@pytest.mark.parametrize(
    ("asked", "recall", "with_vector", "mode"),
    [
        ("pool", BOTH, True, Mode.HYBRID),
        ("pool", BOTH, False, Mode.BM25_ONLY),
        ("xylophone", BOTH, True, Mode.VEC_ONLY),
        ("xylophone", BOTH[:1], False, Mode.NOTHING),
    ],
)
def test_the_mode_says_which_searches_answered(store, three, asked, recall, with_vector, mode):
    fields = vectors(1, 0, 0, 0) if with_vector else {"why_no_vector": "No model is loaded."}
    trace = ranked(store, BM25, recall=recall, asked=asked, **fields).trace
    assert trace.mode is mode
    assert trace.why_this_mode.endswith(".")


def test_a_source_that_is_unavailable_is_reported_and_the_others_answer(store, three):
    ranking = ranked(store, BM25, recall=BOTH, why_no_vector="No model is loaded.")
    assert "No model is loaded." in ranking.trace.warnings
    assert [(source.name, source.found) for source in ranking.trace.sources] == [("bm25", 2), ("vector", 0)]
    assert ranking.trace.sources[1].failure == "No model is loaded."


def test_a_stage_that_names_a_list_of_no_source_is_refused(store, three):
    for stage in (RawScore(list="vector"), ReciprocalRankFusion()):
        with pytest.raises(UserError, match="uses a list 'vector'; there are access, bm25, recency"):
            ranked(store, stage)


def test_a_score_that_is_no_number_is_refused_with_the_stage(store, three):
    with pytest.raises(UserError, match="The stage normalise cannot compute with these parameters"):
        ranked(store, DivideAndClamp(divisor=0.0))


def test_each_source_says_why_it_did_not_gather_a_memory(store, three):
    ids = frozenset(memory.id for memory in three)
    ranking = ranked(store, BM25, recall=(FullText(limit=1),), explained=ids)
    kinds = {id: [reason.kind for reason in found] for id, found in ranking.absent.items()}
    assert kinds == {three[1].id: [ReasonKind.BEYOND_LIMIT], three[2].id: [ReasonKind.NOT_MATCHED]}
    filtered = ranked(store, BM25, explained=ids, filter=Filter(types=("decision",)))
    assert {reason.kind for found in filtered.absent.values() for reason in found} == {ReasonKind.FILTERED}


def test_the_rank_of_one_memory_is_that_of_a_full_run(store, three):
    profile, query = profile_of(BM25, TopK()), query_of(store)
    with store.read() as reader:
        results = list(scores(run(profile, query, reader)))
        found = {memory.id: rank_of(profile, query, reader, memory.id) for memory in three}
    assert found == {results[0]: 1, results[1]: 2, three[2].id: None}


def test_the_same_run_has_the_same_trace(store, three):
    assert ranked(store, BM25, TopK()).trace == ranked(store, BM25, TopK()).trace
