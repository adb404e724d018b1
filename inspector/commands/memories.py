"""The commands remember, embed, get, list and infer-links."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from typing import Any

from core import draft, filters, formatting
from core.clock import SystemClock, to_iso
from core.errors import UserError
from core.filter_fields import FIELDS
from core.model import Filter, Memory, MemoryId, Status
from core.services import browse, link_inference
from core.services import remember as remembering
from inspector import wire
from inspector.cli import CHECK_FAILED, OK
from inspector.commands import terminal

_FIELDS = ("content", "summary", "type", "tags", "entities", "files", "collection", "session", "user", "importance")


def remember(options: argparse.Namespace) -> int:
    fields = {**fields_of(options), "source": "person", "pinned": options.pin}
    if options.markers:
        return _remember_marked(options, fields)
    with terminal.open_workspace(options) as workspace:
        with contextlib.suppress(UserError):  # without a model, duplicates are found by words alone
            workspace.embeddings.load()
        kept = remembering.remember(
            workspace,
            fields,
            actor=terminal.PERSON,
            reason=options.reason,
            allow_secrets=options.allow_secrets,
            duplicates=_policy(options.duplicates),
        )
        note = f" Redacted: {', '.join(kept.redacted)}; --allow-secrets keeps them." if kept.redacted else ""
        if kept.duplicate is not None:
            says = terminal.one_line(kept.memory.content, 400)
            text = f"{kept.duplicate.sentence} It says: {says}\n--duplicates keep adds it anyway.{note}"
            terminal.show(options, wire.remembered(kept), text)
            return OK
        for known, found in kept.contradictions:
            note += f" It may contradict memory {known} ({found.rule}, {found.probability:.0%})."
        if kept.not_compared:
            note += f" Time ran out before it was compared with {formatting.memories(kept.not_compared)}."
        if not kept.is_embedded:
            note += f" Not embedded yet: {workspace.embeddings.status().sentence}"
    terminal.show(options, wire.remembered(kept), f"Remembered as {kept.memory.id}.{note}")
    return OK


def _remember_marked(options: argparse.Namespace, fields: dict[str, Any]) -> int:
    written = fields.pop("content")
    with terminal.open_workspace(options) as workspace:
        kept, complaints = remembering.remember_marked(
            workspace,
            written,
            actor=terminal.PERSON,
            fields=fields,
            reason=options.reason,
            allow_secrets=options.allow_secrets,
            duplicates=_policy(options.duplicates),
        )
    shape = {"remembered": [wire.remembered(each) for each in kept], "complaints": complaints}
    lines = [each.duplicate.sentence if each.duplicate else f"Remembered as {each.memory.id}." for each in kept]
    terminal.show(options, shape, "\n".join([*lines, *complaints]) or "The text has no [MEMORY] marker.")
    return CHECK_FAILED if complaints else OK


def _policy(named: str) -> remembering.Policy:
    try:
        return remembering.Policy(named)
    except ValueError as error:
        known = ", ".join(remembering.Policy)
        raise UserError(f"--duplicates must be one of {known}, not {named[:40]!r}.") from error


def embed(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        done = workspace.embeddings.catch_up(terminal.progress())
        status = workspace.embeddings.status()
    terminal.show(options, {"embedded": done, **wire.status(status)}, f"{done} embedded. {status.sentence}")
    return OK


def get(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options, read_only=True) as workspace:
        found = browse.detail(workspace, options.memory)
    terminal.show(options, wire.detail(found), _described(found))
    return OK


def list_memories(options: argparse.Namespace) -> int:
    before = None if options.before is None else MemoryId(terminal.number(options.before, "--before"))
    limit = terminal.number(options.limit, "--limit")
    with terminal.open_workspace(options, read_only=True) as workspace:
        page = browse.page(workspace, filter_of(options), before=before, limit=limit)
    lines = [_row(memory) for memory in page.memories]
    if page.before is not None:
        lines.append(f"… {page.total:,} in all; continue with --before {page.before}")
    terminal.show(options, wire.page(page), "\n".join(lines) or "No memory matches.")
    return OK


def infer_links(options: argparse.Namespace) -> int:
    with terminal.open_workspace(options) as workspace:
        made = link_inference.catch_up(workspace, actor=terminal.PERSON, progress=terminal.progress())
    terminal.show(options, {"links": made}, f"Made {formatting.counted(made, 'link')}.")
    return OK


def fields_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of a memory that were given as arguments, and no others."""
    fields: dict[str, Any] = {name: getattr(options, name) for name in _FIELDS if getattr(options, name) is not None}
    if fields.get("content") == "-":
        try:
            fields["content"] = sys.stdin.read()
        except UnicodeDecodeError as error:
            raise UserError("What came on standard input is not UTF-8 text.") from error
    if options.confidence is not None:
        fields["confidence"] = terminal.decimal(options.confidence, "confidence")
    if options.context is not None:
        fields["context"] = terminal.json_object(options.context, "context")
    return fields


def filter_of(options: argparse.Namespace) -> Filter:
    for status in options.status:
        draft.RULES["status"]("--status", status)
    given = {field.name: getattr(options, field.option.replace("-", "_")) for field in FIELDS if field.option}
    # A switch that is off is no filter.
    return filters.from_values({name: value or None for name, value in given.items()}, SystemClock().now())


def _row(memory: Memory) -> str:
    marks = f"{'📌' if memory.pinned else ''}{'' if memory.status is Status.ACTIVE else f'({memory.status}) '}"
    return (
        f"{memory.id:>6}  {memory.created_at:%Y-%m-%d}  {memory.type:<10.10}  {memory.confidence:.2f}  "
        f"{marks}{terminal.one_line(memory.content, 90)}"
    )


def _described(found: browse.Detail) -> str:
    memory = found.memory
    embedded = "embedded" + (", cut at the model's limit" if found.is_truncated else "")
    lines = [
        memory.content,
        "",
        f"id {memory.id} · uid {memory.uid} · {memory.type} · {memory.status} · version {memory.version}",
        f"confidence {memory.confidence:g} · strength {memory.strength:g} · importance {memory.importance}"
        + (" · pinned" if memory.pinned else ""),
        f"created {to_iso(memory.created_at)} · updated {to_iso(memory.updated_at)} · last recalled "
        + (to_iso(memory.last_accessed_at) if memory.last_accessed_at else "never")
        + f" · {formatting.counted(memory.access_count, 'time')} · "
        + (embedded if found.is_embedded else "not embedded"),
    ]
    for name in ("summary", "collection", "session", "user", "agent", "source"):
        if value := getattr(memory, name):
            lines.append(f"{name}: {terminal.one_line(value, 200)}")
    for name in ("tags", "entities", "files"):
        if values := getattr(memory, name):
            lines.append(f"{name}: {', '.join(terminal.one_line(value, 80) for value in values)}")
    for name in ("context", "provenance"):
        if value := getattr(memory, name):
            lines.append(f"{name}: {terminal.one_line(json.dumps(value, ensure_ascii=False), 400)}")
    for link in found.links:
        other = link.target_id if link.source_id == memory.id else link.source_id
        arrow = "→" if link.source_id == memory.id else "←"
        lines.append(f"{arrow} {link.kind} {other} (weight {link.weight:g}, {link.status})")
    return "\n".join(lines)
