"""What distinguishes a password or a key from ordinary words, names and code."""

from __future__ import annotations

import base64
import re

# Runs of letters of one case (possibly after a capital) or of digits: few in words, many and short in random values.
_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_PARTS = re.compile(r"[-_./:@+ ]+")
_WORD = re.compile(r"[A-Za-z]+\d{0,3}|v?\d{1,4}(?:\.\d+)?|\d{1,4}[a-z]{0,4}")
_CALL = re.compile(r"(?<![\w.$])[A-Za-z_$][\w.$]*+[\[({]")
_DOTTED = re.compile(r"(?<![\w.])[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)+")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")
_NUMBERED = re.compile(r"[A-Za-z]{0,30}\d{2,4}")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_CODE_MARKS = (
    "->",
    "=>",
    "::",
    "](",
    ")(",
    "process.env",
    "os.environ",
    "environ.",
    "secrets.",
    "config.",
    "settings.",
)
_PLACEHOLDER_STARTS = (
    *"<${[(%*#&|/~.\\",
    "http://",
    "https://",
    "file:",
    "env:",
    "ref:",
    "op://",
    "vault:",
    "arn:",
    "your",
    "my-",
    "my_",
)
_PLACEHOLDER_MARKS = (
    "example", "placeholder", "changeme", "change-me", "change_me", "redacted", "dummy", "-here", "_here", "xxx", "***",
    "...", "\u2026",
)  # fmt: skip
_COMMON_VALUES = frozenset(
    """password passwd passphrase pass pwd secret token key user username admin root test testing none null nil true
    false undefined string required optional empty todo foo bar baz n/a str bytes int bool text hidden unknown
    missing invalid default value postgres guest password1 password123 pass123 test123 admin123 secret123
    changeit letmein""".split()
)
# Names of algorithms and versions, which mix characters as passwords do.
_TERM = re.compile(
    r"(?:sha|md|aes|rsa|hmac|base|utf|argon|pbkdf|bcrypt|scrypt|oauth|saml|rfc|iso|x509|ed25519|hs|rs|es|tls|ssl|http|ipv"
    r"|python|node|ntlm|pkcs|[12]fa|mfa|sso|totp|jwt)[-_]?v?\d*[a-z]{0,3}(?:[-_/.][a-z]+)*"
    r"|(?<!\d)\d{1,4}+[-\u2013]?[a-z]+(?:[-\u2013][a-z]+)*",
    re.IGNORECASE,
)


def is_placeholder(value: str) -> bool:
    """Return whether a value only stands for a credential: `<password>`, `${TOKEN}`, `changeme`, `os.environ[…`, a
    path, a URL."""
    if value.startswith(_PLACEHOLDER_STARTS) and not (value[0] == "/" and is_mixed(value)):
        return True
    if value.lower() in _COMMON_VALUES or any(mark in value for mark in (*_PLACEHOLDER_MARKS, *_CODE_MARKS)):
        return True
    return _CALL.match(value) is not None or (_CONSTANT.fullmatch(value) is not None and _is_words(value))


def is_random(value: str) -> bool:
    """Return whether a value looks random: its runs are too short for words. Linear in its length."""
    if len(value) < 12 or not any(char.isalpha() for char in value):
        return False
    if _is_words(value):
        return False
    runs = _RUNS.findall(value)
    mean = sum(map(len, runs)) / max(len(runs), 1)
    has_digit = any(char.isdigit() for char in value)
    if not has_digit:  # capitals within words, as in random values
        return len(value) >= 20 and mean < 2.5
    return mean < (4 if len(value) >= 20 else 3) and len(set(value)) >= min(8, len(value) // 2)


def is_mixed(value: str) -> bool:
    """Return whether a value has lower case, capitals and digits, and no words."""
    kinds = (any(map(str.islower, value)), any(map(str.isupper, value)), any(map(str.isdigit, value)))
    return all(kinds) and is_random(value)


def is_encoded_pair(value: str) -> bool:
    """Return whether a value is base64 of a user, a colon and a credential, as in `"auth"` of a docker
    configuration."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except ValueError:
        return False
    user, _, password = decoded.partition(":")
    return bool(user) and len(password) >= 4 and decoded.isprintable() and not is_placeholder(password)


def is_hex(value: str) -> bool:
    return _HEX.fullmatch(value) is not None


def is_key(value: str) -> bool:
    """Return whether a value assigned to the name of a key or token may be one: letters and digits that are no name."""
    if len(value) < 8 or is_placeholder(value) or _is_words(value) or _is_attribute(value):
        return False
    has_letter, has_digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return has_letter and (has_digit or is_random(value)) and len(set(value)) >= 6


def is_password(value: str, *, min_chars: int = 6) -> bool:
    """Return whether a value assigned to the name of a password may be one: letters with digits, or with symbols among
    them."""
    if len(value) < min_chars or is_placeholder(value) or len(set(value.lower())) < 5:
        return False
    if _TERM.fullmatch(value) or _is_attribute(value):
        return False
    parts = [part for part in _PARTS.split(value) if part]
    if len(parts) > 1 and _is_words(value) and not _is_password_of_words(parts):
        return False
    has_digit = any(map(str.isdigit, value))
    has_sign = any(not char.isalnum() and char not in "-_./:'\u2019" for char in value[1:-1])
    return any(map(str.isalpha, value)) and (has_digit or has_sign)


def _is_attribute(value: str) -> bool:
    """Return whether a value is a reference in code: `var.db_password`, `django.contrib.auth.hashers.Argon2`."""
    return _DOTTED.fullmatch(value) is not None and not is_random(value)


def _is_password_of_words(parts: list[str]) -> bool:
    """Return whether words are combined as in passwords of people: `blue-whale-77`, `correct-Horse-9-staple`."""
    ends_in_number = _NUMBERED.fullmatch(parts[-1]) is not None and _TERM.fullmatch(parts[-1]) is None
    has_capital_inside = any(part[0].isupper() for part in parts[1:]) and parts[0].islower()
    return ends_in_number or (has_capital_inside and any(part.isdigit() for part in parts))


def _is_words(value: str) -> bool:
    """Return whether a value is a name: words, possibly with a number, and separators."""
    parts = [part for part in _PARTS.split(value) if part]
    return all((_WORD.fullmatch(part) or _TERM.fullmatch(part)) and not _is_scrambled(part) for part in parts)


def _is_scrambled(part: str) -> bool:
    """Return whether a run of letters is no word, by the number of its case changes: `kXqPzWvTb`."""
    runs = _RUNS.findall(part)
    return len(part) >= 12 and sum(map(len, runs)) / max(len(runs), 1) < 2.5
