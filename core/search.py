"""How full text is asked and what it answers: the words that the pipeline and the store have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# What of a memory full text holds, in the order of its columns.
FIELDS = ("content", "summary", "entities", "files", "tags")


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """What full text knows of one query word and one memory."""

    word: str
    documents: int
    with_word: int
    in_fields: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """All that BM25 is computed from, for one memory; `fts5_score` is what SQLite itself makes of it."""

    words: tuple[WordStatistics, ...]
    length: int
    average_length: float
    fts5_score: float


@dataclass(frozen=True, slots=True)
class TextSearch:
    """How full text is asked: which words, in which index, with which weight a field, by which formula."""

    words: tuple[str, ...]
    stemmed: bool
    weights: Mapping[str, float]
    okapi: tuple[float, float] | None = None

    @classmethod
    def of_content(cls, words: Iterable[str]) -> TextSearch:
        """Asked of the content alone, as written."""
        return cls(tuple(words), False, {field: float(field == "content") for field in FIELDS})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How many memories there are, how long they are, and how many of them hold each word."""

    documents: int
    average_length: float
    with_word: Mapping[str, int]

    def rarest(self, most: int) -> list[str]:
        """The words that the fewest memories hold, those first."""
        return sorted(self.with_word, key=lambda word: (self.with_word[word], word))[:most]
