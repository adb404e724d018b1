"""The terms of a query: one for each word, kept for the next question of the same search."""

from __future__ import annotations

import pytest
from dict_engine import DictEngine

from core.search_cache.cache_protocol import CacheMiss
from core.search_cache.postings import Postings
from core.search_cache.query_terms import QueryTerms, field_numbers
from core.search_cache.search_cache import SearchCache
from core.search_types import FIELDS, TextSearch

WEIGHTS = dict.fromkeys(FIELDS, 1.0)
ASKED = TextSearch(("pool", "deep"), False, WEIGHTS)


@pytest.fixture
def engine():
    made = DictEngine()
    for id, content in ((1, "pool deep"), (2, "deep")):
        made.put(id, content)
    return made


@pytest.fixture
def terms(engine):
    cache = SearchCache(engine)
    yield cache.terms
    cache.close()


@pytest.fixture
def postings(engine):
    return Postings.read(engine, engine.last_change())


def test_there_is_a_term_for_each_word(terms: QueryTerms, engine, postings):
    assert len(terms.of(engine, ASKED, postings).terms) == 2
    assert len(terms.scratch.sums) >= len(postings.lengths)


def test_the_same_question_gets_the_same_terms_until_they_are_forgotten(terms, engine, postings):
    first = terms.of(engine, ASKED, postings)
    assert terms.of(engine, ASKED, postings) is first
    assert terms.of(engine, TextSearch(("pool",), False, WEIGHTS), postings) is not first
    again = terms.of(engine, ASKED, postings)
    terms.forget()
    assert terms.of(engine, ASKED, postings) is not again


def test_a_word_that_is_not_one_token_is_a_miss(terms, engine, postings, monkeypatch):
    monkeypatch.setattr(engine, "query_tokens", lambda *_: None)
    with pytest.raises(CacheMiss):
        terms.of(engine, ASKED, postings)


def test_the_searched_fields_are_those_that_weigh_something():
    only = TextSearch(("pool",), False, {**dict.fromkeys(FIELDS, 0.0), "content": 1.0, "tags": 2.0})
    assert field_numbers(only) == [FIELDS.index("content"), FIELDS.index("tags")]
