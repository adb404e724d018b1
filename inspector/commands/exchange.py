"""The commands import and export."""

from __future__ import annotations

import argparse
import contextlib

from core import formatting
from core.errors import UserError
from core.services import exchange
from inspector import wire
from inspector.cli import CHECK_FAILED, OK
from inspector.commands import terminal
from inspector.commands.memories import filter_of


def export_file(options: argparse.Namespace) -> int:
    path = terminal.path(options.file, "FILE")
    with terminal.open_workspace(options, read_only=True) as workspace:
        count = exchange.export(workspace, path, format=options.format, wanted=filter_of(options), bare=options.bare)
    terminal.show(options, {"exported": count, "to": str(path)}, f"Wrote {formatting.memories(count)} to {path}.")
    return OK


def import_file(options: argparse.Namespace) -> int:
    path = terminal.path(options.file, "FILE")
    duplicates = _policy(options.duplicates)
    with terminal.open_workspace(options, read_only=options.dry_run) as workspace:
        if options.dry_run:
            plan = exchange.plan(
                workspace, path, format=options.format, allow_secrets=options.allow_secrets, duplicates=duplicates
            )
            counts = (
                f"new {len(plan.new)}, known {len(plan.duplicate)}, in conflict {len(plan.conflicting)}, "
                f"rejected {len(plan.rejected)}, links {len(plan.links)}"
            )
            lines = [counts, *plan.notes, *plan.rejected[:20]]
            terminal.show(options, wire.plan(plan), "\n".join(lines))
            return CHECK_FAILED if plan.rejected or plan.conflicting else OK
        done = exchange.import_file(
            workspace,
            path,
            actor=terminal.PERSON,
            format=options.format,
            reason=options.reason,
            allow_secrets=options.allow_secrets,
            skip_conflicts=options.skip_conflicts,
            duplicates=duplicates,
            progress=terminal.progress(),
        )
        with contextlib.suppress(UserError):  # without a model they wait, and full text finds them
            workspace.embeddings.catch_up(terminal.progress())
    shape = {"imported": done.memories, "links": done.links, **wire.changes(done.changes)}
    added = f"Added {formatting.memories(done.memories)} and {formatting.counted(done.links, 'link')}"
    text = f"{added}; {len(done.plan.duplicate):,} known already."
    if not done.memories and not done.plan.duplicate:
        text = (
            f"{path} contains no memories, so nothing was added; .jsonl, .csv, .md files and folders of those are read."
        )
    if done.plan.is_whole:
        counted = formatting.memories(done.memories)
        text = f"Restored the whole store from {path.name}: {counted} with their history."
    terminal.show(options, shape, "\n".join((text, *done.plan.notes)))
    return OK


def _policy(named: str) -> exchange.Policy:
    if named not in (exchange.Policy.DEFAULT, exchange.Policy.KEEP):
        raise UserError(f"--duplicates must be one of judge, keep, not {named[:40]!r}.")
    return exchange.Policy(named)
