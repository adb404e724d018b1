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
    """What a secret looks like; `group`, or where that is empty the next, is the part that is the secret itself."""

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


# A variable in capitals, plain words with perhaps a number, or code that fetches the value: TOKEN, bearer_v2_token,
# hashed-with-bcrypt-12-rounds, get_token(), os.environ[…
_NAME = re.compile(r"[A-Z][A-Z0-9_]*$|[a-z]+(?:[_.-](?:[a-z]+|v?\d{1,4}))*$|[A-Za-z_][\w.]*[\[(]")
_KEY_LINE = r"PRIVATE KEY-----"
_ASSIGNED = (
    r"""(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[ _-]?key|access[ _-]?key|account[ _-]?key|auth[ _-]?token)"""
)

# Every repetition is bounded: a text made to be slow must not hold up a write.
RULES = (
    Rule(
        "private key",
        re.compile(
            rf"-----BEGIN (?:[A-Z0-9]{{1,20}} ){{0,4}}{_KEY_LINE}"
            rf".*?(?:-----END (?:[A-Z0-9]{{1,20}} ){{0,4}}{_KEY_LINE}|\Z)",
            re.S,
        ),
    ),
    Rule("AWS access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    Rule("GitHub token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{50,255}\b")),
    Rule("GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{20,255}\b")),
    Rule("Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}\b")),
    Rule("Stripe key", re.compile(r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,255}\b")),
    Rule("Google API key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    Rule("npm token", re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    Rule("Hugging Face token", re.compile(r"\bhf_[A-Za-z0-9]{30,60}\b")),
    Rule("API key", re.compile(r"(?<![\w-])sk-[A-Za-z0-9_-]{20,255}\b"), 0, _is_no_placeholder),
    Rule("web token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,4000}")),
    Rule("bearer token", re.compile(r"\bBearer\s{1,5}([A-Za-z0-9._~+/-]{20,4000}=*)"), 1, _is_no_placeholder),
    Rule("basic credentials", re.compile(r"\bBasic\s{1,5}([A-Za-z0-9+/]{12,4000}={0,2})"), 1, _is_no_placeholder),
    Rule("password at a prompt", re.compile(r"\bcurl\b[^\n]{0,200}?\s-u\s{1,5}[^\s:]{1,100}:(\S{3,200})"), 1),
    Rule(
        "password in an address",
        re.compile(r"(?<![\w+.-])[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:([^\s/@]{3,200})@[^\s/]"),
        1,
        lambda value: value[0] not in "<${[*",
    ),
    Rule(
        "password",
        re.compile(
            rf"(?<![\w-])[\w-]{{0,40}}?{_ASSIGNED}[\w-]{{0,40}}[\"']?\s{{0,5}}(?:=|:|:=)\s{{0,5}}"
            r"(?:[\"']([^\"'\n]{8,200})[\"']|([^\s\"'`,;]{8,200}))",
            re.IGNORECASE,
        ),
        1,
        _is_no_placeholder,
    ),
)


def redact(text: str) -> tuple[str, list[str]]:
    """The text without its secrets, each replaced by what it was; and the kinds that were found."""
    found: list[str] = []
    for rule in RULES:

        def replaced(match: re.Match[str], rule: Rule = rule) -> str:
            group = rule.group if match[rule.group] is not None else rule.group + 1  # in quotes, or bare
            secret = match[group]
            if "[redacted" in secret or not rule.holds(secret):
                return match[0]
            found.append(rule.name)
            start, end = match.span(group)
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
