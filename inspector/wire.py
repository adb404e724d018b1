"""Every JSON shape, written once: the command line's --json and the server speak the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from core.changes import Changes
from core.clock import to_iso
from core.model import Link, Memory, Space
from core.pipeline.candidate import Candidate
from core.pipeline.run import Profile, parameters_hash
from core.pipeline.stage import parameters
from core.pipeline.trace import Reason, Term, Trace
from core.services.audit import Entry, Metrics, Revision
from core.services.browse import Detail, Page
from core.services.consolidate import Plan as ConsolidationPlan
from core.services.contradictions import Cluster, Impact
from core.services.curate import Purged, Undone
from core.services.embeddings import Status
from core.services.exchange import Plan
from core.services.health import Backup, Finding, Info
from core.services.models import Offer
from core.services.query import Answer, Explanation
from core.services.remember import Remembered, Verdict
from core.services.why_not import Change, WhyNot


def memory(value: Memory) -> dict[str, Any]:
    shape = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: _field(item) for name, item in shape.items()}


def link(value: Link) -> dict[str, Any]:
    return {field.name: _field(getattr(value, field.name)) for field in fields(value)}


def detail(value: Detail) -> dict[str, Any]:
    return {
        "memory": memory(value.memory),
        "links": [link(each) for each in value.links],
        "embedded": value.is_embedded,
        "truncated": value.is_truncated,
    }


def page(value: Page) -> dict[str, Any]:
    return {"memories": [memory(each) for each in value.memories], "total": value.total, "before": value.before}


def remembered(value: Remembered) -> dict[str, Any]:
    return {
        "memory": memory(value.memory),
        "operation": value.changes.seq,
        "embedded": value.is_embedded,
        "redacted": list(value.redacted),
        "duplicate": duplicate(value.duplicate) if value.duplicate is not None else None,
        "suspected_contradictions": [
            {"with": id, "rule": each.rule, "probability": each.probability, "parts": plain(each.parts)}
            for id, each in value.suspicions
        ],
    }


def duplicate(value: Verdict) -> dict[str, Any]:
    return {
        "of": value.memory.id,
        "rule": value.rule,
        "number": value.number,
        "threshold": value.threshold,
        "cosine": value.cosine,
        "sentence": value.sentence,
    }


def changes(value: Changes) -> dict[str, Any]:
    return {"operation": value.seq, "memories": sorted(value.memories), "links": sorted(value.links)}


def entry(value: Entry) -> dict[str, Any]:
    return {"seq": value.seq, "at": to_iso(value.at), "op": value.op, "actor": value.actor, "reason": value.reason}


def undone(value: Undone) -> dict[str, Any]:
    return {"operations": [entry(each) for each in value.entries], **changes(value.changes)}


def revision(value: Revision) -> dict[str, Any]:
    return {
        "operation": entry(value.entry),
        "memory": memory(value.memory) if value.memory is not None else None,
        "changed": list(value.changed),
        "diff": [{"kind": kind, "text": words} for kind, words in value.diff],
    }


def cluster(value: Cluster) -> dict[str, Any]:
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


def plan(value: Plan) -> dict[str, Any]:
    return {
        "new": [each.uid for each in value.new],
        "duplicate": [each.uid for each in value.duplicate],
        "conflicting": [each.uid for each in value.conflicting],
        "rejected": value.rejected,
        "links": len(value.links),
        "whole": value.is_whole,
        "notes": value.notes,
    }


def purged(value: Purged) -> dict[str, Any]:
    shape = {"log_is_empty": value.log_is_empty, "backups": [str(path) for path in value.backups]}
    return {**changes(value.changes), **shape}


def consolidation(value: ConsolidationPlan) -> dict[str, Any]:
    return {
        "merges": [{"memory": each.memory.id, "into": duplicate(each.verdict)} for each in value.merges],
        "archivals": [
            {"memory": each.memory.id, "retention": each.retention, "days": each.days} for each in value.archivals
        ],
        "looked_at": value.looked_at,
        "protected": value.protected,
    }


def finding(value: Finding) -> dict[str, Any]:
    return {"problem": value.problem, "sentence": value.sentence, "can_be_repaired": value.can_be_repaired}


def space(value: Space) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def backup(value: Backup) -> dict[str, Any]:
    return {"path": str(value.path), "at": to_iso(value.at), "reason": value.reason, "size": value.size}


def status(value: Status) -> dict[str, Any]:
    return {"model": value.model, "state": value.state, "sentence": value.sentence, "waiting": value.waiting}


def info(value: Info) -> dict[str, Any]:
    return {
        "path": str(value.path),
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


def stats(value: Info, model: Status, metrics: Metrics) -> dict[str, Any]:
    told = info(value)
    names = ("memories", "by_status", "by_type", "by_collection", "by_agent", "links", "operations")
    return {
        **{name: told[name] for name in names},
        "model": status(model),
        "recalls": asdict(metrics.total),
        "by_client": {client: asdict(figures) for client, figures in metrics.by_client.items()},
    }


def term(value: Term) -> dict[str, Any]:
    """A number and how it came about; `value` follows from the parts' values by `operation`."""
    shape: dict[str, Any] = {"name": value.name, "value": value.value, "operation": value.operation}
    if value.parts:
        shape["parts"] = [term(part) for part in value.parts]
    if value.facts:
        shape["facts"] = plain(value.facts)
    return shape


