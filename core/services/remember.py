"""Adding new memories: from a person, an agent or a file, all by the same rules."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core import draft
from core.changes import PERSON, Changes, Op
from core.errors import StaleEdit, UserError
from core.model import Embedding, Link, LinkKind, LinkStatus, Memory, MemoryId, Space, Status
from core.services import judging, link_inference
from core.services.workspace import Workspace
from core.store.transaction import Transaction
from core.write import authorship, duplicate, markers, secrets
from core.write.casing import is_same_text
from core.write.contradiction import PossibleContradiction as PossibleContradiction
from core.write.duplicate import DuplicateVerdict as DuplicateVerdict
from core.write.duplicate import Policy as Policy
from core.write.duplicate import SimilarMemory


@dataclass(frozen=True, slots=True)
class RememberResult:
    """The result of adding a memory; `redacted` are the kinds of secrets that were removed from it.

    If it is a `duplicate` it was not stored: `memory` is then the known one, possibly with a higher confidence.
    `contradictions` are the memories that it may contradict. `not_compared` counts known memories that there was no
    time for.
    """

    memory: Memory
    changes: Changes
    is_embedded: bool
    redacted: tuple[str, ...] = ()
    duplicate: DuplicateVerdict | None = None
    contradictions: tuple[tuple[MemoryId, PossibleContradiction], ...] = ()
    not_compared: int = 0


@dataclass(frozen=True, slots=True)
class _Judged:
    """A memory that is ready to be stored, unless its judgement is against it."""

    memory: Memory
    vectors: Mapping[Space, Embedding]
    redacted: tuple[str, ...]
    judgement: judging.WriteJudgement
    alike: tuple[MemoryId, ...]


def remember(
    workspace: Workspace,
    fields: Mapping[str, Any],
    *,
    actor: str,
    reason: str = "",
    allow_secrets: bool = False,
    duplicates: Policy = Policy.DEFAULT,
    max_judging_seconds: float = judging.MAX_SECONDS,
) -> RememberResult:
    """Store a memory without its secrets, unless it is a duplicate. It is durable when this returns, with its vector if
    the model is loaded."""
    judged = _judged(workspace, fields, actor, duplicates, (), max_judging_seconds, allow_secrets=allow_secrets)
    (done,) = _kept(workspace, [judged], actor, reason, duplicates, allow_secrets=allow_secrets)
    if isinstance(done, UserError):
        raise done
    return done


def remember_several(
    workspace: Workspace,
    several: Sequence[Mapping[str, Any]],
    *,
    actor: str,
    reason: str = "",
    duplicates: Policy = Policy.DEFAULT,
    max_judging_seconds: float = judging.MAX_SECONDS,
) -> list[RememberResult | UserError]:
    """Store memories as one operation, each by the rules of `remember` and also compared with those before it; one that
    is refused keeps no other out."""
    until = time.monotonic() + max_judging_seconds
    judged: list[_Judged | UserError] = []
    for fields in several:
        # A memory that is not stored yet has the negative of its place for an id, until it gets its own.
        before = [
            SimilarMemory(each.memory.numbered(MemoryId(-place)))
            for place, each in enumerate(judged, 1)
            if isinstance(each, _Judged) and each.judgement.verdict is None
        ]
        left = max(0.0, until - time.monotonic())
        try:
            judged.append(_judged(workspace, fields, actor, duplicates, before, left))
        except UserError as error:
            judged.append(error)
    return _kept(workspace, judged, actor, reason, duplicates)


def _judged(
    workspace: Workspace,
    fields: Mapping[str, Any],
    actor: str,
    policy: Policy,
    before: Sequence[SimilarMemory],
    max_seconds: float,
    *,
    allow_secrets: bool = False,
) -> _Judged:
    """Check a memory, redact it, embed it and compare it with what is known. Read-only."""
    own = authorship.fields_with_author(fields, actor)
    # First, so that a text that is too long is refused before it is searched.
    memory = draft.memory(own, workspace.store.clock.now())
    redacted: list[str] = []
    if not allow_secrets:
        cleaned, redacted = secrets.redact_fields(own)
        memory = memory._replace(**draft.changes(cleaned)) if redacted else memory
    vectors = workspace.embeddings.embed(memory)
    comparable = [each for each in before if each.memory.collection == memory.collection]
    judgement = judging.judge(workspace, memory, vectors, policy, also=comparable, max_seconds=max_seconds)
    alike: list[MemoryId] = []
    if judgement.verdict is None:
        with workspace.store.read() as reader:  # before the transaction, so that the search cache answers
            alike = link_inference.similar_memories(reader, memory, judgement.vocabulary)
    return _Judged(memory, vectors, tuple(redacted), judgement, tuple(alike))


def _kept(
    workspace: Workspace,
    several: Sequence[_Judged | UserError],
    actor: str,
    reason: str,
    policy: Policy,
    *,
    allow_secrets: bool = False,
) -> list[RememberResult | UserError]:
    """Write judged memories in one operation, which records also the refused texts and the verdicts, so that a wrong
    verdict loses nothing."""
    if not any(isinstance(each, _Judged) for each in several):
        return [each for each in several if isinstance(each, UserError)]
    decisions = [_decision(each) for each in several if isinstance(each, _Judged) and each.judgement.verdict]
    told = "\n".join(filter(None, [*decisions, f"Reason given: {reason}" if decisions and reason else reason]))
    saved: dict[MemoryId, Memory] = {}
    results: list[RememberResult | UserError] = []
    with workspace.store.transact(
        Op.REMEMBER, actor, told[: draft.MAX_TEXT_CHARS], allow_secrets=allow_secrets
    ) as transaction:
        for place, each in enumerate(several, 1):
            if isinstance(each, UserError):
                results.append(each)
            elif (verdict := each.judgement.verdict) is not None:
                known = saved.get(verdict.memory.id, verdict.memory)
                if known.id < 0:  # what it repeats was refused a moment ago, so it is too
                    results.append(results[-known.id - 1])
                else:
                    results.append(_refused(transaction, each, replace(verdict, memory=known), actor))
            elif (refusal := _just_stored(transaction, each, policy)) is not None:
                results.append(refusal)
            else:
                results.append(done := _added(transaction, each, saved))
                saved[MemoryId(-place)] = done.memory
    workspace.embeddings.notify()
    return [each if isinstance(each, UserError) else replace(each, changes=transaction.changes) for each in results]


def redacted(text: str) -> str:
    """Return a text without the credentials in it."""
    return str(secrets.clean(text))


def remember_marked(
    workspace: Workspace, written: str, *, actor: str, fields: Mapping[str, Any] | None = None, **options: Any
) -> tuple[list[RememberResult], list[str]]:
    """Store the memories that a text marks with [MEMORY …]; also return a sentence for each marker that could not be
    parsed."""
    kept, complaints = [], []
    for marked in markers.parse(written):
        complaint = marked.complaint
        if not complaint:
            try:
                kept.append(remember(workspace, {**(fields or {}), **marked.fields}, actor=actor, **options))
            except UserError as error:
                complaint = str(error)
        if complaint:
            complaints.append(f"The marker in line {marked.line} was not kept: {complaint}")
    return kept, complaints


def _just_stored(transaction: Transaction, judged: _Judged, policy: Policy) -> StaleEdit | None:
    """Return an error if another program has stored the same text since it was judged."""
    memory, near = judged.memory, judged.judgement.known
    if policy is Policy.KEEP:
        return None
    seen = {each.memory.id for each in near}
    for each in transaction.reader().same_content(memory.content):
        is_same = is_same_text(memory.content, each.content) and duplicate.has_same_subject(memory, each)
        is_there = each.collection == memory.collection and each.status is Status.ACTIVE
        if each.id not in seen and is_there and is_same:
            return StaleEdit(f"Memory {each.id}, stored a moment ago, says the same; nothing was stored.")
    return None


def _added(transaction: Transaction, judged: _Judged, saved: Mapping[MemoryId, Memory]) -> RememberResult:
    """Add a memory with its links; `saved` are those added before it, by the ids that they were judged under."""
    memory = transaction.add_memory(judged.memory, judged.vectors)
    link_inference.add_inferred_links(transaction, memory, judged.alike)
    contradictions = tuple(
        (saved[known].id if known < 0 else known, found)
        for known, found in judged.judgement.contradictions
        if known > 0 or known in saved
    )
    for known, found in contradictions:
        transaction.add_link(_contradiction_link(memory.id, known, found, transaction.now))
    return RememberResult(
        memory,
        transaction.changes,
        bool(judged.vectors),
        judged.redacted,
        contradictions=contradictions,
        not_compared=judged.judgement.not_compared,
    )


def _contradiction_link(new: MemoryId, known: MemoryId, found: PossibleContradiction, now: datetime) -> Link:
    """Return an open link with the evidence, for a person to decide; it changes nothing by itself."""
    evidence = {"rule": found.rule, "probability": found.probability, "parts": dict(found.parts)}
    fields = {"kind": LinkKind.CONTRADICTS, "status": LinkStatus.OPEN, "evidence": evidence}
    return draft.link(fields, new, known, now)


def _decision(judged: _Judged) -> str:
    """Return the verdict on a refused text with the text, for the journal."""
    verdict = judged.judgement.verdict
    if verdict is None or verdict.memory.id < 0:  # the text it repeats is stored in the same operation
        return ""
    # A longer text is only refused if it is the same text, which is stored already.
    return f"{verdict.sentence} Not stored: {judged.memory.content[: duplicate.MAX_JUDGED_CHARS]}"


def _refused(transaction: Transaction, judged: _Judged, verdict: DuplicateVerdict, actor: str) -> RememberResult:
    """Record that a text is not stored, and raise the known memory's confidence to the higher of the two. An agent
    raises no confidence of a person's memory."""
    known = transaction.existing(verdict.memory.id)
    transaction.note()
    may_raise = actor == PERSON or not authorship.is_of_person(known)
    if may_raise and known.confidence < judged.memory.confidence:
        known = transaction.update_memory(known.id, {"confidence": judged.memory.confidence})
    return RememberResult(known, transaction.changes, False, judged.redacted, verdict)
