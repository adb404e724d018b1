"""Summaries of runs: means, means by category, and paired comparisons query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.evaluate.runner import JudgedQuery, Run
from core.formulas import metrics

# The Recursive Light document's targets, "Evaluation": a named report on a small golden set.
RECURSIVE_LIGHT_TARGETS = {"p@5": 0.7, "recall@5": 0.5, "mrr": 0.6}


@dataclass(frozen=True, slots=True)
class Summary:
    """The means of a run over all queries and over each category."""

    name: str
    queries: int
    means: dict[str, float]
    by_category: dict[str, dict[str, float]]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Target:
    metric: str
    value: float
    minimum: float

    @property
    def is_met(self) -> bool:
        return self.value > self.minimum


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """The difference of a run from another in one metric: its mean, and the probability that it is chance."""

    name: str
    other: str
    metric: str
    difference: float
    p: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A query with its scores in two runs; a negative difference means that the second is worse."""

    metric: str
    before: JudgedQuery
    after: JudgedQuery

    @property
    def difference(self) -> float:
        return self.after.scores[self.metric] - self.before.scores[self.metric]


def summary(run: Run) -> Summary:
    categories: dict[str, list[JudgedQuery]] = {}
    for each in run.judged:
        categories.setdefault(each.query.category, []).append(each)
    return Summary(
        name=run.name,
        queries=len(run.judged),
        means=_means(run.judged),
        by_category={name: _means(judged) for name, judged in sorted(categories.items())},
        counts={name: len(judged) for name, judged in sorted(categories.items())},
    )


def without_category(run: Run, category: str) -> Run:
    return Run(run.name, tuple(each for each in run.judged if each.query.category != category))


def compare_paired(run: Run, other: Run, metric: str) -> PairedComparison:
    """Return whether `run` is better than `other`; p is the share of resampled sets of queries in which it is not."""
    ours, theirs = run.scores(metric), other.scores(metric)
    difference = metrics.mean(ours) - metrics.mean(theirs)
    return PairedComparison(run.name, other.name, metric, difference, metrics.paired_bootstrap(theirs, ours))


def compare_with_first(run: Run, first: Run, metric: str) -> PairedComparison:
    """Return the difference of a run from the first. p is the share of resampled sets of queries in which the
    difference is zero or of the other sign."""
    found = compare_paired(run, first, metric)
    return found if found.difference >= 0 else replace(found, p=compare_paired(first, run, metric).p)


def differences(before: Run, after: Run, metric: str) -> list[Difference]:
    """Return every query with both scores, the largest loss first."""
    pairs = (Difference(metric, *pair) for pair in zip(before.judged, after.judged, strict=True))
    return sorted(pairs, key=lambda each: each.difference)


def regressions(before: Run, after: Run, metric: str) -> list[Difference]:
    """Return the queries with a lower score, the largest loss first."""
    return [each for each in differences(before, after, metric) if each.difference < 0]


def recursive_light_targets(found: Summary) -> list[Target]:
    """Return the targets of the Recursive Light document, with the values of a run."""
    return [Target(name, found.means[name], minimum) for name, minimum in RECURSIVE_LIGHT_TARGETS.items()]


def _means(judged: Sequence[JudgedQuery]) -> dict[str, float]:
    names = judged[0].scores if judged else ()
    return {name: metrics.mean([each.scores[name] for each in judged]) for name in names}
