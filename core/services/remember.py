"""New memories: from a person, an agent or a file, all through the same rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core import draft
from core.changes import PERSON, Changes, Op
from core.errors import StaleEdit, UserError
from core.model import Link, LinkKind, LinkStatus, Memory, MemoryId, Status
from core.services import judging, link_inference
from core.services.workspace import Workspace
from core.store.protocol import Reader
from core.write import authorship, duplicate, markers, secrets
from core.write.casing import is_same_text
from core.write.contradiction import Suspicion as Suspicion
from core.write.duplicate import DuplicateVerdict as DuplicateVerdict
from core.write.duplicate import Policy as Policy
from core.write.duplicate import SimilarMemory


@dataclass(frozen=True, slots=True)
class RememberResult:
    """What was kept; `redacted` are the kinds of secrets that were taken out of it first.

    A `duplicate` was not kept: `memory` is then the one that says it already, perhaps with a higher confidence now.
    With `not_compared` so many known memories there was no time to compare it.
    """

    memory: Memory
    changes: Changes
    is_embedded: bool
    redacted: tuple[str, ...] = ()
    duplicate: DuplicateVerdict | None = None
    suspicions: tuple[tuple[MemoryId, Suspicion], ...] = ()
    not_compared: int = 0


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
    """Keep one memory, without the secrets in it and unless it is known already; it is durable when this returns,
    with its vector if the model is loaded."""
    now = workspace.store.clock.now()
    memory = draft.memory(authorship.signed(fields, actor), now)  # what is too long is refused before it is searched
    redacted: list[str] = []
    if not allow_secrets:
        cleaned, redacted = secrets.redact_fields(authorship.signed(fields, actor))
        memory = memory._replace(**draft.changes(cleaned)) if redacted else memory
    vectors = workspace.embeddings.embed(memory)
    judged = judging.judge(workspace, memory, vectors, duplicates, max_seconds=max_judging_seconds)
    if judged.verdict is not None:
        return _known_already(workspace, memory, judged.verdict, actor, reason, tuple(redacted))
    with workspace.store.read() as reader:  # searched beforehand, from memory; within an operation SQLite itself must
        alike = link_inference.alike(reader, memory, judged.vocabulary)
    with workspace.store.transact(Op.REMEMBER, actor, reason, allow_secrets=allow_secrets) as transaction:
        if duplicates is not Policy.KEEP:
            _refuse_if_just_kept(transaction.reader(), memory, judged.known)
        saved = transaction.add_memory(memory, vectors)
        link_inference.weave_in(transaction, saved, alike)
        for known, suspicion in judged.suspicions:
            transaction.add_link(_suspected(saved.id, known, suspicion, transaction.now))
    workspace.embeddings.notify()
    return RememberResult(
        saved,
        transaction.changes,
        bool(vectors),
        tuple(redacted),
        suspicions=judged.suspicions,
        not_compared=judged.not_compared,
    )


def redacted(text: str) -> str:
    """Return a text without the credentials in it."""
    return str(secrets.clean(text))


def remember_marked(
    workspace: Workspace, written: str, *, actor: str, fields: Mapping[str, Any] | None = None, **options: Any
) -> tuple[list[RememberResult], list[str]]:
    """Keep what a text marks with [MEMORY …]; also says, a sentence each, which markers could not be read."""
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


def _refuse_if_just_kept(reader: Reader, memory: Memory, near: Sequence[SimilarMemory]) -> None:
    """Two programs may add the same text at once: the second one is refused with the known memory."""
    seen = {each.memory.id for each in near}
    for each in reader.same_content(memory.content):
        is_same = is_same_text(memory.content, each.content) and duplicate.is_about_the_same(memory, each)
        is_there = each.collection == memory.collection and each.status is Status.ACTIVE
        if each.id not in seen and is_there and is_same:
            raise StaleEdit(f"Memory {each.id} says it already, since a moment ago; nothing was stored.")


def _suspected(new: MemoryId, known: MemoryId, suspicion: Suspicion, now: datetime) -> Link:
    """Return an open contradiction with its evidence: for a person to decide, changing nothing by itself."""
    evidence = {"rule": suspicion.rule, "probability": suspicion.probability, "parts": dict(suspicion.parts)}
    fields = {"kind": LinkKind.CONTRADICTS, "status": LinkStatus.OPEN, "evidence": evidence}
    return draft.link(fields, new, known, now)


def _known_already(
    workspace: Workspace, memory: Memory, verdict: DuplicateVerdict, actor: str, reason: str, redacted: tuple[str, ...]
) -> RememberResult:
    """Raise the known memory's confidence to the larger of the two, if it is; the journal tells the decision and keeps
    the refused text, so that a wrong decision loses nothing. What an agent claims raises no confidence of a memory that
    a person stands behind."""
    known = verdict.memory
    # What is longer was refused for being the same text, which is therefore kept.
    decision = f"{verdict.sentence} Not stored: {memory.content[: duplicate.MAX_JUDGED_CHARS]}"
    details = f"{decision}\nReason given: {reason}" if reason else decision
    with workspace.store.transact(Op.REMEMBER, actor, details[: draft.MAX_TEXT_CHARS]) as transaction:
        transaction.note()
        may_raise = actor == PERSON or not authorship.is_a_persons(transaction.existing(known.id))
        if may_raise and known.confidence < memory.confidence:
            known = transaction.update_memory(known.id, {"confidence": memory.confidence})
    return RememberResult(known, transaction.changes, False, redacted, verdict)
