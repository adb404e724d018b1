"""The commands recall, explain and profiles."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import replace

from core import formatting
from core.clock import parse_iso
from core.errors import UserError, suggestion
from core.pipeline import run_report
from core.pipeline.pool import Candidate
from core.pipeline.trace import Term
from core.services import profiles as known
from core.services import query, time_travel, why_not
from core.services.query import Answer, Explanation, Question
from core.services.workspace import Workspace
from inspector import wire
from inspector.cli import OK
from inspector.command_table.queries import BRIEF, FULL
from inspector.commands import terminal
from inspector.commands.memories import filter_of

_DIGITS = 6


def recall(options: argparse.Namespace) -> int:
    if options.explain not in ("", BRIEF, FULL):
        raise UserError(f"--explain is {BRIEF} or {FULL}, not {options.explain[:40]!r}.")
    question = _question(options)
    with _opened(options, question) as workspace:
        answer = query.ask(workspace, question)
        if options.explain:  # once more, with every word's share of the results' full-text scores
            answer = _with_words(workspace, answer)
    if options.prompt:
        terminal.show(argparse.Namespace(json=False), None, answer.prompt)
        return OK
    terminal.show(options, wire.answer(answer), "\n".join(_shown(answer, options.explain)))
    return OK


def explain(options: argparse.Namespace) -> int:
    question = _question(options)
    with _opened(options, question) as workspace:
        found = query.explain(workspace, question, options.memory)
        missed = why_not.why_not(workspace, question, options.memory) if found.rank is None else None
    shape = {**wire.explanation(found), "why_not": wire.why_not(missed) if missed else None}
    terminal.show(options, shape, "\n".join(_explained(found, missed)))
    return OK


def profiles(options: argparse.Namespace) -> int:
    shown = [profile for profile in known.published() if options.name in (None, profile.name)]
    if not shown:
        near = suggestion(options.name, [profile.name for profile in known.published()])
        raise UserError(f"There is no profile {options.name[:40]!r}{near}; `memory-inspector profiles` shows them.")
    lines = []
    for profile in shown:
        lines.append(f"{profile.name:<26} {profile.about}")
        if options.name:
            lines += [f"  follows {profile.source}; returns {profile.k}"]
            lines += [
                f"  {parameter.path:<28} {wire.plain(parameter.value)}" for parameter in known.parameters(profile)
            ]
    terminal.show(options, {"profiles": [wire.profile(profile) for profile in shown]}, "\n".join(lines))
    return OK


@contextlib.contextmanager
def _opened(options: argparse.Namespace, question: Question) -> Iterator[Workspace]:
    """Yield the store for reading, with the model loaded if the profile uses vectors and it is installed."""
    moment = None if options.state_at is None else parse_iso(options.state_at, "--state-at")
    with terminal.open_workspace(options, read_only=True) as workspace:
        if query.uses_vectors(workspace, question):  # also says a wrong name or parameter before a model is loaded
            with contextlib.suppress(UserError):
                workspace.embeddings.load()
        if moment is None:
            yield workspace
        else:
            with time_travel.workspace_at(workspace, moment) as then:
                yield then


def _question(options: argparse.Namespace) -> Question:
    return Question(
        text=options.query,
        profile=options.profile,
        parameters=dict(map(terminal.assignment, options.set)),
        k=None if options.k is None else terminal.number(options.k, "--k", most_digits=40),
        as_of=None if options.as_of is None else parse_iso(options.as_of, "--as-of"),
        filter=replace(filter_of(options), users=tuple(options.user), sessions=()),
        session=_one_session(options.session),
        min_confidence=None
        if options.min_confidence is None
        else terminal.decimal(options.min_confidence, "--min-confidence"),
        token_budget=None if options.budget is None else terminal.number(options.budget, "--budget"),
        context={} if options.context is None else terminal.json_object(options.context, "--context"),
        spatial=None if options.near is None else terminal.json_object(options.near, "--near"),
        exact=options.exact,
    )


def _one_session(named: list[str]) -> str:
    if len(named) > 1:
        raise UserError("A query takes one session; name only one.")
    return named[0] if named else ""


def _with_words(workspace: Workspace, answer: Answer) -> Answer:
    ids = frozenset(result.id for result in answer.ranking.results)
    return query.ask(workspace, answer.question, explained=ids)


def _shown(answer: Answer, explain: str) -> Iterator[str]:
    trace = answer.ranking.trace
    why_this_mode = trace.why_this_mode
    for warning in trace.warnings:
        yield f"! {warning}"
        why_this_mode = why_this_mode.replace(warning, "")  # once is enough
    for rank, result in enumerate(answer.ranking.results, 1):
        memory = result.memory
        content = terminal.one_line(memory.content, 90)
        yield f"{rank:>3}  {result.value:<9.5g} {memory.id:>6}  {memory.type:<10.10} {content}"
        if explain and (tree := result.score) is not None:
            yield from _trees(tree, result, "     ", is_full=explain == FULL)
    if not answer.ranking.results:
        yield "No results."
    yield f"{answer.profile.name}: {trace.mode}, {trace.elapsed_ms:.1f} ms. {why_this_mode}".rstrip()
    if explain:
        yield from _funnel(answer)


def _funnel(answer: Answer) -> Iterator[str]:
    trace = answer.ranking.trace
    yield f"  {'gathered':<28} {len(trace.gathered):>5}"
    for source in trace.sources:
        yield f"    {_step(source.name):<26} {source.found:>5}  {source.elapsed_ms:7.2f} ms  {source.failure}"
    for stage in trace.stages:
        yield f"  {_step(stage.name):<28} {stage.remaining:>5}  {stage.elapsed_ms:7.2f} ms"
        for drop in stage.drops[:5]:
            yield f"      − {drop.memory_id}: {drop.reason.sentence}"
        if len(stage.drops) > 5:
            yield f"      − … and {len(stage.drops) - 5} more"


def _explained(found: Explanation, missed: why_not.WhyNot | None) -> Iterator[str]:
    yield terminal.one_line(found.memory.content, 110)
    if found.rank is not None:
        yield f"Rank {found.rank} of {len(found.answer.ranking.results)} by {found.answer.profile.name}."
    elif found.reason is not None:
        yield f"Not returned by {found.answer.profile.name}. {found.reason.sentence}"
    for warning in found.answer.ranking.trace.warnings:
        yield f"! {warning}"
    for absent in found.absent:
        if absent is not found.reason:
            yield f"  also: {absent.sentence}"
    if found.candidate is not None and (tree := found.score) is not None:
        yield from _trees(tree, found.candidate, "")
    for step in found.steps:
        if step.measured is not None:
            yield from _Trees().lines(step.measured, "")
    for step in found.steps:
        ranks = f"{step.rank_before or '–':>4} → {step.rank_after or '–':<4}"
        score = "" if step.score_after is None else run_report.number(step.score_after, _DIGITS)
        facts = ", ".join(f"{name} {wire.plain(value)}" for name, value in step.facts.items())
        yield f"  {_step(step.stage):<28} {ranks} {score:<12} {step.reason.sentence if step.reason else facts}".rstrip()
    if missed is not None:
        if missed.smallest is None:
            yield f"No single change was found that would return it ({formatting.counted(missed.runs, 'run')} tried)."
        for change in missed.changes[:5]:
            yield f"  {'→' if change is missed.smallest else ' '} {change.sentence}"
        if not missed.is_complete:
            yield f"  Not everything could be tried in {formatting.counted(missed.runs, 'run')}."


def _step(name: str) -> str:
    """Return how a step is called, and the name that `--set` takes where they differ."""
    label = run_report.label(name)
    return name if label.lower() == name else f"{label} ({name})"


def _trees(score: Term, candidate: Candidate, indent: str, *, is_full: bool = False) -> Iterator[str]:
    """Yield the explanation trees of a score and of each list's number as lines."""
    trees = _Trees(is_full=is_full)
    yield from trees.lines(score, indent)
    for name, hit in candidate.hits.items():
        yield f"{indent}Rank {hit.rank} in the list {_step(name)}:"
        yield from trees.lines(hit.term, f"{indent}  ")


class _Trees:
    """The explanation trees of one memory as lines: a number with its formula, and below it its parts.

    In brief, a plain number has no line of its own where the formula shows it, and a tree that was printed before is
    not printed again.
    """

    def __init__(self, *, is_full: bool = False) -> None:
        self._is_full = is_full
        self._printed: set[str] = set()

    def lines(self, term: Term, indent: str) -> Iterator[str]:
        formula = run_report.formula(term, _DIGITS, is_named=not self._is_full)
        facts = ", ".join(f"{name} {value}" for name, value in term.facts.items() if value not in (None, "", False))
        tree = repr(term)
        is_repeated = bool(term.parts) and tree in self._printed and not self._is_full
        self._printed.add(tree)
        yield (
            f"{indent}{run_report.number(term.value, _DIGITS)}  {run_report.label(term.name)}"
            + (f" = {formula}" if formula else "")
            + ("  (as above)" if is_repeated else f"  ({terminal.one_line(facts, 120)})" if facts else "")
        )
        for part in () if is_repeated else term.parts:
            if self._is_full or part.parts or part.facts:
                yield from self.lines(part, indent + "  ")
