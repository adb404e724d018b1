"""Text to words: what the full-text index holds, what a query asks, what counts as the same text.

Chinese, Japanese and Korean write without spaces between words, so a run of such characters is expanded into
overlapping pairs in the *indexed* text and in the query; the engine's own tokenizer does the rest. A document also
keeps each run's last character, so that every character starts some token and a query of a single character finds it
by prefix.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

# Ideographs with extensions and compatibility forms, kana, bopomofo, Hangul.
_CJK = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
# ASCII letters to lower case and separators to spaces: finds the same words in a quarter of the time of `_WORD`.
_ASCII_WORD_CHARS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=[。！？；])")
_DERIVED = ("ation", "ment", "ance", "ence", "ure", "ist", "er", "ic", "ly", "i", "e", "y")

MAX_QUERY_WORDS = 256
MAX_SENTENCES = 30

# Function words, which match a third of any store and carry no meaning.
STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren as at be because been before being below
    between both but by can could couldn d did didn do does doesn doing don down during each few for from
    further had hadn has hasn have haven having he her here hers him his how i if in into is isn it its just
    ll m ma me might more most must mustn my no nor not now o of off on once only or other our out over own
    re s same shan she should shouldn so some such t than that the their them then there these they this
    those through to too under until up ve very was wasn we were weren what when where which while who whom
    why will with won would wouldn y you your""".split()
)


def index_text(text: str) -> str:
    """Return the text as the full-text index holds it."""
    if text.isascii():
        return text
    return _CJK_RUN.sub(lambda run: f" {' '.join(_document_pairs(run[0]))} ", normalise(text))


def normalise(text: str) -> str:
    """Return a text with one spelling of equal-looking characters: full-width letters, half-width kana, composed
    accents (NFKC)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def query_words(text: str, *, drop_stop_words: bool = True) -> list[str]:
    """Return the distinct words of a query in order, without stop words unless there are no others."""
    words = dict.fromkeys(_every_word(text))
    asked = [word for word in words if word not in STOP_WORDS] if drop_stop_words else list(words)
    return (asked or list(words))[:MAX_QUERY_WORDS]


def all_query_words(text: str) -> list[str]:
    """Return every word of a text as a query has it, with repetitions and stop words."""
    return list(_every_word(text))


def _every_word(text: str) -> Iterator[str]:
    if text.isascii():
        return iter(text.translate(_ASCII_WORD_CHARS).split())
    runs = (match[0] for match in _WORD.finditer(normalise(text)))
    return (word for run in runs for word in (_query_pairs(run) if is_cjk(run) else (run.lower(),)))


def rough_stem(word: str) -> str:
    """Return a word without its inflection: `cuts` and `cutting` give the same."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """Return the root of a word: `live` and `lives`, `allergic` and `allergy` give the same. Removes more than
    `rough_stem`."""
    stem = rough_stem(word)
    if len(stem) > 3 and stem[-1] == stem[-2] and stem.isascii() and stem.isalpha():
        stem = stem[:-1]
    for ending in _DERIVED:
        if stem.endswith(ending) and len(stem) - len(ending) >= (4 if len(ending) > 2 else 3):
            return stem if ending == "y" and stem[-2] in "aeou" else stem[: -len(ending)]
    return stem


def sentences(content: str) -> list[str]:
    """Return the first MAX_SENTENCES sentences of a text."""
    return [sentence for sentence in _SENTENCE_END.split(content) if sentence.strip()][:MAX_SENTENCES]


def is_named(name: str, asked: str) -> bool:
    """Return whether a text contains a name: as whole words, or anywhere in scripts without spaces."""
    wanted, text = _folded(name), _folded(asked)
    if not wanted or wanted not in text:
        return False
    whole = rf"(?<!\w){re.escape(wanted)}(?!\w)"
    return _CJK_RUN.search(wanted) is not None or re.search(whole, text) is not None


@lru_cache(maxsize=8192)  # the same names are looked for in one question after the other
def _folded(text: str) -> str:
    return normalise(text).casefold().strip()


def typed_words(text: str) -> tuple[list[str], list[str]]:
    """Return the complete words of a text that is being typed, and the unfinished last one, as the index holds them."""
    words = [match[0] for match in _WORD.finditer(normalise(text))][:MAX_QUERY_WORDS]
    indexed = [_query_pairs(word) if is_cjk(word) else [word] for word in words]
    return [each for word in indexed[:-1] for each in word], [each for word in indexed[-1:] for each in word]


def content_hash(text: str) -> str:
    """Return a hash that is equal for texts that differ only in case, spacing and compatible character forms."""
    same = " ".join(normalise(text).casefold().split())
    return hashlib.sha256(same.encode()).hexdigest()


def digest(*parts: str) -> bytes:
    """Return eight bytes that change with the indexed texts of a memory."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=8).digest()


def is_cjk(word: str) -> bool:
    return not word.isascii() and _CJK_RUN.fullmatch(word) is not None


def estimate_tokens(content: str) -> float:
    """Return the estimated number of tokens, at four characters a token as in English. Source: Oro, decision 5;
    OpenMem, stage 6."""
    return len(content) / 4


def _document_pairs(run: str) -> list[str]:
    return [*(run[at : at + 2] for at in range(len(run) - 1)), run[-1]]


def _query_pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def is_prefix(word: str) -> bool:
    """Return whether a query word matches as a prefix: a single character of a language without spaces."""
    return len(word) == 1 and is_cjk(word)


QUESTION_MARKS = ("?", "？")


def asks(content: str) -> bool:
    """Return whether a text holds a question mark."""
    return any(mark in content for mark in QUESTION_MARKS)
