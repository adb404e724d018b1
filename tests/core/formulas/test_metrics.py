"""Metrics: the definitions' arithmetic, bounds, and agreement with the programs that are the field's reference."""

from __future__ import annotations

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UserError
from core.formulas import metrics

RANKED = ["a", "b", "c", "d", "e"]
GRADES = {"b": 2, "d": 1, "z": 3, "a": 0}


def test_each_metric_is_its_definitions_arithmetic():
    assert metrics.precision(RANKED, GRADES, 4) == 2 / 4
    assert metrics.recall(RANKED, GRADES, 4) == 2 / 3, "z was judged relevant and never returned: it counts"
    assert metrics.hit(RANKED, GRADES, 1) == 0
    assert metrics.hit(RANKED, GRADES, 2) == 1
    assert metrics.reciprocal_rank(RANKED, GRADES) == 1 / 2
    assert metrics.average_precision(RANKED, GRADES) == (1 / 2 + 2 / 4) / 3
    gained = 2 / math.log2(3) + 1 / math.log2(5)
    best = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert metrics.ndcg(RANKED, GRADES, 5) == pytest.approx(gained / best, abs=1e-12)


keys = st.sampled_from([f"m{n}" for n in range(12)])
rankings = st.lists(keys, unique=True, max_size=12)
grades = st.dictionaries(keys, st.integers(0, 3), min_size=1).filter(lambda found: any(found.values()))

OTHERS = {
    "p@5": ir_measures.P @ 5,
    "recall@5": ir_measures.R @ 5,
    "ndcg@10": ir_measures.nDCG @ 10,
    "mrr": ir_measures.RR,
    "map": ir_measures.AP,
    "hit@5": ir_measures.Success @ 5,
}


@given(rankings, grades)
def test_they_agree_with_trec_eval(ranked, graded):
    qrels = [ir_measures.Qrel("q", key, grade) for key, grade in graded.items()]
    run = [ir_measures.ScoredDoc("q", key, float(len(ranked) - n)) for n, key in enumerate(ranked)]
    theirs = ir_measures.calc_aggregate(list(OTHERS.values()), qrels, run)
    for name, other in OTHERS.items():
        assert metrics.metric(name)(ranked, graded) == pytest.approx(theirs[other], abs=1e-9), name


@given(rankings, grades)
def test_every_metric_is_between_0_and_1_and_what_is_irrelevant_below_the_last_changes_nothing(ranked, graded):
    for name in metrics.DEFAULT_METRICS:
        score = metrics.metric(name)(ranked, graded)
        assert 0 <= score <= 1 + 1e-12
        assert metrics.metric(name)([*ranked, "irrelevant"], graded) == score


@pytest.mark.parametrize("name", ["ndcg", "ndcg@", "ndcg@0", "ndcg@-1", "best@5", "recall@many", ""])
def test_an_unknown_metric_is_said(name):
    with pytest.raises(UserError, match="There is no metric"):
        metrics.metric(name)


def test_a_bootstrap_is_sure_of_what_is_always_better_and_not_of_what_is_equal():
    a = [0.1, 0.5, 0.3, 0.7] * 10
    better = [value + 0.1 for value in a]
    assert metrics.paired_bootstrap(a, better) == 0.0
    assert metrics.paired_bootstrap(better, a) == 1.0
    assert metrics.paired_bootstrap(a, a) == 1.0
    mixed = [value + (0.1 if n % 2 else -0.1) for n, value in enumerate(a)]
    assert 0.2 < metrics.paired_bootstrap(a, mixed) < 0.8
    assert metrics.paired_bootstrap(a, mixed) == metrics.paired_bootstrap(a, mixed), "the same each time"


def test_a_percentile_is_the_nearest_rank():
    values = [1.0, 2.0, 3.0, 4.0]
    assert [metrics.percentile(values, share) for share in (0.0, 0.5, 0.51, 1.0)] == [1.0, 2.0, 3.0, 4.0]
    assert metrics.percentile([], 0.5) == 0.0
