"""The commands eval, judge, judgements and tune: how well profiles rank judged queries."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core import formatting, safe_files
from core.errors import UserError
from core.services import evaluate, profiles
from core.services.evaluate import GoldenQuery, ProfileVariant, Run
from core.services.workspace import Workspace
from inspector import wire
from inspector.cli import CHECK_FAILED, OK
from inspector.commands import terminal

MAIN = "ndcg@10"


def evaluate_profiles(options: argparse.Namespace) -> int:
    """Measure profiles on a golden set of the store, or on files in a temporary store."""
    changed = dict(terminal.assignment(each) for each in options.set if "=" in each)
    named = [each for each in options.set if "=" not in each]
    bars = dict(_bar(each) for each in options.min)
    wanted = list(dict.fromkeys((*evaluate.DEFAULT_METRICS, *options.metric, *bars)))
    with _measured(options, named) as (workspace, queries):
        if options.category:
            queries = [each for each in queries if each.category in options.category]
        moments = evaluate.newest_by_scope(workspace) if options.memories else {}
        contestants = [ProfileVariant(profile, changed) for profile in options.profile or ["inspector"]]
        runs = [
            evaluate.measure(workspace, queries, each, wanted, as_of=moments, progress=terminal.progress())
            for each in contestants
        ]
    if options.run_out is not None:
        _write_run(terminal.path(options.run_out, "--run-out"), runs[0])
    notes = _skipped(options)
    lines = [*notes, *_table(runs, wanted)]
    shape: dict[str, Any] = {"runs": [wire.evaluated(each) for each in runs], "notes": notes}
    if any(each.query.category == evaluate.ADVERSARIAL for each in runs[0].judged):
        without = [evaluate.without_adversarial(each) for each in runs]
        lines += ["", f"Without the category {evaluate.ADVERSARIAL}:", *_table(without, wanted)]
        shape["without_adversarial"] = [wire.evaluated(each) for each in without]
    if len(runs) > 1:
        answerable = [evaluate.without_adversarial(each) for each in runs]
        compared = evaluate.compare(answerable, MAIN)
        shape["compared"] = [wire.versus(each) for each in compared]
        lines += ["", *map(_verdict, compared)]
    met = evaluate.targets(runs[0])
    shape["recursive_light_targets"] = [wire.target(each) for each in met]
    lines += ["", "Recursive Light's targets: " + ", ".join(map(_target, met)) + "."]
    failed = [
        f"{name} is {mean:.4f}, below {bars[name]:g}."
        for name, mean in evaluate.summary(runs[0]).means.items()
        if name in bars and mean < bars[name]
    ]
    terminal.show(options, {**shape, "below": failed}, "\n".join(lines + failed))
    return CHECK_FAILED if failed else OK


def judge(options: argparse.Namespace) -> int:
    grade = None if options.grade == "none" else terminal.number(options.grade, "The grade", most_digits=4)
    with terminal.open_workspace(options) as workspace:
        made, _ = evaluate.judge(
            workspace,
            options.set,
            options.query,
            options.memory,
            grade,
            judge=terminal.PERSON,
            category=options.category,
        )
    text = (
        "Removed the judgement." if made is None else f"Judged {options.memory} with {made.grade} in {made.golden_set}."
    )
    terminal.show(options, {"judgement": None if made is None else wire.judgement(made)}, text)
    return OK


def judgements(options: argparse.Namespace) -> int:
    if options.file is not None and options.to is not None:
        raise UserError("Give a file to import, or --to to export one, not both.")
    if options.file is not None:
        with terminal.open_workspace(options) as workspace:
            topics = None if options.topics is None else terminal.path(options.topics, "--topics")
            path = terminal.path(options.file, "FILE")
            count = evaluate.import_judgements(workspace, path, options.set, judge=terminal.PERSON, topics=topics)
        terminal.show(
            options,
            {"imported": count, "set": options.set},
            f"Imported {formatting.counted(count, 'judgement')} into {options.set}.",
        )
        return OK
    with terminal.open_workspace(options, read_only=True) as workspace:
        if options.to is not None:
            path = terminal.path(options.to, "--to")
            count = evaluate.export_judgements(workspace, options.set, path)
            terminal.show(
                options,
                {"exported": count, "set": options.set},
                f"Wrote {formatting.counted(count, 'judgement')} to {path}.",
            )
            return OK
        found = evaluate.golden_sets(workspace)
    lines = [f"{name:<20} {formatting.golden_set(queries, judged)}" for name, (queries, judged) in found.items()]
    shape = {"sets": {name: {"queries": queries, "judgements": judged} for name, (queries, judged) in found.items()}}
    terminal.show(options, shape, "\n".join(lines) or "No judgements yet.")
    return OK


def tune(options: argparse.Namespace) -> int:
    space = dict(_values(each) for each in options.vary)
    with _measured(options, [options.set] if options.set else []) as (workspace, queries):
        found = evaluate.tune_profile(
            workspace,
            queries,
            options.profile,
            space,
            metric=options.objective,
            held_out=terminal.decimal(options.held_out, "--held-out"),
            tries=None if options.tries is None else terminal.number(options.tries, "--tries"),
            progress=terminal.progress(),
        )
        if options.save is not None and options.memories is None:
            profiles.save(workspace, options.save, options.profile, found.best.values, actor=terminal.PERSON)
    lines = [f"{found.metric:<10} held out   values"]
    lines += [
        f"{each.seen:<10.4f} {each.held_out:<10.4f} {json.dumps(each.values) if each.values else 'as it is'}"
        for each in (found.before, *found.tries[:20])
    ]
    if options.save is not None and options.memories is None:
        lines.append(f"Saved as the profile {options.save}.")
    terminal.show(options, wire.tuning(found), "\n".join(lines))
    return OK


@contextlib.contextmanager
def _measured(options: argparse.Namespace, named: list[str]) -> Iterator[tuple[Workspace, list[GoldenQuery]]]:
    """Yield the store and the judged queries: of a golden set, or of files."""
    if (options.memories is None) != (options.queries is None):
        raise UserError("--memories and --queries go together.")
    if options.memories is not None:
        queries = evaluate.read_queries(terminal.path(options.queries, "--queries"))
        path = terminal.path(options.memories, "--memories")
        with evaluate.temporary_workspace(
            path, with_model=not options.no_model, progress=terminal.progress()
        ) as workspace:
            yield workspace, queries
        return
    if len(named) != 1:
        raise UserError("Name a golden set with --set NAME, or files with --memories and --queries.")
    with terminal.open_workspace(options, read_only=getattr(options, "save", None) is None) as workspace:
        if not options.no_model:
            with contextlib.suppress(UserError):
                workspace.embeddings.load()
        yield workspace, evaluate.golden(workspace, named[0])


def _skipped(options: argparse.Namespace) -> list[str]:
    """Return a sentence about what of the files could not be used."""
    if options.memories is None:
        return []
    count = evaluate.count_without_text(terminal.path(options.memories, "--memories"))
    return [f"Skipped {count} memories without text."] if count else []


def _table(runs: Sequence[Run], wanted: Sequence[str]) -> list[str]:
    """Return a row for each run, and below it a row for each category."""
    shown = [evaluate.summary(run) for run in runs]
    width = max(len(each.name) for each in shown) + 2
    lines = [" " * max(width, 24) + "  queries  " + "  ".join(f"{name:>9}" for name in wanted)]
    for each in shown:
        lines.append(f"{each.name:<{max(width, 24)}}  {each.queries:>7}  " + _row(each.means, wanted))
        if len(each.by_category) > 1:
            lines += [
                f"  {name or 'no category':<{max(width, 24) - 2}}  {each.counts[name]:>7}  " + _row(means, wanted)
                for name, means in each.by_category.items()
            ]
    return lines


def _verdict(versus: evaluate.PairedComparison) -> str:
    return f"{versus.name} against {versus.other}: {versus.difference:+.4f} {versus.metric}, p = {versus.p:.4f}"


def _target(target: evaluate.Target) -> str:
    return f"{target.metric} {target.value:.3f} > {target.minimum:g} {'met' if target.is_met else 'missed'}"


def _row(means: dict[str, float], wanted: Sequence[str]) -> str:
    return "  ".join(f"{means[name]:>9.4f}" for name in wanted)


def _write_run(path: Path, run: Run) -> None:
    with safe_files.replacing(path) as file:
        for each in run.judged:
            line = json.dumps({"id": each.query.id, "ranked": list(each.ranked)}, ensure_ascii=False)
            file.write(f"{line}\n".encode())


def _bar(given: str) -> tuple[str, float]:
    name, equals, least = given.partition("=")
    if not equals:
        raise UserError(f"--min needs metric=number, such as ndcg@10=0.5, not {given[:40]!r}.")
    return name.strip(), terminal.decimal(least, "--min")


def _values(given: str) -> tuple[str, list[Any]]:
    """Return the values to try from `step.field=1,2,3`."""
    path, written = terminal.assignment(given)
    return path, evaluate.parse_values(written)
