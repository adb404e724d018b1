"""Credentials recognised by their context: the name they are assigned to, the command they are typed into.

`password is …`, `API_KEY=…`, `--token …`, `mysql -p…`, a `.netrc` line, the words of a wallet. Of the text after each
name some hundred characters are searched, so the cost is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from core.write.credential_values import is_hex, is_key, is_mixed, is_password, is_placeholder, is_random

Span = tuple[int, int, str]

MAX_NAME_CHARS = 60  # of a field's name whose verdict is kept
MAX_DISTANCE_CHARS = 700  # after a name: how far a value is searched for

PASSWORD, SECRET, PHRASE = "password", "secret", "seed phrase"
_NAME_HINTS = (
    "pass", "pw", "psk", "key", "secret", "token", "credential", "kennwort", "contrase", "senha", "парол", "密码",
    "密碼", "パスワード", "비밀번호",
)  # fmt: skip
_PASSWORD_NAME = (
    "passwor[dt]|passwd|passphrase|passcode|pwd|(?<![a-z])(?:pass|pw|psk)(?![a-z])|kennwort|mot de passe"
    "|contrase[ñn]a|senha|парол[ья]|密码|密碼|パスワード|비밀번호"
)
_KEY_NAME = (
    r"secret(?:[ _-]?(?:access[ _-]?)?key)?|token|credential|(?:api|access|account|auth|app|encryption|encrypt|signing"
    r"|private|master|license|licence|service|shared[ _-]?access|storage|subscription|session|webhook|deploy)[ _-]?key"
)
_NAME = re.compile(rf"({_PASSWORD_NAME})|({_KEY_NAME})|(?<![a-z])key", re.IGNORECASE)

# The end of a name, then an operator, a verb or nothing, then the value.
_REST_OF_NAME = r"(?P<rest>[A-Za-z0-9_-]{0,40}+)[\"'`\])]{0,2}"
_SIGN = r"\s{0,5}(?:=>|:=|={1,3}|::?|\uff1a|\uff1d|->|\u2192)\s{0,5}"
_VERB = (
    r"\s{1,3}(?:is|was|ist|war|lautete?|hei(?:ß|ss)t|est|es|to|are|becomes)"
    r"(?:\s{1,3}(?:now|still|set to|called))?:?\s{1,3}"
    r"|\s{0,2}[是为為は]\s{0,2}"
)
_COLON = r"\s{0,2}(?:(?:[=:]|->|\u2192)\s{1,5}|[\uff1a\uff1d])"
_WORDS_BETWEEN = r"(?:\s{1,3}[\w'\u2019./@&()-]{1,30}){0,6}?"
_VALUE = (
    r"(?:[\"'`\u201c\u2018](?P<quoted>[^\"'`\u201d\u2019\n]{4,400})[\"'`\u201d\u2019]"
    r"|(?P<bare>[^\s\"'`,;&<>\u201c\u201d]{4,400}))"
)
# The rest of a long value, up to another parameter of a URL.
_REST_OF_VALUE = re.compile(r"(?:[^\s\"'`,;&<>]|&(?![\w-]{1,40}=))*+")
_ASSIGNED = re.compile(_REST_OF_NAME + _SIGN + _VALUE)
_IN_SENTENCE = re.compile(rf"{_REST_OF_NAME}{_WORDS_BETWEEN}(?:{_VERB}|{_COLON}){_VALUE}")
_ADJACENT = re.compile(rf"{_REST_OF_NAME}\s{{1,3}}{_VALUE}")

# `token_hash`, `secret_name`, `tokenizer`: data about a secret, not the secret.
_METADATA_WORDS = frozenset(
    """hash hashed digest sha sha256 name type url uri path file dir length len count expiry expires ttl version
    endpoint field header policy min max ref size limit hasher reset manager prefix index second seconds at env
    arn validator validators rounds algorithm format template pattern regex hint label age days budget id ids
    store provider service class list page form input screen column variable feld spalte datei""".split()
)
# Words before `key` and `token` that are no credentials.
_HARMLESS_WORDS = frozenset(
    """cache primary partition idempotency foreign sort public host gpg pgp object redis map dict json row column
    composite natural surrogate unique index range hash lookup message pagination paging routing dedup
    deduplication page next continuation cursor sync lexer parser cancellation csrf xsrf stop pad padding start
    end special design answer turnkey hot arrow tab enter escape registry translation i18n react list group by
    storage_path s3 bucket config feature publishable pubkey fencing resume change snapshot query tracing trace
    correlation anon cache_key song music""".split()
)
_WORD_BEFORE = re.compile(r"([A-Za-z0-9]{1,30})(?:'s)?[ _-]?$")
_SPLIT_CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_NUMBERED = re.compile(r"[a-z]{3,12}\d{3,6}")
_FLAG = re.compile(r"(?<![\w-])--?[\w-]{0,30}$")

# A password typed after -p and similar options, directly or, where the command allows it, after a space.
_TYPED_VALUE = r"[\"']?([^\s\"'|;]{3,100})"
_COMMANDS = tuple(
    re.compile(pattern + _TYPED_VALUE)
    for pattern in (
        r"\b(?:mysql\w{0,10}|mariadb[\w-]{0,9}|7z\w?|u?n?rar)\b(?:[ \t]{1,5}(?!-p)[^\s|;&]{1,80}){0,12}?[ \t]{1,5}-p",
        r"\b(?:sshpass|mongo\w{0,10}|(?:docker|podman|helm registry|az) login)\b[^\n|;]{0,120}?[ \t]-p[ \t]?",
        r"\b(?:curl|wget|http|https|xh)\b[^\n|]{0,200}?[ \t](?:-u|--user|-a)[ \t=]{1,5}[\"']?[^\s:\"']{1,100}:",
        r"(?i)\b(?:basic auth\w{0,10}|credentials?|creds|login)[ :=]{1,3}(?:(?:with|as|is|are) )?[\w.@-]{1,40}:",
        r"\b(?:redis-cli|sqlcmd|ldapsearch|unzip|smbclient)\b[^\n|;]{0,120}?[ \t]-[aPwU][ \t]?",
    )
)
_COMMAND_HINTS = ("-p", " -u", "--user", " -a", " -w", "basic auth", "cred", "login")
_LOOSE_FLAG = re.compile(r"(?<!\S)-p[\"']?([A-Za-z0-9!#$%^&*_+=?@~-]{8,100})")
# A call with a user and a password as arguments: `smtp.login("bot", "…")`, `connect("host", "user", "…")`.
_TEXT = r"(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})')"
_NEXT_ARGUMENT = rf"\s{{0,5}},\s{{0,5}}{_TEXT}"
_LOGIN_CALL = re.compile(
    rf"(?i)(login|auth|authenticate|connect)\(\s{{0,5}}{_TEXT}{_NEXT_ARGUMENT}(?:{_NEXT_ARGUMENT})?"
)
_LOGIN_CALL_HINTS = ("login(", "auth(", "authenticate(", "connect(")
_COOKIE = re.compile(r"(?i)cookie[\"']?\s{0,3}[:=]?\s{0,3}[\"']?([^\n\"']{1,2000})")
_COOKIE_PAIR = re.compile(r"(?<![\w.-])([\w.-]{1,60})=([^\s;,]{32,1000})")
_NETRC = re.compile(
    r"(?:\bmachine\s{1,5}\S{1,200}|\bdefault)\s{1,5}login\s{1,5}\S{1,200}\s{1,5}password\s{1,5}(\S{3,200})"
)
# Variables that a program reads a password from: any value of them is one, even an ordinary word.
_VARIABLE = re.compile(
    r"\b(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|[A-Z0-9_]{1,40}_PASSWORD|[A-Z0-9_]{1,40}_PASSWD)="
    r"[\"']?([^\s\"';,]{4,200})"
)
_PHRASE_NAME = re.compile(
    r"(?i)seed[ _-]?(?:phrase|words?)?|mnemonic|recovery[ _-]?(?:phrase|words?)|secret[ _-]?(?:recovery[ _-]?)?phrase"
    r"|wallet|backup[ _-]words|bip-?39|metamask|助记词"
)
_PHRASE_HINTS = ("seed", "mnemonic", "phrase", "wallet", "bip", "metamask", "助记词", "words")
_PHRASE_WORD = r"(?:\d{1,2}[.):][ ]?)?[a-z]{3,8}"
_PHRASE = re.compile(
    r"(?:[^\n]{0,60}?(?:[:=\u2192\uff1a]|\b(?:is|was|are))\s{0,3}|\s{1,3})[\"'`(]?"
    rf"((?:{_PHRASE_WORD}[ ,\n\t]{{1,3}}){{11,23}}{_PHRASE_WORD})(?![A-Za-z])"
)
_SENTENCE_WORDS = frozenset(
    """the and for from with are was not but must has have had been its his her their them they which where whose into
    onto than then your yours our ours were will would should could may might can cannot does did never when
    while please also words twelve""".split()
)
_AWS = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_AWS_DISTANCE_CHARS = 120
_AWS_HINTS = ("aws", "akia", "asia", "amazon", "s3")


def spans(text: str, lowered: str) -> Iterator[Span]:
    """Yield the spans of credentials that their context reveals, with their kind; `lowered` is the text in lower
    case."""
    if _holds_any(lowered, _COMMAND_HINTS):
        yield from _in_commands(text)
    if _holds_any(lowered, _LOGIN_CALL_HINTS):
        yield from _in_calls(text)
    if "cookie" in lowered:
        yield from _cookies(text)
    if "password" in lowered or "pass=" in lowered or "mysql_pwd" in lowered or "rediscli_auth" in lowered:
        yield from _groups(_NETRC, text)
        for span in _groups(_VARIABLE, text):
            if not _is_no_password(text[span[0] : span[1]]):
                yield span
    if _holds_any(lowered, _PHRASE_HINTS):
        yield from _phrases(text)
    if _holds_any(lowered, _NAME_HINTS):
        yield from _in_named_values(text)
    if _holds_any(lowered, _AWS_HINTS):
        yield from _aws_secret_keys(text, lowered)


def _holds_any(lowered: str, hints: Sequence[str]) -> bool:
    for hint in hints:  # noqa: SIM110 (a generator takes four times as long, for nearly every text)
        if hint in lowered:
            return True
    return False


def is_credential_field(name: str, value: str) -> bool:
    """Return whether a value is a credential because of the name of its field."""
    holds = _held_by_short(name) if len(name) <= MAX_NAME_CHARS else _held_by(name)
    return holds is not None and (is_password(value) if holds == PASSWORD else is_key(value))


def _held_by(name: str) -> str | None:
    """Return which credential a field of this name holds: a password, a key, or none."""
    found = [match for match in _NAME.finditer(name) if not _is_metadata(name[match.end() :])]
    if not found or _is_harmless(name[: found[-1].start()]):
        return None
    return PASSWORD if found[-1][1] else SECRET if found[-1][2] else None


# The record of every call has the same field names: judging them again took 6 % of a server's time.
_held_by_short = lru_cache(maxsize=1024)(_held_by)


def _in_commands(text: str) -> Iterator[Span]:
    for pattern in _COMMANDS:
        for span in _groups(pattern, text):
            value = text[span[0] : span[1]]
            is_prose = pattern is _COMMANDS[3]  # these words also occur in ordinary prose
            if is_password(value) if is_prose else not (is_placeholder(value) or value.isdigit()):
                yield (*span[:2], "password at a prompt")
    for start, end, _ in _groups(_LOOSE_FLAG, text):
        if _mixes_cases_and_digits(text[start:end]):
            yield start, end, "password at a prompt"


def _in_calls(text: str) -> Iterator[Span]:
    for match in _LOGIN_CALL.finditer(text):
        is_of_users = match[1].lower() != "connect"  # `connect` is also called with hosts, databases and signals
        for group in (4, 5, 6, 7):
            value = match[group] or ""
            if is_password(value) and " " not in value and (is_of_users or _is_unlike_names(value)):
                yield (*match.span(group), PASSWORD)


def _is_unlike_names(value: str) -> bool:
    """Return whether a value mixes characters as no name of a host, a database or a file does."""
    return _mixes_cases_and_digits(value) or any(not char.isalnum() and char not in "-_./:@?=&" for char in value)


def _cookies(text: str) -> Iterator[Span]:
    """Yield session cookies: long random values, in the header or the option that sends them."""
    for cookies in _COOKIE.finditer(text):
        for match in _COOKIE_PAIR.finditer(text, *cookies.span(1)):
            if "srf" not in match[1].lower() and is_random(match[2]) and not is_placeholder(match[2]):
                yield (*match.span(2), "session cookie")


def _mixes_cases_and_digits(value: str) -> bool:
    return any(map(str.islower, value)) and any(map(str.isupper, value)) and any(map(str.isdigit, value))


def _groups(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for match in pattern.finditer(text):
        yield (*match.span(1), PASSWORD)


def _is_no_password(value: str) -> bool:
    return is_placeholder(value) or ("_" in value and value.replace("_", "").isalpha())


def _phrases(text: str) -> Iterator[Span]:
    for name in _PHRASE_NAME.finditer(text):
        match = _PHRASE.match(text, name.end(), name.end() + 400)
        if match and not _SENTENCE_WORDS & set(re.findall("[a-z]+", match[1])):
            yield (*match.span(1), PHRASE)


def _in_named_values(text: str) -> Iterator[Span]:
    searched_to = 0  # a value is not searched for further names, so that a run of names takes linear time
    for name in _NAME.finditer(text):
        if name.start() < searched_to or _is_harmless(text[max(0, name.start() - 40) : name.start()]):
            continue
        for pattern in (_ASSIGNED, _IN_SENTENCE, _ADJACENT):
            match = pattern.match(text, name.end(), name.end() + MAX_DISTANCE_CHARS)
            if match is None or _is_metadata(match["rest"]):
                continue
            is_quoted = match["quoted"] is not None
            start, end = match.span("quoted" if is_quoted else "bare")
            end = end if is_quoted else _end_of(text, end)
            if pattern is _ASSIGNED:
                searched_to = end
            end = end if is_quoted else _without_punctuation(text, start, end)
            value = text[start:end]
            is_flag = pattern is _ADJACENT and _is_flag(text, name)
            how = _ASSIGNED if is_flag else pattern
            if _is_password(value, how, is_quoted) if name[1] else _is_key(value, how, is_strong=bool(name[2])):
                yield start, end, PASSWORD if name[1] else SECRET
                searched_to = end
                break


def _end_of(text: str, end: int) -> int:
    match = _REST_OF_VALUE.match(text, end)
    return match.end() if match else end


def _is_password(value: str, how: re.Pattern[str], is_quoted: bool) -> bool:
    if how is _ADJACENT:  # only its characters can show it
        return is_password(value, min_chars=8) and (
            _mixes_cases_and_digits(value) or _NUMBERED.fullmatch(value) is not None
        )
    if " " in value:
        return is_quoted and how is _ASSIGNED and _is_passphrase(value)
    return is_password(value)


def _is_key(value: str, how: re.Pattern[str], *, is_strong: bool) -> bool:
    if " " in value or is_placeholder(value):
        return False
    if not is_strong:  # `key` alone has many meanings: only a random value assigned to it counts
        return how is not _ADJACENT and len(value) >= 20 and is_random(value) and not _is_path(value)
    if how is _ASSIGNED:
        return is_key(value)
    return len(value) >= 16 and is_random(value) and not _is_path(value)


def _is_passphrase(value: str) -> bool:
    """Return whether quoted words are a passphrase: several alphanumeric words, no code and no address."""
    return len(value) >= 12 and not is_placeholder(value) and all(word.isalnum() for word in value.split())


def _aws_secret_keys(text: str, lowered: str) -> Iterator[Span]:
    """Yield AWS secret access keys. They have no prefix: forty characters of base64 near a word such as `aws`."""
    for match in _AWS.finditer(text):
        near = lowered[max(0, match.start() - _AWS_DISTANCE_CHARS) : match.end() + _AWS_DISTANCE_CHARS]
        is_near = any(hint in near for hint in _AWS_HINTS) and not any(word in near for word in ("sha", "integrity"))
        if is_near and is_mixed(match[0]) and not is_hex(match[0]):
            yield (*match.span(), "AWS secret key")


def _without_punctuation(text: str, start: int, end: int) -> int:
    """Return the end of a value without the punctuation and brackets that follow it."""
    while end > start and text[end - 1] in ".,;:?)]}\u3002\uff0c":
        end -= 1
    return end


def _is_metadata(rest: str) -> bool:
    rest = rest[1:] if rest[:1] in ("s", "S") and not rest[1:2].islower() else rest
    words = _SPLIT_CAMEL.findall(rest)
    return (rest[:2].islower() and rest[:2].isalpha()) or (bool(words) and words[-1].lower() in _METADATA_WORDS)


def _is_harmless(before: str) -> bool:
    """Return whether the word before a name shows that it is no secret: `cache key`, `next_page_token`, `csrfToken`."""
    match = _WORD_BEFORE.search(before)
    words = _SPLIT_CAMEL.findall(match[1]) if match else []
    return bool(words) and words[-1].lower() in _HARMLESS_WORDS


def _is_flag(text: str, name: re.Match[str]) -> bool:
    return _FLAG.search(text[max(0, name.start() - 32) : name.start()]) is not None


def _is_path(value: str) -> bool:
    return "://" in value or (value.count("/") > 1 and "=" not in value and not is_mixed(value))
