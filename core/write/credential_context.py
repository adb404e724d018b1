"""Credentials that are known by what stands beside them: the name they are given to, the command they are typed into.

`password is …`, `API_KEY=…`, `--token …`, `mysql -p…`, a `.netrc` line, the words of a wallet. Each name found is
looked at with what follows it within some hundred characters, so the cost is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.write.credential_values import is_hex, is_key, is_mixed, is_password, is_placeholder, is_random

Span = tuple[int, int, str]

FARTHEST = 700  # characters after a name that are looked at

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

# What a name ends with, and then a sign, a verb or nothing before the value.
_REST = r"(?P<rest>[A-Za-z0-9_-]{0,40}+)[\"'`\])]{0,2}"
_SIGN = r"\s{0,5}(?:=>|:=|={1,3}|::?|\uff1a|\uff1d|->|\u2192)\s{0,5}"
_VERB = (
    r"\s{1,3}(?:is|was|ist|war|lautete?|hei(?:ß|ss)t|est|es|to|are|becomes)"
    r"(?:\s{1,3}(?:now|still|set to|called))?:?\s{1,3}"
    r"|\s{0,2}[是为為は]\s{0,2}"
)
_COLON = r"\s{0,2}(?:(?:[=:]|->|\u2192)\s{1,5}|[\uff1a\uff1d])"
_GAP = r"(?:\s{1,3}[\w'\u2019./@&()-]{1,30}){0,6}?"
_VALUE = (
    r"(?:[\"'`\u201c\u2018](?P<quoted>[^\"'`\u201d\u2019\n]{4,400})[\"'`\u201d\u2019]"
    r"|(?P<bare>[^\s\"'`,;&<>\u201c\u201d]{4,400}))"
)
_FURTHER = re.compile(r"(?:[^\s\"'`,;&<>]|&(?![\w-]{1,40}=))*+")  # the rest of a long value, up to another parameter
_GIVEN = re.compile(_REST + _SIGN + _VALUE)
_TOLD = re.compile(rf"{_REST}{_GAP}(?:{_VERB}|{_COLON}){_VALUE}")
_BESIDE = re.compile(rf"{_REST}\s{{1,3}}{_VALUE}")

# `token_hash`, `secret_name`, `tokenizer`: not what it is, but something about it.
_ABOUT = frozenset(
    """hash hashed digest sha sha256 name type url uri path file dir length len count expiry expires ttl version
    endpoint field header policy min max ref size limit hasher reset manager prefix index second seconds at env
    arn validator validators rounds algorithm format template pattern regex hint label age days budget id ids
    store provider service class list page form input screen column variable feld spalte datei""".split()
)
# Keys and tokens that open nothing.
_HARMLESS = frozenset(
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

# A password that is typed after -p and the like, at once or, where the command takes it so, after a space.
_TYPED = r"[\"']?([^\s\"'|;]{3,100})"
_COMMANDS = tuple(
    re.compile(pattern + _TYPED)
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
# A call that is given a user and a password: `smtp.login("bot", "…")`, `connect("host", "user", "…")`.
_TEXT = r"(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})')"
_NEXT = rf"\s{{0,5}},\s{{0,5}}{_TEXT}"
_CALLED = re.compile(rf"(?i)(login|auth|authenticate|connect)\(\s{{0,5}}{_TEXT}{_NEXT}(?:{_NEXT})?")
_CALLED_HINTS = ("login(", "auth(", "authenticate(", "connect(")
_COOKIE = re.compile(r"(?i)cookie[\"']?\s{0,3}[:=]?\s{0,3}[\"']?([^\n\"']{1,2000})")
_COOKIE_PAIR = re.compile(r"(?<![\w.-])([\w.-]{1,60})=([^\s;,]{32,1000})")
_NETRC = re.compile(
    r"(?:\bmachine\s{1,5}\S{1,200}|\bdefault)\s{1,5}login\s{1,5}\S{1,200}\s{1,5}password\s{1,5}(\S{3,200})"
)
# Variables that a program reads a password from: whatever is given to them is one, be it a plain word.
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
_OF_SENTENCES = frozenset(
    """the and for from with are was not but must has have had been its his her their them they which where whose into
    onto than then your yours our ours were will would should could may might can cannot does did never when
    while please also words twelve""".split()
)
_AWS = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_AWS_NEAR = 120
_AWS_HINTS = ("aws", "akia", "asia", "amazon", "s3")


def spans(text: str, low: str) -> Iterator[Span]:
    """Yield where credentials stand that their surroundings tell, and of which kind; `low` is the text in small
    letters."""
    if _holds_any(low, _COMMAND_HINTS):
        yield from _typed(text)
    if _holds_any(low, _CALLED_HINTS):
        yield from _called(text)
    if "cookie" in low:
        yield from _cookies(text)
    if "password" in low or "pass=" in low or "mysql_pwd" in low or "rediscli_auth" in low:
        yield from _groups(_NETRC, text)
        for span in _groups(_VARIABLE, text):
            if not _is_left_out(text[span[0] : span[1]]):
                yield span
    if _holds_any(low, _PHRASE_HINTS):
        yield from _phrases(text)
    if _holds_any(low, _NAME_HINTS):
        yield from _named(text)
    if _holds_any(low, _AWS_HINTS):
        yield from _beside_aws(text, low)


def _holds_any(low: str, hints: Sequence[str]) -> bool:
    for hint in hints:  # noqa: SIM110 (a generator takes four times as long, for nearly every text)
        if hint in low:
            return True
    return False


def is_named(name: str, value: str) -> bool:
    """Return whether a value is a credential because a field of this name holds it."""
    found = [match for match in _NAME.finditer(name) if not _is_about(name[match.end() :])]
    if not found or _is_harmless(name[: found[-1].start()]):
        return False
    return is_password(value) if found[-1][1] else bool(found[-1][2]) and is_key(value)


def _typed(text: str) -> Iterator[Span]:
    for pattern in _COMMANDS:
        for span in _groups(pattern, text):
            value = text[span[0] : span[1]]
            is_told = pattern is _COMMANDS[3]  # by words, which are said of much else too
            if is_password(value) if is_told else not (is_placeholder(value) or value.isdigit()):
                yield (*span[:2], "password at a prompt")
    for start, end, _ in _groups(_LOOSE_FLAG, text):
        if _has_all_kinds(text[start:end]):
            yield start, end, "password at a prompt"


def _called(text: str) -> Iterator[Span]:
    for match in _CALLED.finditer(text):
        is_of_users = match[1].lower() != "connect"  # which is said of hosts, databases and signals too
        for group in (4, 5, 6, 7):
            value = match[group] or ""
            if is_password(value) and " " not in value and (is_of_users or _is_chosen(value)):
                yield (*match.span(group), PASSWORD)


def _is_chosen(value: str) -> bool:
    """Return whether a value is mixed as no name of a host, a database or a file is."""
    return _has_all_kinds(value) or any(not char.isalnum() and char not in "-_./:@?=&" for char in value)


def _cookies(text: str) -> Iterator[Span]:
    """Yield what a session is known by: a long value made by chance, in the header or the option that sends it."""
    for cookies in _COOKIE.finditer(text):
        for match in _COOKIE_PAIR.finditer(text, *cookies.span(1)):
            if "srf" not in match[1].lower() and is_random(match[2]) and not is_placeholder(match[2]):
                yield (*match.span(2), "session cookie")


def _has_all_kinds(value: str) -> bool:
    return any(map(str.islower, value)) and any(map(str.isupper, value)) and any(map(str.isdigit, value))


def _groups(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for match in pattern.finditer(text):
        yield (*match.span(1), PASSWORD)


def _is_left_out(value: str) -> bool:
    return is_placeholder(value) or ("_" in value and value.replace("_", "").isalpha())


def _phrases(text: str) -> Iterator[Span]:
    for name in _PHRASE_NAME.finditer(text):
        match = _PHRASE.match(text, name.end(), name.end() + 400)
        if match and not _OF_SENTENCES & set(re.findall("[a-z]+", match[1])):
            yield (*match.span(1), PHRASE)


def _named(text: str) -> Iterator[Span]:
    looked_at = 0  # what was given to one name is not searched for others, or a run of names would be read for each
    for name in _NAME.finditer(text):
        if name.start() < looked_at or _is_harmless(text[max(0, name.start() - 40) : name.start()]):
            continue
        for pattern in (_GIVEN, _TOLD, _BESIDE):
            match = pattern.match(text, name.end(), name.end() + FARTHEST)
            if match is None or _is_about(match["rest"]):
                continue
            is_quoted = match["quoted"] is not None
            start, end = match.span("quoted" if is_quoted else "bare")
            end = end if is_quoted else _end_of(text, end)
            if pattern is _GIVEN:
                looked_at = end
            end = end if is_quoted else _without_signs(text, start, end)
            value = text[start:end]
            is_flag = pattern is _BESIDE and _is_flag(text, name)
            how = _GIVEN if is_flag else pattern
            if _is_password(value, how, is_quoted) if name[1] else _is_key(value, how, is_strong=bool(name[2])):
                yield start, end, PASSWORD if name[1] else SECRET
                looked_at = end
                break


def _end_of(text: str, end: int) -> int:
    match = _FURTHER.match(text, end)
    return match.end() if match else end


def _is_password(value: str, how: re.Pattern[str], is_quoted: bool) -> bool:
    if how is _BESIDE:  # nothing but its looks tells it, after the bare word
        return is_password(value, least=8) and (_has_all_kinds(value) or _NUMBERED.fullmatch(value) is not None)
    if " " in value:
        return is_quoted and how is _GIVEN and _is_spoken(value)
    return is_password(value)


def _is_key(value: str, how: re.Pattern[str], *, is_strong: bool) -> bool:
    if " " in value or is_placeholder(value):
        return False
    if not is_strong:  # `key` alone is said of much: only a random-looking value that is assigned to it
        return how is not _BESIDE and len(value) >= 20 and is_random(value) and not _is_path(value)
    if how is _GIVEN:
        return is_key(value)
    return len(value) >= 16 and is_random(value) and not _is_path(value)


def _is_spoken(value: str) -> bool:
    """Return whether words in quotes are a pass phrase: several, of letters, and no code or address."""
    return len(value) >= 12 and not is_placeholder(value) and all(word.isalnum() for word in value.split())


def _beside_aws(text: str, low: str) -> Iterator[Span]:
    """Yield a secret access key has no prefix: forty characters of base64, near a word of whose it is."""
    for match in _AWS.finditer(text):
        near = low[max(0, match.start() - _AWS_NEAR) : match.end() + _AWS_NEAR]
        is_near = any(hint in near for hint in _AWS_HINTS) and not any(word in near for word in ("sha", "integrity"))
        if is_near and is_mixed(match[0]) and not is_hex(match[0]):
            yield (*match.span(), "AWS secret key")


def _without_signs(text: str, start: int, end: int) -> int:
    """Return where a value ends without the signs that end a sentence or a bracket, which are not its own."""
    while end > start and text[end - 1] in ".,;:?)]}\u3002\uff0c":
        end -= 1
    return end


def _is_about(rest: str) -> bool:
    rest = rest[1:] if rest[:1] in ("s", "S") and not rest[1:2].islower() else rest
    words = _SPLIT_CAMEL.findall(rest)
    return (rest[:2].islower() and rest[:2].isalpha()) or (bool(words) and words[-1].lower() in _ABOUT)


def _is_harmless(before: str) -> bool:
    """Return whether the word before a name says that it opens nothing: `cache key`, `next_page_token`, `csrfToken`."""
    match = _WORD_BEFORE.search(before)
    words = _SPLIT_CAMEL.findall(match[1]) if match else []
    return bool(words) and words[-1].lower() in _HARMLESS


def _is_flag(text: str, name: re.Match[str]) -> bool:
    return _FLAG.search(text[max(0, name.start() - 32) : name.start()]) is not None


def _is_path(value: str) -> bool:
    return "://" in value or (value.count("/") > 1 and "=" not in value and not is_mixed(value))
