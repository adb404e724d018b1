"""edit, pin, archive, forget, link, supersede, merge, split, contradictions, resolve, undo, redo, history, …"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from core import draft
from core.changes import Changes
from core.clock import parse_iso, to_iso
from core.errors import UserError
from core.model import LinkId, LinkKind, MemoryId
from core.services import audit, browse, contradictions, curate
from core.services.workspace import Workspace
from inspector import wire
from inspector.cli import OK
from inspector.commands import terminal
from inspector.commands.memories import fields_of

Many = Callable[..., Changes]


def edit(options: argparse.Namespace) -> int:
    fields = fields_of(options)
    version = None if options.version is None else terminal.number(options.version, "--version")

    def change(workspace: Workspace, ids: Sequence[MemoryId], **who: Any) -> Changes:
        allowed = options.allow_secrets
        return curate.edit(workspace, ids, fields, expected_version=version, allow_secrets=allowed, **who)

    return _many(options, change, "Changed")


def pin(options: argparse.Namespace) -> int:
    return _many(options, curate.pin, "Pinned")


def unpin(options: argparse.Namespace) -> int:
    return _many(options, curate.unpin, "Unpinned")


def archive(options: argparse.Namespace) -> int:
    return _many(options, curate.archive, "Archived")


def forget(options: argparse.Namespace) -> int:
    return _many(options, curate.forget, "Forgot")


def reinforce(options: argparse.Namespace) -> int:
    return _many(options, curate.reinforce, "Reinforced")


def restore(options: argparse.Namespace) -> int:
    return _many(options, curate.restore, "Restored")


def link(options: argparse.Namespace) -> int:
    fields: dict[str, Any] = {"kind": options.kind}
    if options.weight is not None:
        fields["weight"] = terminal.decimal(options.weight, "--weight")
    with terminal.open_workspace(options) as workspace:
        source, target = (browse.find(workspace, name).id for name in (options.source, options.target))
        made, changes = curate.link(workspace, source, target, fields, actor=terminal.PERSON, reason=options.reason)
    text = f"Linked {source} to {target} ({made.kind})."
    terminal.show(options, {"link": wire.link(made), "operation": changes.seq}, text)
    return OK


def unlink(options: argparse.Namespace) -> int:
    kind = None if options.kind is None else LinkKind(draft.LINK_RULES["kind"]("--kind", options.kind))
    with terminal.open_workspace(options) as workspace:
        source, target = (browse.find(workspace, name).id for name in (options.source, options.target))
        changes = curate.unlink(workspace, source, target, kind, actor=terminal.PERSON, reason=options.reason)
    terminal.show(options, wire.changes(changes), f"Took away {len(changes.links)} links.")
    return OK


def supersede(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        new, old = (browse.find(workspace, name).id for name in (options.new, options.old))
        changes = curate.supersede(workspace, new, old, actor=terminal.PERSON, reason=options.reason)
    terminal.show(options, wire.changes(changes), f"Memory {new} takes the place of {old}.")
    return OK


def merge(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        ids = [browse.find(workspace, name).id for name in options.memory]
        kept, changes = curate.merge(
            workspace, ids, content=options.content, actor=terminal.PERSON, reason=options.reason
        )
    shape = {"memory": wire.memory(kept), **wire.changes(changes)}
    terminal.show(options, shape, f"Made one of {len(ids)}: memory {kept.id}.")
    return OK


def split(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        id = browse.find(workspace, options.memory).id
        parts, changes = curate.split(workspace, id, options.content, actor=terminal.PERSON, reason=options.reason)
    shape = {"parts": [wire.memory(part) for part in parts], **wire.changes(changes)}
    terminal.show(options, shape, f"Made {', '.join(str(part.id) for part in parts)} of memory {id}.")
    return OK


def list_contradictions(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options, read_only=True) as workspace:
        found = contradictions.clusters(workspace, open_only=not options.all)
    lines = []
    for cluster in found:
        for each in cluster.links:
            rule = terminal.one_line(str(each.evidence.get("rule", "linked by hand")), 40)
            lines.append(
                f"contradiction {each.id}: {each.source_id} (A) against {each.target_id} (B), {rule}, {each.status}"
            )
        for side in cluster.sides:
            lines.append(
                f"  {side.memory.id:>6}  {side.effective:.3f} = {side.strength:.2f} × {side.confidence:.2f} × "
                f"{side.recency:.3f}  {terminal.one_line(side.memory.content, 80)}"
            )
    shape = {"clusters": [wire.cluster(cluster) for cluster in found]}
    terminal.show(options, shape, "\n".join(lines) or "No contradiction is open.")
    return OK


def resolve(options: argparse.Namespace) -> int:
    id = LinkId(terminal.number(options.contradiction, "The contradiction"))
    try:
        verdict = contradictions.VerdictOn(options.verdict)
    except ValueError as error:
        known = ", ".join(contradictions.VerdictOn)
        raise UserError(f"A verdict must be one of {known}, not {options.verdict[:40]!r}.") from error
    with terminal.open_workspace(options) as workspace:
        impacts = contradictions.preview(workspace, id, verdict, scope=options.scope, content=options.content)
        changes = None
        if not options.dry_run:
            changes = contradictions.resolve(
                workspace, id, verdict, actor=terminal.PERSON, reason=options.reason, scope=options.scope,
                content=options.content,
            )  # fmt: skip
    shape = {"impact": [wire.impact(each) for each in impacts], **(wire.changes(changes) if changes else {})}
    lines = [
        f"{terminal.one_line(each.question.text, 60)}: {list(each.before)} → {list(each.after)}"
        for each in impacts
        if each.changes
    ]
    lines = lines or ["The first results of its queries stay as they are."]
    lines.append(
        "Nothing was changed." if options.dry_run else f"Decided: {verdict}. `memory-inspector undo` takes it back."
    )
    terminal.show(options, shape, "\n".join(lines))
    return OK


def undo(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        if options.client is not None:
            if options.since is None:
                raise UserError("--client needs --since, the time from which on its writes are taken back.")
            moment = parse_iso(options.since, "--since")
            done = curate.undo_since(workspace, options.client, moment, actor=terminal.PERSON)
        elif options.operation is not None:
            seq = terminal.number(options.operation, "The operation")
            done = curate.undo_operation(workspace, seq, actor=terminal.PERSON)
        else:
            done = curate.undo_last(workspace, actor=terminal.PERSON)
    terminal.show(options, wire.undone(done), f"Took back {_named(done)}.")
    return OK


def redo(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        done = curate.redo(workspace, actor=terminal.PERSON)
    terminal.show(options, wire.undone(done), f"Did again {_named(done)}.")
    return OK


def history(options: argparse.Namespace) -> int:
    if options.back_to is not None:
        version = terminal.number(options.back_to, "--back-to")
        with terminal.open_workspace(options) as workspace:
            changes = audit.restore_version(workspace, options.memory, version, actor=terminal.PERSON)
        terminal.show(options, wire.changes(changes), f"The memory says again what version {version} said.")
        return OK
    with terminal.open_workspace(options, read_only=True) as workspace:
        revisions = audit.history(workspace, options.memory)
    lines = []
    for revision in revisions:
        entry = revision.entry
        version = revision.memory.version if revision.memory else "–"  # type: ignore[assignment]
        why = f": {terminal.one_line(entry.reason, 60)}" if entry.reason else ""
        lines.append(f"version {version}  {to_iso(entry.at)}  {entry.op} by {terminal.one_line(entry.actor, 40)}{why}")
        if revision.changed:
            lines.append(f"  changed {', '.join(revision.changed)}")
        if any(kind != "same" for kind, _ in revision.diff):
            lines.append("  " + terminal.one_line("".join(_marked(*piece) for piece in revision.diff), 400))
    terminal.show(options, {"versions": [wire.revision(revision) for revision in revisions]}, "\n".join(lines))
    return OK


def _marked(kind: str, words: str) -> str:
    return words if kind == "same" else f"[-{words.strip()}-] " if kind == "gone" else f"{{+{words.strip()}+}} "


def _many(options: argparse.Namespace, change: Many, verb: str) -> int:
    with terminal.open_workspace(options) as workspace:
        ids = [browse.find(workspace, name).id for name in options.memory]
        changes = change(workspace, ids, actor=terminal.PERSON, reason=options.reason)
    count = len(changes.memories)
    named = f"memory {ids[0]}" if len(ids) == 1 else f"{len(ids)} memories"
    text = f"{verb} {named}." if count else f"Nothing was to be changed about {named}."
    terminal.show(options, wire.changes(changes), text)
    return OK


def _named(done: curate.Undone) -> str:
    return ", ".join(f"{entry.op} (operation {entry.seq} by {entry.actor})" for entry in done.entries)
