"""How long a recall takes, profile by profile and part by part, without embedding; whether it is right and exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.model import Filter
from core.pipeline import run_report
from core.profiles import PROFILES
from core.services import query
from core.services.query import Answer, Question
from core.services.workspace import Workspace
from tests.benchmarks import generator
from tests.benchmarks.generator import BenchmarkQuestion
from tests.benchmarks.peers import harness, ours, plain
from tests.benchmarks.tables import Table
from tests.benchmarks.timing import interleaved, p50, p95, ratio
from tests.benchmarks.workload import Workload

PLAIN = "plain FTS5 + vec0"
FILTERED = "inspector, among 1 in 100"
EXPLAINED = "inspector, with the tree of each result"
TRACED = "inspector, with its whole trace"
COMPARED_WITH_EXACT = 50
PARTS = ("words", "vectors", "other sources", "reading", "stages", "around")


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """What is counted of an answer. No answer is kept whole: a thousand of them hold ten million objects, through which
    Python's collector of cycles then goes while the others are timed."""

    question: Question
    best: list[int]
    spent: dict[str, float]

    @classmethod
    def of(cls, answer: Answer) -> AnswerFigures:
        trace = answer.ranking.trace
        spent = dict.fromkeys(PARTS, 0.0)
        for source in trace.sources:
            kinds = dict.fromkeys(("FullText", "RescoreText"), "words")
            kinds |= dict.fromkeys(("VectorSearch", "RescoreVectors"), "vectors")
            spent[kinds.get(source.kind, "other sources")] += source.elapsed_ms
        spent["stages"] = sum(stage.elapsed_ms for stage in trace.stages)
        spent["reading"] = trace.elapsed_ms - sum(spent.values())
        return cls(answer.question, _best(answer), spent)


def opened(workload: Workload) -> tuple[Workspace, plain.Peer]:
    """The store with the questions' vectors given, and the plain query beside it."""
    workspace, given = ours.opened(harness.loaded(harness.OURS, workload) / "store.db", read_only=True)
    given.vectors.update({asked.text: asked.vector.tobytes() for asked in workload.questions()})
    return workspace, plain.Peer(harness.loaded(harness.PLAIN, workload))


def exact_answer(workspace: Workspace, question: Question) -> Answer:
    """The answer of the file itself."""
    return query.ask(workspace, replace(question, exact=True))


def measure(workload: Workload, profiles: Sequence[str] = (), most: int | None = None) -> list[Table]:
    """Of some profiles or all, with so many of the questions or all."""
    workspace, by_hand = opened(workload)
    questions = workload.questions()[:most]
    answers: dict[str, list[AnswerFigures]] = {}
    found: list[list[int]] = []

    def recall(name: str, question: Callable[[BenchmarkQuestion], Question]) -> Callable[[BenchmarkQuestion], None]:
        return lambda asked: answers.setdefault(name, []).append(
            AnswerFigures.of(query.ask(workspace, question(asked)))
        )

    named = profiles or [profile.name for profile in PROFILES]
    asking = {name: _by_profile(name) for name in named} | {FILTERED: _filtered}

    def explained(asked: BenchmarkQuestion) -> None:
        answer = query.ask(workspace, _by_profile("inspector")(asked))
        run_report.results(answer.ranking)
        answers.setdefault(EXPLAINED, []).append(AnswerFigures.of(answer))

    def traced(asked: BenchmarkQuestion) -> None:
        """Besides the trees, the order after every stage and the reason of every drop, which are built on demand."""
        answer = query.ask(workspace, _by_profile("inspector")(asked))
        run_report.results(answer.ranking)
        for stage in answer.ranking.trace.stages:
            _ = tuple(stage.order), tuple(stage.drops)
        answers.setdefault(TRACED, []).append(AnswerFigures.of(answer))

    variants: dict[str, Callable[[BenchmarkQuestion], object]] = {
        PLAIN: lambda asked: found.append(by_hand.query(asked.text, asked.vector, 5, "hybrid")),
        **{name: recall(name, question) for name, question in asking.items()},
        EXPLAINED: explained,
        TRACED: traced,
    }
    for name, variant in variants.items():  # warm, and what it answers is not counted
        for asked in questions[:2]:
            variant(asked)
        answers.get(name, found).clear()
    workspace.store.wait_for_search_cache()
    times = interleaved(variants, questions)
    rows: list[tuple[Any, ...]] = []
    for name, taken in times.items():
        given = answers.get(name)
        numbers = found if given is None else [answer.best for answer in given]
        hits = sum(asked.answer in best for asked, best in zip(questions, numbers, strict=False)) / len(taken)
        is_exact = None if given is None else _share_exact(workspace, given[:COMPARED_WITH_EXACT])
        parts = [None] * len(PARTS) if given is None else _parts(given, taken)
        rows.append((name, len(taken), p50(taken), p95(taken), ratio(taken, times[PLAIN]), hits, is_exact, *parts))
    by_hand.close()
    workspace.close()
    columns = ("recall", "queries", "p50 ms", "p95 ms", "p50 / plain", "hit@5", "top 5 as exact", *PARTS)
    return [
        Table(
            f"Recall at {workload.size:,} memories",
            columns,
            rows,
            "Without embedding the query. The last columns are the p50 in ms of each part: full text, vectors, other"
            " sources, reading the candidates, the stages, and everything around the run.",
        )
    ]


def _by_profile(name: str) -> Callable[[BenchmarkQuestion], Question]:
    return lambda asked: Question(text=asked.text, profile=name)


def _filtered(asked: BenchmarkQuestion) -> Question:
    return Question(text=asked.text, filter=Filter(tags=(generator.tag(asked.answer),)))


def _best(answer: Answer) -> list[int]:
    return [memory.id - 1 for memory in answer.memories[:5]]


def _share_exact(workspace: Workspace, answers: Sequence[AnswerFigures]) -> float:
    same = [answer.best == _best(exact_answer(workspace, answer.question)) for answer in answers]
    return sum(same) / len(same)


def _parts(answers: Sequence[AnswerFigures], times: Sequence[float]) -> list[float]:
    wholes = [
        {**answer.spent, "around": whole - sum(answer.spent.values())}
        for answer, whole in zip(answers, times, strict=True)
    ]
    return [p50([whole[part] for whole in wholes]) for part in PARTS]
