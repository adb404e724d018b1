"""Every JSON shape, written once: the command line's --json and the server speak the same."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import Any

from core.clock import to_iso
from core.model import Link, Memory, Space
from core.services.browse import Detail, Page
from core.services.embeddings import Status
from core.services.health import Backup, Finding, Info
from core.services.models import Offer
from core.services.remember import Remembered


def memory(value: Memory) -> dict[str, Any]:
    shape = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: _plain(item) for name, item in shape.items()}


def link(value: Link) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


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
    return {"memory": memory(value.memory), "operation": value.changes.seq, "embedded": value.is_embedded}


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


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_iso(value)
    return list(value) if isinstance(value, tuple) else value
