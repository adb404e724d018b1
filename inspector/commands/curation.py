"""The commands edit, pin, archive, forget, link, supersede, merge, split, contradictions, resolve, undo, redo,
history."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from core import draft, formatting
from core.changes import Changes
from core.clock import parse_iso, to_iso
from core.errors import UserError
from core.model import LinkId, LinkKind, MemoryId
from core.services import audit, browse, contradictions, curate, merging
from core.services import consolidate as consolidation
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


def decay(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        count, changes = curate.decay_all(workspace, actor=terminal.PERSON)
    terminal.show(
        options, {"faded": count, **wire.changes(changes)}, f"Reduced the strength of {formatting.memories(count)}."
    )
    return OK


def purge(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options, read_only=not options.apply) as workspace:
        ids = [browse.find(workspace, name).id for name in options.memory]
        if not options.apply:
            found = curate.forgotten(workspace, ids)
            lines = [f"{memory.id:>6}  {terminal.one_line(memory.content, 90)}" for memory in found]
            lines.append(
                f"{formatting.memories(len(found))} would be deleted permanently; --apply does it. Nothing was changed."
            )
            terminal.show(options, {"would_purge": [memory.id for memory in found], "applied": False}, "\n".join(lines))
            return OK
        done = curate.purge(
            workspace, ids, with_backups=options.with_backups, actor=terminal.PERSON, reason=options.reason
        )
    text = f"Deleted permanently: {formatting.memories(len(done.changes.memories))}."
    if not done.log_is_empty:
        text += " Another program still reads their old pages; they leave the write-ahead log when it closes."
    if done.backups:
        copies = formatting.counted(len(done.backups), "backup")
        text += f" They are still in {copies}; --with-backups deletes those too."
    terminal.show(options, wire.purged(done), text)
    return OK


def consolidate(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options, read_only=not options.apply) as workspace:
        plan = consolidation.plan(
            workspace,
            collections=options.collection,
            half_life_days=_number_or(options.half_life, "--half-life", consolidation.HALF_LIFE_DAYS),
            min_retention=_number_or(options.min_retention, "--min-retention", consolidation.MIN_RETENTION),
            progress=terminal.progress(),
        )
        changes = None
        if options.apply and (plan.merges or plan.archivals):
            changes = consolidation.apply(workspace, plan, actor=terminal.PERSON, reason=options.reason)
    lines = [
        f"merge   {each.memory.id:>6} into {each.verdict.memory.id:<6} {each.verdict.rule} {each.verdict.number:.2f}  "
        f"{terminal.one_line(each.memory.content, 70)}"
        for each in plan.merges
    ]
    lines += [
        f"archive {each.memory.id:>6}  {each.retention:.4f} after {each.days:.0f} days  "
        f"{terminal.one_line(each.memory.content, 70)}"
        for each in plan.archivals
    ]
    lines.append(
        f"{formatting.memories(plan.looked_at)} examined ({plan.protected} protected): {len(plan.merges)} to merge, "
        f"{len(plan.archivals)} to archive. "
        + ("Done; one `memory-inspector undo` undoes it." if changes else "Nothing was changed.")
    )
    shape = {**wire.consolidation(plan), "applied": changes is not None, **(wire.changes(changes) if changes else {})}
    terminal.show(options, shape, "\n".join(lines))
    return OK


def link(options: argparse.Namespace) -> int:
    fields: dict[str, Any] = {"kind": options.kind}
    if options.weight is not None:
        fields["weight"] = terminal.decimal(options.weight, "--weight")
    with terminal.open_workspace(options) as workspace:
        source, targets = _one_and_many(workspace, options.source, options.target)
        made, changes = curate.link(workspace, source, targets, fields, actor=terminal.PERSON, reason=options.reason)
    text = f"Linked {source} to {_listed(targets)} ({made[0].kind})."
    terminal.show(options, {"links": [wire.link(each) for each in made], "operation": changes.seq}, text)
    return OK


def unlink(options: argparse.Namespace) -> int:
    kind = None if options.kind is None else LinkKind(draft.LINK_RULES["kind"]("--kind", options.kind))
    with terminal.open_workspace(options) as workspace:
        source, targets = _one_and_many(workspace, options.source, options.target)
        changes = curate.unlink(workspace, source, targets, kind, actor=terminal.PERSON, reason=options.reason)
    terminal.show(options, wire.changes(changes), f"Removed {formatting.counted(len(changes.links), 'link')}.")
    return OK


def supersede(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        new, old = _one_and_many(workspace, options.new, options.old)
        changes = curate.supersede(workspace, new, old, actor=terminal.PERSON, reason=options.reason)
    terminal.show(options, wire.changes(changes), f"Memory {new} takes the place of {_listed(old)}.")
    return OK


def merge(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        ids = [browse.find(workspace, name).id for name in options.memory]
        looked_at = merging.preview(workspace, ids)
        kept, changes = merging.merge(
            workspace, looked_at, content=options.content, actor=terminal.PERSON, reason=options.reason
        )
    sure = looked_at.confidence(kept.content)
    lines = [f"Merged {len(looked_at.memories)} memories into memory {kept.id}.",
             f"Its confidence is {sure.value:.2f}: {sure.reason}."]  # fmt: skip
    if looked_at.warning:
        lines.append(f"Warning: {looked_at.warning}")
    terminal.show(options, wire.merge(kept, looked_at, changes), "\n".join(lines))
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
            rule = terminal.one_line(str(each.evidence.get("rule", "marked by a person")), 40)
            lines.append(
                f"contradiction {each.id}: {each.source_id} (A) against {each.target_id} (B), {rule}, {each.status}"
            )
        for side in cluster.sides:
            lines.append(
                f"  {side.memory.id:>6}  {side.effective:.3f} = {side.strength:.2f} × {side.confidence:.2f} × "
                f"{side.recency:.3f}  {terminal.one_line(side.memory.content, 80)}"
            )
    shape = {"clusters": [wire.cluster(cluster) for cluster in found]}
    terminal.show(options, shape, "\n".join(lines) or "No open contradictions.")
    return OK


def resolve(options: argparse.Namespace) -> int:
    id = LinkId(terminal.number(options.contradiction, "The contradiction"))
    try:
        verdict = contradictions.Resolution(options.verdict)
    except ValueError as error:
        known = ", ".join(contradictions.Resolution)
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
    lines = lines or ["The top results of its queries do not change."]
    if not options.dry_run:
        lines.append(f"Decided: {verdict}. `memory-inspector undo` undoes it.")
    terminal.show(options, shape, "\n".join(lines))
    return OK


def undo(options: argparse.Namespace) -> int:
    if (options.client is None) != (options.since is None):
        raise UserError("--client and --since go together: whose changes to undo, and since when.")
    with terminal.open_workspace(options) as workspace:
        if options.client is not None:
            moment = parse_iso(options.since, "--since")
            done = curate.undo_since(workspace, options.client, moment, actor=terminal.PERSON)
        elif options.operation is not None:
            seq = terminal.number(options.operation, "The operation")
            done = curate.undo_operation(workspace, seq, actor=terminal.PERSON)
        else:
            done = curate.undo_last(workspace, actor=terminal.PERSON)
    terminal.show(options, wire.undone(done), f"Undid {_named(done)}.")
    return OK


def redo(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        done = curate.redo(workspace, actor=terminal.PERSON)
    terminal.show(options, wire.undone(done), f"Redid {_named(done)}.")
    return OK


def history(options: argparse.Namespace) -> int:
    if options.back_to is not None:
        version = terminal.number(options.back_to, "--back-to")
        with terminal.open_workspace(options) as workspace:
            changes = audit.restore_version(workspace, options.memory, version, actor=terminal.PERSON)
        terminal.show(options, wire.changes(changes), f"Restored the content of version {version}.")
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
        for each in revision.fields:
            lines.append("  " + terminal.one_line(f"{each.name}: {each.before} → {each.after}", 400))
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
    named = f"memory {ids[0]}" if len(ids) == 1 else formatting.memories(len(ids))
    text = f"{verb} {named}." if count else f"Nothing to change in {named}."
    terminal.show(options, wire.changes(changes), text)
    return OK


def _one_and_many(workspace: Workspace, one: str, many: Sequence[str]) -> tuple[MemoryId, list[MemoryId]]:
    return browse.find(workspace, one).id, [browse.find(workspace, name).id for name in many]


def _listed(ids: Sequence[MemoryId]) -> str:
    return ", ".join(map(str, ids))


def _number_or(value: str | None, name: str, default: float) -> float:
    return default if value is None else terminal.decimal(value, name)


def _named(done: curate.UndoResult) -> str:
    return ", ".join(f"{entry.op} (operation {entry.seq} by {entry.actor})" for entry in done.entries)
