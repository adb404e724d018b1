"""The terms of a text that no synonym can replace: names, numbers, identifiers, paths, quoted strings and symbols.

Two texts that differ in one of these state different facts, however similar they are. They are recognised by their form
alone; a name in lower case (`alpha`) is not, and is found by its position (`duplicate`). Every function is linear in
the length of its text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from core import text

_CHUNK = re.compile(r"[^\s,;:!?()\"']+")
_DIGIT = re.compile(r"\d")

# A token between spaces, brackets and quotes; a path or an address keeps its colons.
_TOKEN = re.compile(r"[^\s,;!?()\[\]{}<>\"'`“”«»「」『』]+")
_IDENTIFIER = re.compile(r"[/\\_@#=+*&$%~|^]|\w[.:]\w|^--?\w|^\.\w|[a-z][A-Z]")
_SIGNS = frozenset(("Sm", "So", "Sc"))  # Unicode's categories: mathematical and other symbols, currencies
_QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|“([^”\n]{1,200})”|«([^»\n]{1,200})»|「([^」\n]{1,200})」|『([^』\n]{1,200})』"
    r"|(?<!\w)'([^'\n]{1,200})'(?!\w)"
)


def numbers(content: str) -> list[str]:
    """Return everything with a digit in it, as written: `3.11`, `v2`, `10:30` as `10` and `30`."""
    return [chunk for chunk in _CHUNK.findall(content) if _DIGIT.search(chunk)]


def without_numbers(content: str) -> str:
    """Return the text with a space in place of everything with a digit."""
    return _CHUNK.sub(lambda chunk: " " if _DIGIT.search(chunk[0]) else chunk[0], content)


def are_equal(a: str, b: str) -> bool:
    """Return whether two texts have the same numbers and symbols, equally often, and the same identifiers, paths, names
    and quoted strings; a name in any case, and a quoted string with or without its quotes."""
    first, second = (Counter((*signs(side), *(each.rstrip(".") for each in numbers(side)))) for side in (a, b))
    return first == second and not _has_terms_missing_in(a, b) and not _has_terms_missing_in(b, a)


def signs(content: str) -> list[str]:
    """Return the symbols of a text in their order: `<`, `→`, `€`, `✅`."""
    return [char for char in text.normalise(content) if unicodedata.category(char) in _SIGNS]


def quotations(content: str) -> list[str]:
    """Return the quoted strings of a text in order, with normalised spacing."""
    return [" ".join("".join(groups).split()) for groups in _QUOTED.findall(content)]


def _has_terms_missing_in(content: str, other: str) -> bool:
    tokens = {_bare(token) for token in _TOKEN.findall(other)}
    words = set(map(text.rough_stem, text.all_query_words(other)))
    whole = " ".join(other.split())
    return (
        any(each not in tokens for each in _identifiers(content))
        or any(text.rough_stem(word) not in words for name in _names(content) for word in text.all_query_words(name))
        or any(each not in whole for each in quotations(content))
    )


def _identifiers(content: str) -> Iterator[str]:
    """Return identifiers, paths, addresses and command options, recognised by their symbols or an inner capital."""
    return (_bare(token) for token in _TOKEN.findall(content) if _IDENTIFIER.search(token) and _bare(token))


def _names(content: str) -> Iterator[str]:
    """Return words with an initial capital that are no stop words. The first word of a sentence counts too: an ordinary
    word there is found in lower case in the other text."""
    return (
        token
        for token in _TOKEN.findall(content)
        if token[0].isupper() and not _IDENTIFIER.search(token) and _bare(token).casefold() not in text.STOP_WORDS
    )


def _bare(token: str) -> str:
    """Return a token without trailing punctuation and list marks; a path keeps its leading dots."""
    return token.lstrip(":…–—").rstrip(".:…–—")
