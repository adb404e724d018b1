"""Adding new memories: from a person, an agent or a file, all by the same rules."""

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
    now = workspace.store.clock.now()
    own = authorship.fields_with_author(fields, actor)
    memory = draft.memory(own, now)  # first, so that a text that is too long is refused before it is searched
    redacted: list[str] = []
    if not allow_secrets:
        cleaned, redacted = secrets.redact_fields(own)
        memory = memory._replace(**draft.changes(cleaned)) if redacted else memory
    vectors = workspace.embeddings.embed(memory)
    judged = judging.judge(workspace, memory, vectors, duplicates, max_seconds=max_judging_seconds)
    if judged.verdict is not None:
        return _refuse_duplicate(workspace, memory, judged.verdict, actor, reason, tuple(redacted))
    with workspace.store.read() as reader:  # before the transaction, so that the search cache answers
        alike = link_inference.similar_memories(reader, memory, judged.vocabulary)
    with workspace.store.transact(Op.REMEMBER, actor, reason, allow_secrets=allow_secrets) as transaction:
        if duplicates is not Policy.KEEP:
            _refuse_if_just_stored(transaction.reader(), memory, judged.known)
        saved = transaction.add_memory(memory, vectors)
        link_inference.add_inferred_links(transaction, saved, alike)
        for known, found in judged.contradictions:
            transaction.add_link(_contradiction_link(saved.id, known, found, transaction.now))
    workspace.embeddings.notify()
    return RememberResult(
        saved,
        transaction.changes,
        bool(vectors),
        tuple(redacted),
        contradictions=judged.contradictions,
        not_compared=judged.not_compared,
    )


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


def _refuse_if_just_stored(reader: Reader, memory: Memory, near: Sequence[SimilarMemory]) -> None:
    """Raise StaleEdit if another program has stored the same text since it was judged."""
    seen = {each.memory.id for each in near}
    for each in reader.same_content(memory.content):
        is_same = is_same_text(memory.content, each.content) and duplicate.has_same_subject(memory, each)
        is_there = each.collection == memory.collection and each.status is Status.ACTIVE
        if each.id not in seen and is_there and is_same:
            raise StaleEdit(f"Memory {each.id}, stored a moment ago, says the same; nothing was stored.")


def _contradiction_link(new: MemoryId, known: MemoryId, found: PossibleContradiction, now: datetime) -> Link:
    """Return an open link with the evidence, for a person to decide; it changes nothing by itself."""
    evidence = {"rule": found.rule, "probability": found.probability, "parts": dict(found.parts)}
    fields = {"kind": LinkKind.CONTRADICTS, "status": LinkStatus.OPEN, "evidence": evidence}
    return draft.link(fields, new, known, now)


def _refuse_duplicate(
    workspace: Workspace, memory: Memory, verdict: DuplicateVerdict, actor: str, reason: str, redacted: tuple[str, ...]
) -> RememberResult:
    """Record the refused text and the verdict in the journal, so that a wrong verdict loses nothing, and raise the
    known memory's confidence to the higher of the two. An agent raises no confidence of a person's memory."""
    known = verdict.memory
    # A longer text is only refused if it is the same text, which is stored already.
    decision = f"{verdict.sentence} Not stored: {memory.content[: duplicate.MAX_JUDGED_CHARS]}"
    details = f"{decision}\nReason given: {reason}" if reason else decision
    with workspace.store.transact(Op.REMEMBER, actor, details[: draft.MAX_TEXT_CHARS]) as transaction:
        transaction.note()
        may_raise = actor == PERSON or not authorship.is_of_person(transaction.existing(known.id))
        if may_raise and known.confidence < memory.confidence:
            known = transaction.update_memory(known.id, {"confidence": memory.confidence})
    return RememberResult(known, transaction.changes, False, redacted, verdict)
