"""The commands proposals, accept and refuse."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from core.clock import to_iso
from core.services import proposals
from core.services.proposals import PendingChange, ProposalKind
from inspector import wire
from inspector.cli import OK
from inspector.commands import terminal


def list_proposals(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options, read_only=True) as workspace:
        waiting = proposals.pending(workspace)
    lines = [line for each in waiting for line in _lines(each)]
    shape = {"proposals": [wire.pending_change(each) for each in waiting]}
    terminal.show(options, shape, "\n".join(lines) or "No pending proposals.")
    return OK


def accept(options: argparse.Namespace) -> int:
    ids = _numbers(options)
    with terminal.open_workspace(options) as workspace:
        changes = proposals.accept(workspace, ids, actor=terminal.PERSON, reason=options.reason)
    text = f"Accepted {_named(ids)}. `memory-inspector undo` undoes the change."
    terminal.show(options, wire.changes(changes), text)
    return OK


def refuse(options: argparse.Namespace) -> int:
    ids = _numbers(options)
    with terminal.open_workspace(options) as workspace:
        changes = proposals.refuse(workspace, ids, actor=terminal.PERSON)
    terminal.show(options, wire.changes(changes), f"Refused {_named(ids)}; nothing else is changed.")
    return OK


def _numbers(options: argparse.Namespace) -> list[int]:
    return list(dict.fromkeys(terminal.number(each, "The proposal") for each in options.proposal))


def _named(ids: list[int]) -> str:
    return f"proposal {ids[0]}" if len(ids) == 1 else f"{len(ids)} proposals"


def _lines(change: PendingChange) -> Iterator[str]:
    proposal, memory = change.proposal, change.memory
    who, why = (terminal.one_line(each, 60) for each in (proposal.actor, proposal.reason))
    yield (
        f"proposal {proposal.id}: {proposal.kind} memory {memory.id}, by {who} at {to_iso(proposal.proposed_at)}"
        + (f": {why}" if why else "")
    )
    yield f"  {terminal.one_line(memory.content, 100)}"
    if proposal.kind is ProposalKind.EDIT:
        for each in change.fields:
            before, after = (terminal.one_line(str(wire.plain(value)), 100) for value in (each.before, each.after))
            yield f"  {each.name}: {before} → {after}"
    if change.is_stale:
        yield "  The memory has changed since; this can only be refused."