def reason(value: Reason) -> dict[str, Any]:
    return {"kind": value.kind, "sentence": value.sentence, "facts": plain(value.facts)}


def result(value: Candidate, rank: int) -> dict[str, Any]:
    return {
        "rank": rank,
        "score": value.value,
        "memory": memory(value.memory),
        "lists": lists(value),
        "explanation": term(value.score) if value.score is not None else None,
    }


def lists(value: Candidate) -> dict[str, Any]:
    """What each list said of a memory: raw score, rank there, and how the raw score came about."""
    return {
        name: {"score": hit.score, "rank": hit.rank, "explanation": term(hit.term)} for name, hit in value.hits.items()
    }


def answer(value: Answer) -> dict[str, Any]:
    """An answer with the whole explanation of every result and the trace of the run."""
    return {
        "query": value.query.text,
        "as_of": to_iso(value.query.now),
        "profile": value.profile.name,
        "k": value.query.k,
        "mode": value.ranking.trace.mode,
        "why_this_mode": value.ranking.trace.why_this_mode,
        "warnings": list(value.ranking.trace.warnings),
        "results": [result(each, rank) for rank, each in enumerate(value.ranking.results, 1)],
        "prompt": value.prompt,
        "trace": trace(value.ranking.trace),
    }


def recalled(value: Answer, notice: str) -> dict[str, Any]:
    """An answer as an agent wants it: the memories with their scores, and a section for a prompt behind a notice."""
    return {
        "query": value.query.text,
        "profile": value.profile.name,
        "mode": str(value.ranking.trace.mode),
        "why_this_mode": value.ranking.trace.why_this_mode,
        "warnings": list(value.ranking.trace.warnings),
        "results": [
            {
                "rank": rank,
                "score": each.value,
                "memory": memory(each.memory),
                "parts": {part.name: part.value for part in (each.score.parts if each.score else ())},
            }
            for rank, each in enumerate(value.ranking.results, 1)
        ],
        "prompt": f"{notice}\n\n{value.prompt}" if value.prompt else "",
    }


def trace(value: Trace) -> dict[str, Any]:
    return {
        "profile": value.profile,
        "parameters_hash": value.parameters_hash,
        "elapsed_ms": value.elapsed_ms,
        "gathered": list(value.gathered),
        "sources": [
            {
                "name": source.name,
                "kind": source.kind,
                "parameters": plain(source.parameters),
                "found": source.found,
                "limit": source.limit,
                "failure": source.failure,
                "notes": list(source.notes),
                "elapsed_ms": source.elapsed_ms,
            }
            for source in value.sources
        ],
        "stages": [
            {
                "name": stage.name,
                "parameters": plain(stage.parameters),
                "entered": stage.entered,
                "left": stage.left,
                "order": [{"memory": id, "score": score} for id, score in stage.order],
                "dropped": [
                    {"memory": drop.memory_id, "rank": drop.rank, "score": drop.score, "reason": reason(drop.reason)}
                    for drop in stage.drops
                ],
                "facts": plain(stage.facts),
                "notes": list(stage.notes),
                "elapsed_ms": stage.elapsed_ms,
            }
            for stage in value.stages
        ],
    }


def explanation(value: Explanation) -> dict[str, Any]:
    return {
        "memory": memory(value.memory),
        "query": value.answer.query.text,
        "profile": value.answer.profile.name,
        "returned": value.rank is not None,
        "rank": value.rank,
        "score": value.score.value if value.score is not None else None,
        "explanation": term(value.score) if value.score is not None else None,
        "lists": lists(value.candidate) if value.candidate is not None else {},
        "reason": reason(value.reason) if value.reason is not None else None,
        "absent": [reason(each) for each in value.absent],
        "steps": [
            {
                "stage": step.stage,
                "rank_before": step.rank_before,
                "rank_after": step.rank_after,
                "score_after": step.score_after,
                "reason": reason(step.reason) if step.reason is not None else None,
                "facts": plain(step.facts),
            }
            for step in value.steps
        ],
        "mode": value.answer.ranking.trace.mode,
        "why_this_mode": value.answer.ranking.trace.why_this_mode,
        "warnings": list(value.answer.ranking.trace.warnings),
        "trace": trace(value.answer.ranking.trace),
    }


def why_not(value: WhyNot) -> dict[str, Any]:
    return {
        "lost_at": value.lost_at,
        "reason": reason(value.reason) if value.reason is not None else None,
        "smallest_change": change(value.smallest) if value.smallest is not None else None,
        "changes": [change(each) for each in value.changes],
        "runs": value.runs,
        "is_complete": value.is_complete,
    }


def change(value: Change) -> dict[str, Any]:
    return {
        "kind": value.kind,
        "what": value.what,
        "before": plain(value.before),
        "after": plain(value.after),
        "rank": value.rank,
        "sentence": value.sentence,
    }


def profile(value: Profile) -> dict[str, Any]:
    return {
        "name": value.name,
        "about": value.about,
        "source": value.source,
        "k": value.k,
        "statuses": [str(status) for status in value.statuses],
        "parameters_hash": parameters_hash(value),
        "steps": [
            {"name": step.name, "kind": type(step).__name__, "parameters": plain(parameters(step))}
            for step in value.steps
        ],
    }


def offer(value: Offer) -> dict[str, Any]:
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


def plain(value: Any) -> Any:
    """Anything made of plain values and enums, as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _field(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_iso(value)
    return list(value) if isinstance(value, tuple) else value
