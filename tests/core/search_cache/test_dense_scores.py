"""BM25 of all memories at once: the scores of the formula, also where an idf is negative."""

from __future__ import annotations

import numpy as np
import pytest
from dict_engine import DictEngine

from core.formulas import bm25
from core.model import Filter
from core.search_cache.bm25_ranking import best, scored
from core.search_cache.filter_masks import FilterMasks
from core.search_cache.search_cache import SearchCache
from core.search_types import FIELDS, TextSearch

WEIGHTS = dict.fromkeys(FIELDS, 1.0)
CONTENTS = ("pool", "the pool of it", "deep pool pool", "nothing", "the deep end")


@pytest.fixture
def engine():
    made = DictEngine()
    for id, content in enumerate(CONTENTS, 1):
        made.put(id, content, "decision" if id == 2 else "fact")
    return made


@pytest.fixture
def cache(engine):
    made = SearchCache(engine)
    yield made
    made.close()


def terms_of(cache, engine, *words, okapi=None):
    with cache.contents.up_to_date(engine) as postings:
        return cache.terms.of(engine, TextSearch(words, False, WEIGHTS, okapi), postings)


@pytest.mark.parametrize("okapi", [None, (1.5, 0.75)], ids=["FTS5", "Okapi, with a negative idf"])
def test_the_scores_are_those_of_the_ranking_that_skips_most(cache, engine, okapi):
    found = terms_of(cache, engine, "pool", "deep", okapi=okapi)
    mask = FilterMasks().of(engine, Filter(), 6)
    for limit in (1, 2, 10):
        ids, scores = found.dense.best(mask, limit)
        expected = best(found.terms, mask, limit, cache.terms.scratch)
        assert (ids.tolist(), scores.tolist()) == (expected[0].tolist(), expected[1].tolist())
    some = np.array([2, 3, 4], dtype=np.int32)
    assert [each.tolist() for each in found.dense.of(some)] == [each.tolist() for each in scored(found.terms, some)]


def test_only_what_passes_the_mask_is_found(cache, engine):
    mask = FilterMasks().of(engine, Filter(types=("decision",)), 6)
    assert terms_of(cache, engine, "pool").dense.best(mask, 10)[0].tolist() == [2]


def test_a_term_is_kept_until_a_text_changes(cache, engine):
    first = terms_of(cache, engine, "pool").terms[0]
    assert terms_of(cache, engine, "deep", "pool").terms[1] is first
    engine.put(9, "a pool more")
    again = terms_of(cache, engine, "pool").terms[0]
    assert again is not first
    assert again.idf == bm25.fts5_idf(6, 4)
