"""Changes that agents propose to a person's memories, and the decision of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core import draft, word_diff
from core.changes import Changes, Op
from core.curate import contradictions, operations
from core.errors import UserError
from core.model import Memory, MemoryId, Status
from core.services import audit, curate
from core.services.workspace import Workspace
from core.store.records import Proposal as Proposal
from core.store.records import ProposalKind as ProposalKind
from core.store.records import ProposalState as ProposalState
from core.store.transaction import Transaction
from core.write import authorship, secrets

# As many as a person can review; an agent that proposes more gets an error.
MAX_OPEN = 200


@dataclass(frozen=True, slots=True)
class ProposedField:
    """One field that a proposal would change."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class PendingChange:
    """A proposal with the current memory; `is_stale` if the memory has changed since."""

    proposal: Proposal
    memory: Memory
    fields: tuple[ProposedField, ...]

    @property
    def difference(self) -> tuple[word_diff.Piece, ...]:
        """The proposed change as one text: a line for each field, and a word diff of the text."""
        return audit.difference(self.memory, self.memory._replace(**{each.name: each.after for each in self.fields}))

    @property
    def is_stale(self) -> bool:
        return self.proposal.version != self.memory.version

    @property
    def sentence(self) -> str:
        proposal = self.proposal
        stale = "; the memory has changed since" if self.is_stale else ""
        if proposal.kind is ProposalKind.FORGET:
            return f"{proposal.actor} proposes to forget it{stale}"
        changed = ", ".join(
            "another text" if each.name == "content" else f"{each.name} {each.before} → {each.after}"
            for each in self.fields
        )
        return f"{proposal.actor} proposes {changed or 'nothing new'}{stale}"


def propose(
    workspace: Workspace,
    id: MemoryId,
    kind: ProposalKind,
    fields: Mapping[str, Any] | None = None,
    *,
    actor: str,
    reason: str = "",
    expected_version: int | None = None,
) -> Proposal:
    """Store a proposed change, without its secrets, for a person to decide. An equal proposal of the same agent is
    stored once."""
    wanted, actor, reason = secrets.clean(dict(fields or {})), secrets.clean(actor), secrets.clean(reason)
    if kind is ProposalKind.EDIT:
        operations.refuse_uneditable(wanted)
        draft.changes(wanted)
    with workspace.store.transact(Op.PROPOSE, actor, reason) as transaction:
        memory = transaction.existing(id, expected_version)
        made = Proposal(
            memory_id=id,
            version=memory.version,
            kind=kind,
            fields=wanted,
            actor=actor,
            reason=reason,
            proposed_at=transaction.now,
        )
        known = transaction.reader().proposals(ProposalState.OPEN, limit=MAX_OPEN)
        for each in known:
            if _is_the_same(each, made):
                return each
        if len(known) >= MAX_OPEN:
            raise UserError(f"{MAX_OPEN} proposals wait for a person's decision; no more are accepted until then.")
        return transaction.add_proposal(made)


def forget_or_propose(workspace: Workspace, ids: Sequence[MemoryId], *, actor: str, is_curator: bool) -> list[Proposal]:
    """Forget several memories; those of a person are proposed to be forgotten, unless a curator asks."""
    with workspace.store.read() as reader:
        found = reader.memories(ids)
    persons = {id for id, memory in found.items() if not is_curator and authorship.is_of_person(memory)}
    if own := [id for id in ids if id not in persons]:
        curate.forget(workspace, own, actor=actor, is_curator=is_curator)
    return [propose(workspace, id, ProposalKind.FORGET, actor=actor) for id in sorted(persons)]


def _is_the_same(one: Proposal, other: Proposal) -> bool:
    compared = ("memory_id", "version", "kind", "fields", "actor")
    return all(getattr(one, name) == getattr(other, name) for name in compared)


def pending(workspace: Workspace) -> list[PendingChange]:
    """Return the open proposals, oldest first, each with the current memory."""
    with workspace.store.read() as reader:
        waiting = reader.proposals(ProposalState.OPEN, limit=MAX_OPEN)
        memories = reader.memories({each.memory_id for each in waiting})
    return [_pending_change(each, memories[each.memory_id]) for each in reversed(waiting)]


def _pending_change(proposal: Proposal, memory: Memory) -> PendingChange:
    after = draft.changes(proposal.fields) if proposal.kind is ProposalKind.EDIT else {"status": Status.DELETED}
    changed = (ProposedField(name, getattr(memory, name), value) for name, value in after.items())
    return PendingChange(proposal, memory, tuple(each for each in changed if each.before != each.after))


def accept(workspace: Workspace, ids: Sequence[int], *, actor: str, reason: str = "") -> Changes:
    """Carry out proposals as one operation of the accepting person; none if a memory has changed since. A memory keeps
    its source and its pin."""
    with workspace.store.read() as reader:
        named = [reader.proposal(id) for id in ids]
    op = Op.FORGET if all(each.kind is ProposalKind.FORGET for each in named) else Op.EDIT
    details = "; ".join(f"proposed by {each.actor}" + (f": {each.reason}" if each.reason else "") for each in named)
    with workspace.store.transact(op, actor, reason or details) as transaction:
        for id in ids:
            _carry_out(transaction, _open(transaction, id))
            transaction.decide_proposal(id, ProposalState.ACCEPTED, actor)
    workspace.embeddings.notify()
    return transaction.changes


def _carry_out(transaction: Transaction, proposal: Proposal) -> None:
    memory = transaction.existing(proposal.memory_id, proposal.version)
    if proposal.kind is ProposalKind.FORGET:
        operations.set_status(transaction, memory.id, Status.DELETED)
    elif operations.edit(transaction, memory.id, proposal.fields).content != memory.content:
        contradictions.reopen(transaction, memory.id)


def refuse(workspace: Workspace, ids: Sequence[int], *, actor: str) -> Changes:
    """Refuse proposals; the memories stay unchanged."""
    with workspace.store.transact(Op.REFUSE, actor) as transaction:
        for id in ids:
            _open(transaction, id)
            transaction.decide_proposal(id, ProposalState.REFUSED, actor)
    return transaction.changes


def _open(transaction: Transaction, id: int) -> Proposal:
    proposal = transaction.reader().proposal(id)
    if proposal.state is not ProposalState.OPEN:
        raise UserError(f"Proposal {id} was {proposal.state} already.")
    return proposal
