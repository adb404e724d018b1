"""JSON of the store as a whole: statistics, health, import and export."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from core.clock import to_iso
from core.model import Space
from inspector.wire.plain import plain

if TYPE_CHECKING:  # shapes are named, not loaded
    from core.services.audit import Metrics
    from core.services.embeddings import EmbeddingStatus
    from core.services.exchange import ImportPlan
    from core.services.health import Backup, CheckFinding, Info
    from core.services.models import ModelChoice
    from core.services.proposals import PendingChange, Proposal


def plan(value: ImportPlan) -> dict[str, Any]:
    return {
        "new": [each.uid for each in value.new],
        "duplicate": [each.uid for each in value.duplicate],
        "conflicting": [each.uid for each in value.conflicting],
        "rejected": value.rejected,
        "links": len(value.links),
        "whole": value.is_whole,
        "notes": value.notes,
    }


def proposal(value: Proposal) -> dict[str, Any]:
    return {
        "id": value.id,
        "memory": value.memory_id,
        "version": value.version,
        "kind": str(value.kind),
        "fields": plain(value.fields),
        "actor": value.actor,
        "reason": value.reason,
        "proposed_at": to_iso(value.proposed_at),
        "state": str(value.state),
    }


def pending_change(value: PendingChange) -> dict[str, Any]:
    return {
        **proposal(value.proposal),
        "content": value.memory.content,
        "is_stale": value.is_stale,
        "changes": [
            {"field": each.name, "before": plain(each.before), "after": plain(each.after)} for each in value.fields
        ],
    }


def finding(value: CheckFinding) -> dict[str, Any]:
    return {"problem": value.problem, "sentence": value.sentence, "can_be_repaired": value.can_be_repaired}


def space(value: Space) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def backup(value: Backup) -> dict[str, Any]:
    return {"path": str(value.path), "at": to_iso(value.at), "reason": value.reason, "size": value.size}


def status(value: EmbeddingStatus) -> dict[str, Any]:
    return {"model": value.model, "state": value.state, "sentence": value.sentence, "waiting": value.waiting}


def info(value: Info) -> dict[str, Any]:
    return {
        "path": str(value.location),
        "size": value.size,
        "read_only": bool(value.read_only_because),
        "read_only_because": value.read_only_because,
        "memories": value.memories,
        "by_status": value.by_status,
        "by_type": value.by_type,
        "by_collection": value.by_collection,
        "by_agent": value.by_agent,
        "links": value.links,
        "operations": value.operations,
        "model": value.model,
        "waiting_for_embedding": value.waiting_for_embedding,
        "spaces": [
            {"space": space(use.space), "vectors": use.vectors, "truncated": use.truncated} for use in value.spaces
        ],
        "backups": [backup(each) for each in value.backups],
    }


def stats(value: Info, model: EmbeddingStatus, metrics: Metrics) -> dict[str, Any]:
    shape = info(value)
    names = ("memories", "by_status", "by_type", "by_collection", "by_agent", "links", "operations")
    return {
        **{name: shape[name] for name in names},
        "model": status(model),
        "recalls": asdict(metrics.total),
        "by_client": {client: asdict(figures) for client, figures in metrics.by_client.items()},
    }


def offer(value: ModelChoice) -> dict[str, Any]:
    model = value.model
    return {
        "name": model.name,
        "about": model.about,
        "dimension": model.dimension,
        "licence": model.licence,
        "max_tokens": model.max_tokens,
        "pooling": model.pooling,
        "query_prefix": model.query_prefix,
        "document_prefix": model.document_prefix,
        "size": model.size,
        "files": [{"name": file.name, "sha256": file.sha256, "size": file.size} for file in model.files],
        "default": value.is_default,
        "here": value.is_here,
        "folder": str(value.folder),
    }
