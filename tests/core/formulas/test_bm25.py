"""BM25 word by word."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formulas import bm25


def test_bm25_of_one_word_is_the_appendixs_formula():
    idf = math.log((100 - 10 + 0.5) / (10 + 0.5))
    assert bm25.okapi_idf(100, 10) == idf
    expected = idf * (3 * (1.5 + 1)) / (3 + 1.5 * (1 - 0.75 + 0.75 * (20 / 10)))
    assert bm25.term_score(3, idf, 20, 10, 1.5, 0.75) == pytest.approx(expected)


def test_a_word_in_most_documents_counts_against_in_okapi_and_for_nothing_in_fts5():
    assert bm25.okapi_idf(10, 9) < 0
    assert bm25.fts5_idf(10, 9) == 1e-6


@given(st.integers(1, 1000), st.integers(0, 1000), st.floats(0.1, 50), st.floats(1, 500), st.floats(1, 500))
def test_more_occurrences_never_lower_a_positive_score(documents, with_word, frequency, length, average):
    idf = bm25.fts5_idf(documents, min(with_word, documents))
    less = bm25.term_score(frequency, idf, length, average, 1.2, 0.75)
    more = bm25.term_score(frequency + 1, idf, length, average, 1.2, 0.75)
    assert 0 < less <= more <= idf * 2.2 + 1e-9
