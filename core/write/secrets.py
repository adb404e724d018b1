"""Credentials in what is to be written, found precisely and taken out before anything of them is written.

The one door: contents and fields, reasons, judged queries and recorded questions all come through here. A sentence
about passwords passes, a password does not. `credential_forms` knows credentials by the forms their issuers publish,
`credential_context` by what stands beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.write import credential_context, credential_forms
from core.write.credential_context import Span

SHORTEST = 6  # of texts that can hold a credential with what tells it


def redact(text: str) -> tuple[str, list[str]]:
    """Return the text without its secrets, each replaced by what it was; and the kinds that were found.

    Linear in the length of the text. Nothing of a text is changed when nothing is found, and doing it twice changes
    nothing more.
    """
    if len(text) < SHORTEST:
        return text, []
    low = text.lower()
    found = _joined([*credential_forms.spans(text, low), *credential_context.spans(text, low)])
    pieces, at, kinds = [], 0, []
    for start, end, kind in found:
        if "[redacted" not in text[max(0, start - 10) : end]:  # what stands here was taken out already
            pieces += [text[at:start], f"[redacted {kind}]"]
            kinds.append(kind)
            at = end
    return ("".join((*pieces, text[at:])), kinds) if kinds else (text, [])


def _joined(spans: list[Span]) -> list[Span]:
    """Spans in order, those that overlap joined into one, of the kind that was found first."""
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
    """Return a text, or every text of a JSON value however deep, without its secrets; `name` is of the field that holds
    it, which may tell that its value is one."""
    return _cleaned(value, name, [])


def redact_fields(fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the same for a memory's fields, and the kinds that were found."""
    found: list[str] = []
    cleaned = {name: _cleaned(value, "", found) for name, value in fields.items()}
    return cleaned, list(dict.fromkeys(found))


def _cleaned(value: Any, name: str, found: list[str]) -> Any:
    if isinstance(value, str):
        text, kinds = redact(value)
        if not kinds and name and credential_context.is_named(name, value):
            text, kinds = f"[redacted {credential_context.PASSWORD}]", [credential_context.PASSWORD]
        found.extend(kinds)
        return text
    if isinstance(value, Mapping):
        return {_cleaned(key, "", found): _cleaned(item, str(key), found) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(item, name, found) for item in value]
    return value
