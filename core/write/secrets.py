"""Finds credentials in what is about to be written, and redacts them: the only entry point.

Contents and fields, reasons, judged queries and recorded queries all pass through here. A sentence about passwords
stays, a password does not. `credential_forms` recognises credentials by the formats of their issuers,
`credential_context` by their context.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from core.write import credential_context, credential_forms
from core.write.credential_context import Span

MIN_CHARS = 6  # of a text that can hold a credential and its context
MAX_KEPT_CHARS = 120  # of a text whose verdict is kept: records of calls repeat names of stages and sentences of drops


def redact(text: str) -> tuple[str, list[str]]:
    """Return the text with each secret replaced by its kind, and the kinds that were found.

    Linear in the length of the text. A text without secrets is returned unchanged, and so is a redacted one.
    """
    if len(text) < MIN_CHARS:
        return text, []
    cleaned, kinds = _redact_short(text) if len(text) <= MAX_KEPT_CHARS else _redact(text)
    return cleaned, list(kinds)


def _redact(text: str) -> tuple[str, tuple[str, ...]]:
    lowered = text.lower()
    found = _joined([*credential_forms.spans(text, lowered), *credential_context.spans(text, lowered)])
    pieces, at, kinds = [], 0, []
    for start, end, kind in found:
        if "[redacted" not in text[max(0, start - 10) : end]:  # already redacted
            pieces += [text[at:start], f"[redacted {kind}]"]
            kinds.append(kind)
            at = end
    return ("".join((*pieces, text[at:])), tuple(kinds)) if kinds else (text, ())


_redact_short = lru_cache(maxsize=2048)(_redact)


def _joined(spans: list[Span]) -> list[Span]:
    """Return spans in order, overlapping ones joined into one of the kind that was found first."""
    order = sorted(range(len(spans)), key=lambda n: (spans[n][0], n))
    joined: list[tuple[int, Span]] = []
    for n in order:
        start, end, kind = spans[n]
        if joined and start < joined[-1][1][1]:
            first, (begun, until, other) = joined[-1]
            joined[-1] = (min(first, n), (begun, max(until, end), other if first < n else kind))
        else:
            joined.append((n, spans[n]))
    return [span for _, span in joined]


def clean(value: Any, name: str = "") -> Any:
    """Return a text, or every text of a JSON value at any depth, without its secrets; `name` is the name of its field,
    which may show that the value is one."""
    return _cleaned(value, name, [])


def redact_fields(fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the fields of a memory without secrets, and the kinds that were found."""
    found: list[str] = []
    cleaned = {name: _cleaned(value, "", found) for name, value in fields.items()}
    return cleaned, list(dict.fromkeys(found))


def _cleaned(value: Any, name: str, found: list[str]) -> Any:
    if isinstance(value, str):
        text, kinds = redact(value)
        if not kinds and name and credential_context.is_credential_field(name, value):
            text, kinds = f"[redacted {credential_context.PASSWORD}]", [credential_context.PASSWORD]
        found.extend(kinds)
        return text
    if isinstance(value, Mapping):
        return {_cleaned(key, "", found): _cleaned(item, str(key), found) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(item, name, found) for item in value]
    return value
