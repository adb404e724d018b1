"""Profiles compared over a golden set: a table, every query, and two answers side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.evaluate import report
from core.evaluate.report import Difference as Difference
from core.formulas.metrics import DEFAULT_METRICS as DEFAULT_METRICS
from core.model import Memory, Uid
from core.pipeline import run_report
from core.pipeline.run_report import RankedResult
from core.progress import Progress, silent
from core.services import evaluate, query
from core.services.evaluate import GoldenQuery, ProfileVariant, Run
from core.services.query import Question
from core.services.workspace import Workspace

SHOWN = 20  # results of an answer; after these only judged ones


@dataclass(frozen=True, slots=True)
class Measurement:
    """The runs of some profiles over a golden set; `note` says what was missing, such as the model."""

    golden_set: str
    runs: tuple[Run, ...]
    note: str = ""

    def run(self, name: str) -> Run:
        return next(each for each in self.runs if each.name == name)


@dataclass(frozen=True, slots=True)
class ComparisonLine:
    """A profile's means over all queries or over one category, with the difference from the first profile in one
    metric."""

    profile: str
    category: str | None
    queries: int
    means: Mapping[str, float]
    difference: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class RankInAnswer:
    """A memory in an answer; without rank and result it was judged relevant and not returned."""

    rank: int | None
    memory: Memory
    grade: int | None
    result: RankedResult | None


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One profile's answer to a judged query."""

    profile: str
    question: Question
    places: tuple[RankInAnswer, ...]


def measure(workspace: Workspace, golden_set: str, profiles: Sequence[str], progress: Progress = silent) -> Measurement:
    """Run every query of a set with each profile. Read-only."""
    queries = evaluate.golden(workspace, golden_set)
    note = "" if workspace.embeddings.embedder() is not None else workspace.embeddings.status().sentence
    runs = tuple(evaluate.measure(workspace, queries, ProfileVariant(name), progress=progress) for name in profiles)
    return Measurement(golden_set, runs, note)


def table(measured: Measurement, metric: str, progress: Progress = silent) -> list[ComparisonLine]:
    """Return a line for each profile with its difference from the first, over the answerable queries."""
    fair = [evaluate.without_adversarial(run) for run in measured.runs]
    lines = []
    for place, run in enumerate(measured.runs):
        found = report.summary(run)
        versus = report.compare_with_first(fair[place], fair[0], metric) if place else None
        apart = (None, None) if versus is None else (versus.difference, versus.p)
        lines.append(ComparisonLine(run.name, None, found.queries, found.means, *apart))
        progress("comparing", place + 1, len(fair))
    return lines


def by_category(measured: Measurement) -> list[ComparisonLine]:
    """Return a line for each profile and category; none if there is only one category."""
    found = [report.summary(run) for run in measured.runs]
    names = list(found[0].by_category) if found else []
    return [
        ComparisonLine(each.name, name, each.counts[name], each.by_category[name])
        for name in (names if len(names) > 1 else ())
        for each in found
    ]


def differences(measured: Measurement, before: str, after: str, metric: str) -> list[Difference]:
    """Return every query with both scores, the largest loss of the second profile first."""
    return report.differences(measured.run(before), measured.run(after), metric)


def side(workspace: Workspace, profile: str, asked: GoldenQuery) -> ComparisonSide:
    """Return a profile's answer: its first results, the judged ones among the rest, and the relevant ones it missed."""
    question = evaluate.question(ProfileVariant(profile), asked)
    results = run_report.results(query.ask(workspace, question).ranking)
    graded = ((each, asked.grades.get(each.memory.uid)) for each in results)
    places = [
        RankInAnswer(each.rank, each.memory, grade, each)
        for each, grade in graded
        if each.rank <= SHOWN or grade is not None
    ]
    returned = {each.memory.uid for each in results}
    with workspace.store.read() as reader:
        for uid, grade in asked.grades.items():
            memory = reader.memory_by_uid(Uid(uid)) if grade > 0 and uid not in returned else None
            if memory is not None:
                places.append(RankInAnswer(None, memory, grade, None))
    return ComparisonSide(profile, question, tuple(places))
