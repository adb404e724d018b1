"""JSON of memories, links, changes by an operation, and contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from core.changes import Changes
from core.clock import to_iso
from core.errors import UserError
from core.model import Link, Memory
from inspector.wire.plain import field, plain

if TYPE_CHECKING:  # shapes are named, not loaded
    from core.services.audit import JournalEntry, Revision
    from core.services.browse import Detail, Page
    from core.services.consolidate import ConsolidationPlan
    from core.services.contradictions import ContradictionCluster, Impact
    from core.services.curate import PurgeResult, UndoResult
    from core.services.merging import MergePreview
    from core.services.remember import DuplicateVerdict, RememberResult


def memory(value: Memory) -> dict[str, Any]:
    return {name: field(item) for name, item in value._asdict().items()}


def link(value: Link) -> dict[str, Any]:
    return {each.name: field(getattr(value, each.name)) for each in fields(value)}


def detail(value: Detail) -> dict[str, Any]:
    return {
        "memory": memory(value.memory),
        "links": [link(each) for each in value.links],
        "embedded": value.is_embedded,
        "truncated": value.is_truncated,
    }


def details(found: Sequence[Detail], missing: Sequence[str]) -> dict[str, Any]:
    """Return several memories that were asked for by name, and the names of which there is none."""
    return {"memories": [detail(each) for each in found], "missing": list(missing)}


def page(value: Page) -> dict[str, Any]:
    return {"memories": [memory(each) for each in value.memories], "total": value.total, "before": value.before}


def remembered(value: RememberResult) -> dict[str, Any]:
    return {
        "memory": memory(value.memory),
        "operation": value.changes.seq,
        "embedded": value.is_embedded,
        "redacted": list(value.redacted),
        "duplicate": duplicate(value.duplicate) if value.duplicate is not None else None,
        "suspected_contradictions": [
            {"with": id, "rule": each.rule, "probability": each.probability, "parts": plain(each.parts)}
            for id, each in value.contradictions
        ],
        "not_compared": value.not_compared,
    }


def remembered_several(several: Sequence[RememberResult | UserError], sentences: Sequence[str]) -> dict[str, Any]:
    """Return what became of each of several memories; `operation` is that of all of them."""
    seqs = (each.changes.seq for each in several if not isinstance(each, UserError))
    return {
        "operation": next(seqs, None),
        "results": [_became(each, sentence) for each, sentence in zip(several, sentences, strict=True)],
    }


def _became(value: RememberResult | UserError, sentence: str) -> dict[str, Any]:
    if isinstance(value, UserError):
        return {"stored": False, "memory": None, "version": None, "suspected_contradictions": [], "sentence": sentence}
    return {
        "stored": value.duplicate is None,
        "memory": value.memory.id,
        "version": value.memory.version,
        "suspected_contradictions": [id for id, _ in value.contradictions],
        "sentence": sentence,
    }


def duplicate(value: DuplicateVerdict) -> dict[str, Any]:
    return {
        "of": value.memory.id,
        "content": value.memory.content,
        "rule": value.rule,
        "number": value.number,
        "threshold": value.threshold,
        "cosine": value.cosine,
        "sentence": value.sentence,
    }


def changes(value: Changes) -> dict[str, Any]:
    return {"operation": value.seq, "memories": sorted(value.memories), "links": sorted(value.links)}


def entry(value: JournalEntry) -> dict[str, Any]:
    return {"seq": value.seq, "at": to_iso(value.at), "op": value.op, "actor": value.actor, "reason": value.reason}


def undone(value: UndoResult) -> dict[str, Any]:
    return {"operations": [entry(each) for each in value.entries], **changes(value.changes)}


def revision(value: Revision) -> dict[str, Any]:
    return {
        "operation": entry(value.entry),
        "memory": memory(value.memory) if value.memory is not None else None,
        "changed": list(value.changed),
        "diff": [{"kind": kind, "text": words} for kind, words in value.diff],
        "fields": [{"name": each.name, "before": each.before, "after": each.after} for each in value.fields],
    }


def cluster(value: ContradictionCluster) -> dict[str, Any]:
    return {
        "memories": [
            {
                "memory": memory(side.memory),
                "strength": side.strength,
                "confidence": side.confidence,
                "recency": side.recency,
                "effective": side.effective,
            }
            for side in value.sides
        ],
        "links": [link(each) for each in value.links],
    }


def impact(value: Impact) -> dict[str, Any]:
    return {
        "query": value.question.text,
        "profile": value.question.profile,
        "before": list(value.before),
        "after": list(value.after),
        "changes": value.changes,
    }


def purged(value: PurgeResult) -> dict[str, Any]:
    shape = {"log_is_empty": value.log_is_empty, "backups": [str(path) for path in value.backups]}
    return {**changes(value.changes), **shape}


def merge(kept: Memory, looked_at: MergePreview, made: Changes) -> dict[str, Any]:
    return {
        "memory": memory(kept),
        "confidence_reason": looked_at.confidence(kept.content).reason,
        "are_duplicates": looked_at.are_duplicates,
        "warning": looked_at.warning,
        **changes(made),
    }


def consolidation(value: ConsolidationPlan) -> dict[str, Any]:
    return {
        "merges": [{"memory": each.memory.id, "into": duplicate(each.verdict)} for each in value.merges],
        "archivals": [
            {"memory": each.memory.id, "retention": each.retention, "days": each.days} for each in value.archivals
        ],
        "looked_at": value.looked_at,
        "protected": value.protected,
    }
