"""The commands init, check, backup, restore and info."""

from __future__ import annotations

import argparse
from pathlib import Path

from core import formatting
from core.clock import to_iso
from core.errors import CannotOpen, Fault, UserError
from core.services import health
from core.services.workspace import Workspace
from inspector import wire
from inspector.cli import CHECK_FAILED, OK
from inspector.commands import curation, terminal


def init(options: argparse.Namespace) -> int:
    path = terminal.store_path(options)
    if options.with_sample or getattr(options, "sample", False):
        terminal.create_sample(path)
    else:
        Workspace.create(path).close()
    with Workspace.open(path, read_only=True) as workspace:
        info = health.info(workspace)
    terminal.show(options, wire.info(info), f"Made {info.location} with {formatting.memories(info.memories)}.")
    return OK


def info(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options, read_only=True) as workspace:
        found = health.info(workspace)
        status = workspace.embeddings.status()

    def counts(of: dict[str, int]) -> str:
        return ", ".join(f"{count:,} {terminal.one_line(name, 40) or '(none)'}" for name, count in of.items()) or "none"

    lines = [
        f"store       {found.location} ({formatting.size(found.size)})",
        f"memories    {found.memories:,} ({counts(found.by_status)})",
        f"types       {counts(found.by_type)}",
        f"collections {counts(found.by_collection)}",
        f"agents      {counts(found.by_agent)}",
        f"links       {found.links:,}",
        f"operations  {found.operations:,} in the journal",
        f"model       {found.model}; {status.sentence}",
        f"vectors     {_vectors(found)}",
        f"backups     {len(found.backups)}" + (f", newest {to_iso(found.backups[0].at)}" if found.backups else ""),
    ]
    terminal.show(options, {**wire.info(found), "embedding": wire.status(status)}, "\n".join(lines))
    return OK


def check(options: argparse.Namespace) -> int:
    path = terminal.store_path(options)
    repaired: list[health.CheckFinding] = []
    kept = None
    try:
        with terminal.open_workspace(options, read_only=not options.repair) as workspace:
            path = workspace.store.location.path
            if options.repair:
                repaired, kept = health.repair(workspace, actor=terminal.PERSON)
            findings = health.findings(workspace)
    except CannotOpen as error:
        if error.fault not in (Fault.CORRUPT, Fault.TRUNCATED):
            raise
        findings = [health.unreadable_finding(path)]
    shape = {
        "ok": not findings,
        "findings": [wire.finding(finding) for finding in findings],
        "repaired": [wire.finding(finding) for finding in repaired],
        "backup": str(kept) if kept else None,
    }
    lines = [f"Repaired: {finding.sentence}" for finding in repaired]
    if kept:
        lines.append(f"The store as it was before is kept in {kept}.")
    lines += [finding.sentence for finding in findings]
    if any(not finding.can_be_repaired for finding in findings):
        lines.append(_what_to_restore(path))
    if any(finding.can_be_repaired for finding in findings):
        lines.append(f"`{health.command(path, 'check --repair')}` rebuilds what can be rebuilt from the memories.")
    if not findings:
        lines.append(f"{path} is sound: pages, references, full text and vectors agree.")
    terminal.show(options, shape, "\n".join(lines))
    return CHECK_FAILED if findings else OK


def backup(options: argparse.Namespace) -> int:
    if options.only_list:
        known = health.backups_of(terminal.store_path(options))
        lines = [f"{to_iso(each.at)}  {formatting.size(each.size):>9}  {each.reason:<20} {each.path}" for each in known]
        shape = {"backups": [wire.backup(each) for each in known]}
        terminal.show(options, shape, "\n".join(lines) or "No backups yet.")
        return OK
    with terminal.open_workspace(options, read_only=True) as workspace:
        kept = health.back_up(workspace, terminal.path(options.to, "--to") if options.to is not None else None)
    terminal.show(options, {"backup": str(kept)}, f"Copied to {kept}.")
    return OK


def restore(options: argparse.Namespace) -> int:
    """Restore a backup or memories: `restore` the newest backup, `restore 12` memory 12."""
    if options.what and not any(looks_like_a_file(each) for each in options.what):
        return curation.restore(argparse.Namespace(**vars(options), memory=options.what))
    if len(options.what) > 1:
        raise UserError("Only one backup can be restored.")
    path = terminal.store_path(options)
    named = terminal.path(options.what[0], "The backup") if options.what else None
    shown = f"`{health.command(path, 'backup --list')}` lists the backups"
    if named is not None and not named.exists():
        raise UserError(f"There is no backup at {named}; {shown}.")
    try:
        source, kept = health.restore(path, named)
    except CannotOpen as error:
        if named is None or str(named.resolve()) not in str(error):
            raise
        raise UserError(f"{str(error).rstrip('.')}; {shown}.") from error
    text = f"Restored {path} from {source}." + (f" The previous file is kept as {kept}." if kept else "")
    terminal.show(options, {"restored_from": str(source), "replaced_kept_in": str(kept) if kept else None}, text)
    return OK


def _vectors(found: health.Info) -> str:
    uses = [
        f"{use.vectors:,} of {use.space.model} ({use.space.dimension} numbers, {use.truncated} cut short)"
        for use in found.spaces
    ]
    waiting = "none waiting"
    if found.waiting_for_embedding:
        waiting = f"{found.waiting_for_embedding:,} waiting; `{health.command(found.location, 'embed')}` embeds them"
    return "; ".join([*uses, waiting])


def _what_to_restore(path: Path) -> str:
    known = health.backups_of(path)
    if not known:
        return "There is no backup to restore; copy the file somewhere safe before anything else."
    return f"`{health.command(path, 'restore')}` restores the newest backup, from {to_iso(known[0].at)}."


def looks_like_a_file(named: str) -> bool:
    """Whether a word names a backup, and not a memory's id or uid."""
    return not named or "/" in named or named.startswith("~") or named.endswith(".db") or Path(named).exists()
