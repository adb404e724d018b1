"""How full text is asked and what it answers, and how a list is asked for: what the store and those above it share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.model import Filter

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
    """All that BM25 is computed from, for one memory; lengths are those of the searched `fields`, and `index_score` is
    what the index itself makes of it."""

    words: tuple[WordStatistics, ...]
    fields: tuple[str, ...]
    length: int
    average_length: float
    index_score: float


@dataclass(frozen=True, slots=True)
class TextSearch:
    """How full text is asked: which words, in which index, with which weight a field, by which formula."""

    words: tuple[str, ...]
    stemmed: bool
    weights: Mapping[str, float]
    okapi: tuple[float, float] | None = None

    @property
    def searched(self) -> tuple[str, ...]:
        """The fields that weigh something: only these are looked into, and only their words count as length."""
        return tuple(field for field in FIELDS if self.weights[field] > 0)

    @classmethod
    def of_content(cls, words: Iterable[str]) -> TextSearch:
        """Return whether only the content is searched, unstemmed."""
        return cls(tuple(words), False, {field: float(field == "content") for field in FIELDS})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How many memories there are, how long their contents are, and how many of them hold each word."""

    documents: int
    average_length: float
    with_word: Mapping[str, int]

    def rarest(self, most: int, among: Iterable[str] | None = None) -> list[str]:
        """Return the words that the fewest memories hold, those first; of all of them, or of some."""
        words = self.with_word if among is None else among
        return sorted(words, key=lambda word: (self.with_word.get(word, 0), word))[:most]


class SortColumn(StrEnum):
    """What a list of memories can be put in order by."""

    ID = "id"
    CONTENT = "content"
    TYPE = "type"
    TAGS = "tags"
    STATUS = "status"
    PINNED = "pinned"
    CONFIDENCE = "confidence"
    STRENGTH = "strength"
    IMPORTANCE = "importance"
    COLLECTION = "collection"
    SESSION = "session"
    AGENT = "agent"
    USER = "user"
    SOURCE = "source"
    CREATED = "created"
    UPDATED = "updated"
    ACCESSED = "accessed"
    USES = "uses"
    RETURNS = "returns"
    VERSION = "version"


@dataclass(frozen=True, slots=True)
class Order:
    column: SortColumn = SortColumn.CREATED
    descending: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which memories a list shows: a filter, and what only a person who browses asks for.

    Every word of `text` must be found, the last one as a beginning, so that typing narrows letter by letter.
    """

    filter: Filter = field(default_factory=Filter)
    text: str = ""
    least_confidence: float | None = None
    most_confidence: float | None = None
    least_age_days: float | None = None
    most_age_days: float | None = None
    least_unused_days: float | None = None
    never_recalled: bool = False
