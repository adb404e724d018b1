"""What runs add up to: means, by category, and whether one is really better than another, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.evaluate.runner import JudgedQuery, Run
from core.formulas import metrics

# The Recursive Light document's targets, "Evaluation": a named report on a small golden set.
RECURSIVE_LIGHT_TARGETS = {"p@5": 0.7, "recall@5": 0.5, "mrr": 0.6}


@dataclass(frozen=True, slots=True)
class Summary:
    """The means of a run over all its queries and over each category's."""

    name: str
    queries: int
    means: dict[str, float]
    by_category: dict[str, dict[str, float]]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Target:
    metric: str
    value: float
    least: float

    @property
    def is_met(self) -> bool:
        return self.value > self.least


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """How a run differs from another in one metric: the mean difference, and how likely it is only chance."""

    name: str
    other: str
    metric: str
    difference: float
    p: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A query that two runs answer, with both answers; below 0 the second is the worse one."""

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
    """Is `run` better than `other`? p is the share of resampled sets of queries in which it is not."""
    ours, theirs = run.scores(metric), other.scores(metric)
    difference = metrics.mean(ours) - metrics.mean(theirs)
    return PairedComparison(run.name, other.name, metric, difference, metrics.paired_bootstrap(theirs, ours))


def compare_with_first(run: Run, first: Run, metric: str) -> PairedComparison:
    """Return how a run differs from the first. p is of the direction that is seen: the share of resampled sets of
    queries in which the difference goes the other way, or there is none."""
    found = compare_paired(run, first, metric)
    return found if found.difference >= 0 else replace(found, p=compare_paired(first, run, metric).p)


def differences(before: Run, after: Run, metric: str) -> list[Difference]:
    """Return every query, the one that got worst first."""
    pairs = (Difference(metric, *pair) for pair in zip(before.judged, after.judged, strict=True))
    return sorted(pairs, key=lambda each: each.difference)


def regressions(before: Run, after: Run, metric: str) -> list[Difference]:
    """Return the queries that got worse, the worst first."""
    return [each for each in differences(before, after, metric) if each.difference < 0]


def recursive_light_targets(found: Summary) -> list[Target]:
    """Return how a run stands to the targets that the Recursive Light document sets."""
    return [Target(name, found.means[name], least) for name, least in RECURSIVE_LIGHT_TARGETS.items()]


def _means(judged: Sequence[JudgedQuery]) -> dict[str, float]:
    names = judged[0].scores if judged else ()
    return {name: metrics.mean([each.scores[name] for each in judged]) for name in names}
