"""The sources: full text, vectors, recent and linked memories; limits, failures and why one was not found."""

from __future__ import annotations

import pytest
from ranking import BM25, ranked, scores
from store_steps import SPACE, add, link, vector

from core.model import Filter, Status
from core.pipeline.query import Spatial
from core.pipeline.stages.normalise import RawScore
from core.pipeline.stages.recall import (
    FullText,
    LinkedMemories,
    RecentlyAccessed,
    RescoreText,
    RescoreVectors,
    VectorSearch,
)
from core.pipeline.trace import ReasonKind

COSINE = RawScore(list="vector")
NEAR = {"vector": vector(1, 0, 0, 0).vector, "space": SPACE}


@pytest.fixture
def four(store):
    return [
        add(store, "The pool is deep", {SPACE: vector(1, 0, 0, 0)}, tags=["water"]),
        add(store, "The pools of the API and the pool of the worker", {SPACE: vector(0.6, 0.8, 0, 0)}),
        add(store, "Deploys happen on Tuesdays", {SPACE: vector(0, 1, 0, 0)}, summary="pool"),
        add(store, "Nothing of the kind"),
    ]


def gathered(ranking):
    return set(ranking.trace.gathered)


def source(ranking, name):
    return next(each for each in ranking.trace.sources if each.name == name)


def test_any_word_of_the_query_in_any_searched_field_is_found(store, four):
    assert gathered(ranked(store, BM25)) == {four[0].id, four[1].id, four[2].id}
    assert gathered(ranked(store, BM25, recall=(FullText(summary=0.0),))) == {four[0].id, four[1].id}
    assert gathered(ranked(store, BM25, asked="deep tuesdays")) == {four[0].id, four[2].id}


def test_stems_are_found_in_the_stemmed_index_only(store, four):
    assert gathered(ranked(store, BM25, asked="deploying")) == set()
    assert gathered(ranked(store, BM25, recall=(FullText(stemmed=True),), asked="deploying")) == {four[2].id}


def test_a_filter_and_a_limit_narrow_the_list(store, four):
    assert gathered(ranked(store, BM25, filter=Filter(tags=("water",)))) == {four[0].id}
    found = ranked(store, BM25, recall=(FullText(limit=1),))
    assert (len(found.trace.gathered), source(found, "bm25").limit) == (1, 1)


@pytest.mark.parametrize(
    ("step", "fields", "limit"),
    [
        (FullText(limit_per_k=2), {}, 6),
        (FullText(limit_per_k=2, limit_per_k_filtered=4), {"context": {"a": 1}}, 12),
        (FullText(limit_per_k=2, limit_per_k_filtered=4), {"spatial": Spatial("at", (1.0,))}, 12),
        (FullText(limit=5, min_limit_per_k=2), {}, 6),
        (FullText(limit=50, min_limit_per_k=2), {}, 50),
    ],
)
def test_a_limit_is_fixed_raised_or_a_multiple_of_k(store, four, step, fields, limit):
    assert source(ranked(store, BM25, recall=(step,), k=3, **fields), "bm25").limit == limit


def test_words_that_are_short_or_operators_are_left_out(store, four):
    short = ranked(store, BM25, recall=(FullText(min_word_chars=5),))
    assert (gathered(short), bool(source(short, "bm25").notes)) == (set(), True)
    add(store, "near")
    assert gathered(ranked(store, BM25, recall=(FullText(drop_operators=True),), asked="near")) == set()
    assert len(gathered(ranked(store, BM25, asked="near"))) == 1


def test_an_explained_score_is_the_sum_of_its_words(store, four):
    ranking = ranked(store, BM25, asked="pool deep", explained=frozenset({four[0].id}))
    tree = next(each.score for each in ranking.results if each.id == four[0].id)
    assert {part.name for part in tree.parts} == {"pool", "deep"}
    assert sum(part.value for part in tree.parts) == pytest.approx(tree.value)


def test_a_word_of_most_memories_counts_against_them_by_okapi_with_a_warning(store, four):
    ranking = ranked(store, BM25, recall=(FullText(okapi=True),))
    assert max(scores(ranking).values()) < 0
    assert any("pool" in warning for warning in ranking.trace.warnings)


def test_vectors_are_ranked_by_cosine_in_their_space(store, four):
    found = scores(ranked(store, COSINE, recall=(VectorSearch(),), **NEAR))
    assert found == {four[0].id: pytest.approx(1.0), four[1].id: pytest.approx(0.6), four[2].id: pytest.approx(0.0)}


def test_rescoring_finds_no_memory_of_its_own(store, four):
    recall = (FullText(limit=1), RescoreText(name="plain"), RescoreVectors())
    ranking = ranked(store, RawScore(list="plain"), recall=recall, explained=frozenset({four[3].id}), **NEAR)
    assert len(ranking.trace.gathered) == 1
    assert [each.kind for each in ranking.absent[four[3].id]] == [ReasonKind.NOT_MATCHED] * 3


def test_recent_memories_come_whatever_is_asked(store, four):
    recent = (FullText(), RecentlyAccessed(limit=2))
    ranking = ranked(store, BM25, recall=recent, asked="xylophone", **NEAR)
    assert len(gathered(ranking)) == 2
    assert four[3].id not in gathered(ranking), "it has no vector"


def test_linked_memories_are_brought_hop_by_hop_unless_the_link_is_dismissed(store, four):
    near, far = add(store, "One hop away"), add(store, "Two hops away")
    link(store, four[3], near)
    link(store, near, far)
    link(store, four[3], four[0], status="dismissed")
    for hops, expected in ((0, set()), (1, {near.id}), (2, {near.id, far.id})):
        ranking = ranked(store, BM25, recall=(FullText(), LinkedMemories(hops=hops)), asked="kind")
        assert gathered(ranking) == {four[3].id} | expected


def test_a_linked_memory_must_fit_the_filter(store, four):
    archived = add(store, "One hop away", status="archived")
    link(store, four[3], archived)
    recall = (FullText(), LinkedMemories(hops=1))
    ranking = ranked(store, BM25, recall=recall, asked="kind", filter=Filter(statuses=(Status.ACTIVE,)))
    assert gathered(ranking) == {four[3].id}


@pytest.mark.parametrize(
    ("step", "number", "kind"),
    [
        (FullText(), 3, ReasonKind.NOT_MATCHED),
        (FullText(limit=1), 2, ReasonKind.BEYOND_LIMIT),
        (VectorSearch(), 3, ReasonKind.NOT_MATCHED),
        (VectorSearch(limit=1), 2, ReasonKind.BEYOND_LIMIT),
        (LinkedMemories(), 3, ReasonKind.NOT_MATCHED),
    ],
    ids=["no word", "beyond the list", "no vector", "beyond the nearest", "no link"],
)
def test_why_a_source_did_not_find_a_memory(store, four, step, number, kind):
    id = four[number].id
    stage = RawScore(list=step.name)
    ranking = ranked(store, stage, recall=(step,), explained=frozenset({id}), **NEAR)
    (reason,) = ranking.absent[id]
    assert (reason.kind, reason.facts["list"]) == (kind, step.name)
