"""PageRank that returns to the matches."""

from __future__ import annotations

import pytest

from core.formulas import pagerank


def test_rank_returns_to_the_matches():
    ranked, _ = pagerank.query_biased([1, 2, 3], [(1, 2, 1.0), (2, 3, 0.5)], {1}, damping=0.85, iterations=50)
    assert ranked[1] == pytest.approx(1 - 0.85)
    assert ranked[2] == pytest.approx(0.85 * ranked[1])
    assert ranked[3] == pytest.approx(0.85 * 0.5 * ranked[2])


def test_one_iteration_is_the_documents_line():
    ranked, before = pagerank.query_biased([1, 2], [(1, 2, 0.5), (1, 2, 0.25)], {1}, damping=0.85, iterations=1)
    assert before == {1: 1.0, 2: 0.0}
    assert ranked[2] == 0.85 * (1.0 * 0.5 / 2 + 1.0 * 0.25 / 2) + (1 - 0.85) * 0.0
