"""Credentials in what is to be remembered, found precisely and taken out before anything of them is written.

Precision first: a sentence about passwords passes, a password does not. Each rule names what it takes for a secret;
the forms of tokens are those their issuers publish.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """What a secret looks like; `group` is the part of the match that is the secret itself."""

    name: str
    pattern: re.Pattern[str]
    group: int = 0
    holds: Callable[[str], bool] = bool


def _is_no_placeholder(value: str) -> bool:
    """A real value has letters and something else, and is not a name for one: `<password>`, `${TOKEN}`, `xxxx`."""
    has_letters = any(char.isalpha() for char in value)
    has_more = any(char.isdigit() or not char.isalnum() for char in value.strip("-_."))
    is_varied = len(set(value.lower())) >= 5
    is_named = value[0] in "<${[(%*" or _NAME.match(value) is not None
    return has_letters and has_more and is_varied and not is_named


# A variable in capitals, plain words, or code that fetches the value: TOKEN, get_token(), os.environ[…
_NAME = re.compile(r"[A-Z][A-Z0-9_]*$|[a-z]+(?:[_.-][a-z]+)*$|[A-Za-z_][\w.]*[\[(]")
_KEY_LINE = r"PRIVATE KEY-----"
_ASSIGNED = r"""(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[ _-]?key|access[ _-]?key|auth[ _-]?token)"""

RULES = (
    Rule(
        "private key",
        re.compile(rf"-----BEGIN (?:[A-Z0-9]+ )*{_KEY_LINE}.*?(?:-----END (?:[A-Z0-9]+ )*{_KEY_LINE}|\Z)", re.S),
    ),
    Rule("AWS access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    Rule("GitHub token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{50,255}\b")),
    Rule("GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}\b")),
    Rule("Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}\b")),
    Rule("Stripe key", re.compile(r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}\b")),
    Rule("Google API key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    Rule("API key", re.compile(r"\bsk-(?:[A-Za-z]+-)*[A-Za-z0-9_-]{20,}\b"), 0, _is_no_placeholder),
    Rule("web token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")),
    Rule("bearer token", re.compile(r"\bBearer\s+([A-Za-z0-9._~+/-]{20,}=*)"), 1, _is_no_placeholder),
    Rule(
        "password in an address",
        re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:([^\s/@]{3,})@[^\s/]"),
        1,
        lambda value: value[0] not in "<${[*",
    ),
    Rule(
        "password",
        re.compile(rf"\b[\w-]*{_ASSIGNED}[\w-]*\s*(?:=|:|:=)\s*[\"']?([^\s\"'`,;]{{8,}})", re.IGNORECASE),
        1,
        _is_no_placeholder,
    ),
)


def redact(text: str) -> tuple[str, list[str]]:
    """The text without its secrets, each replaced by what it was; and the kinds that were found."""
    found: list[str] = []
    for rule in RULES:

        def replaced(match: re.Match[str], rule: Rule = rule) -> str:
            secret = match[rule.group]
            if "[redacted" in secret or not rule.holds(secret):
                return match[0]
            found.append(rule.name)
            start, end = match.span(rule.group)
            whole = match[0]
            return f"{whole[: start - match.start()]}[redacted {rule.name}]{whole[end - match.start() :]}"

        text = rule.pattern.sub(replaced, text)
    return text, found


def redact_fields(fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The same for every text of a memory's fields, however deep in its context."""
    found: list[str] = []

    def cleaned(value: Any) -> Any:
        if isinstance(value, str):
            text, kinds = redact(value)
            found.extend(kinds)
            return text
        if isinstance(value, Mapping):
            return {cleaned(key): cleaned(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [cleaned(item) for item in value]
        return value

    return {name: cleaned(value) for name, value in fields.items()}, list(dict.fromkeys(found))
