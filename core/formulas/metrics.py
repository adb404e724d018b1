"""Quality of a ranking, for one query: a list of keys, best first, and the grades of the judged ones.

A grade above 0 is relevant; a judged memory that was not returned counts as missed (quepid #78). Definitions as in
trec_eval: nDCG with linear gain and log2(rank + 1), average precision over all relevant ones, means over all queries,
an empty answer scoring 0. Paired bootstrap: Efron and Tibshirani 1993, chapter 16, over queries.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence

from core.errors import UserError

Grades = Mapping[str, int]
Metric = Callable[[Sequence[str], Grades], float]


def precision(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Return the share of relevant ones among the first k positions."""
    return _relevant(ranked[:k], grades) / k


def recall(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Return the share of all relevant ones that is among the first k."""
    return _relevant(ranked[:k], grades) / _total(grades)


def hit(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Return 1 if any relevant one is among the first k, else 0."""
    return 1.0 if _relevant(ranked[:k], grades) else 0.0


def reciprocal_rank(ranked: Sequence[str], grades: Grades, k: int | None = None) -> float:
    """Return 1 / the rank of the first relevant one."""
    return next((1 / rank for rank, key in enumerate(ranked[:k], 1) if grades.get(key, 0) > 0), 0.0)


def average_precision(ranked: Sequence[str], grades: Grades, k: int | None = None) -> float:
    """Return the sum of the precision at each relevant one, divided by the number of relevant ones."""
    found, total = 0, 0.0
    for rank, key in enumerate(ranked[:k], 1):
        if grades.get(key, 0) > 0:
            found += 1
            total += found / rank
    return total / _total(grades)


def ndcg(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Return the gain discounted by log2(rank + 1), divided by the best possible."""
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    return _dcg([max(0, grades.get(key, 0)) for key in ranked[:k]]) / _dcg(best[:k])


_AT_K: Mapping[str, Callable[[Sequence[str], Grades, int], float]] = {
    "p": precision,
    "recall": recall,
    "hit": hit,
    "ndcg": ndcg,
    "mrr": reciprocal_rank,
    "map": average_precision,
}
_WITHOUT_CUTOFF: Mapping[str, Callable[[Sequence[str], Grades], float]] = {
    "mrr": reciprocal_rank,
    "map": average_precision,
}

DEFAULT_METRICS = ("recall@10", "ndcg@10", "mrr", "hit@5", "p@5", "recall@5", "map")


def metric(name: str) -> Metric:
    """Return a metric by name, such as `ndcg@10`, `recall@5`, `mrr`."""
    kind, at, depth = name.partition("@")
    if not at and kind in _WITHOUT_CUTOFF:
        return _WITHOUT_CUTOFF[kind]
    if kind not in _AT_K or not depth.isdecimal() or not 1 <= int(depth) <= 1_000:
        known = ", ".join([*(f"{each}@k" for each in _AT_K), *_WITHOUT_CUTOFF])
        raise UserError(f"There is no metric {name[:40]!r}; there are {known}.")
    return lambda ranked, grades: _AT_K[kind](ranked, grades, int(depth))


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def paired_bootstrap(a: Sequence[float], b: Sequence[float], rounds: int = 2_000, seed: int = 1) -> float:
    """Return the share of resamples of the queries in which b is not better than a: a one-sided p-value."""
    differences = [theirs - ours for ours, theirs in zip(a, b, strict=True)]
    if not differences:
        return 1.0
    chance = random.Random(seed)
    worse = sum(math.fsum(chance.choices(differences, k=len(differences))) <= 0 for _ in range(rounds))
    return worse / rounds


def _relevant(keys: Sequence[str], grades: Grades) -> int:
    return sum(grades.get(key, 0) > 0 for key in keys)


def _total(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades.values())


def _dcg(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def percentile(ascending: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed (nearest rank); 0 of nothing."""
    return ascending[max(0, math.ceil(share * len(ascending)) - 1)] if ascending else 0.0
