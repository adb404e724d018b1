"""Types of a text search, its statistics, and the order and selection of a list, shared by the store and the layers
above."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from core.model import Filter, Status

if TYPE_CHECKING:  # who only names a search does not load numpy
    import numpy as np
    from numpy.typing import NDArray

# The fields of a memory in the full-text index, in the order of its columns.
FIELDS = ("content", "summary", "entities", "files", "tags")


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """The statistics of one query word and one memory."""

    word: str
    documents: int
    with_word: int
    in_fields: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """Everything that BM25 is computed from, for one memory; lengths are those of the searched `fields`, and
    `index_score` is the score of the index itself."""

    words: tuple[WordStatistics, ...]
    fields: tuple[str, ...]
    length: int
    average_length: float
    index_score: float


@dataclass(frozen=True, slots=True)
class TextSearch:
    """A text search: the words, the index, the weight of each field, the formula."""

    words: tuple[str, ...]
    stemmed: bool
    weights: Mapping[str, float]
    okapi: tuple[float, float] | None = None

    @property
    def searched(self) -> tuple[str, ...]:
        """The fields with a weight: only these are searched, and only their words count as length."""
        return tuple(field for field in FIELDS if self.weights[field] > 0)

    @classmethod
    def of_content(cls, words: Iterable[str]) -> TextSearch:
        """Return a search of the content alone, unstemmed."""
        return cls(tuple(words), False, {field: float(field == "content") for field in FIELDS})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The number of memories, the average length of their contents, and how many of them have each word."""

    documents: int
    average_length: float
    with_word: Mapping[str, int]

    def rarest(self, limit: int, among: Iterable[str] | None = None) -> list[str]:
        """Return the words with the lowest document frequency, rarest first; of all words or of the given ones."""
        words = self.with_word if among is None else among
        return sorted(words, key=lambda word: (self.with_word.get(word, 0), word))[:limit]


class SortColumn(StrEnum):
    """The columns that a list of memories can be sorted by."""

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
    """Which memories a list shows: a filter, and further conditions for browsing.

    Every word of `text` must match, the last one as a prefix, so that typing narrows the list letter by letter.
    """

    filter: Filter = field(default_factory=Filter)
    text: str = ""
    min_confidence: float | None = None
    max_confidence: float | None = None
    min_age_days: float | None = None
    max_age_days: float | None = None
    min_unused_days: float | None = None
    never_recalled: bool = False


# The number of a status in a column of them.
STATUSES = tuple(Status)


class FactColumns(NamedTuple):
    """What the stages of a pipeline read of many memories, a numpy array a fact, all in the order of the ids.

    Times are whole microseconds since 1970, as the file holds them.
    """

    ids: NDArray[np.int64]
    created: NDArray[np.int64]
    last_used: NDArray[np.int64]  # its last access; its creation if it was never accessed
    confidence: NDArray[np.float64]
    strength: NDArray[np.float64]
    pinned: NDArray[np.bool_]
    status: NDArray[np.uint8]  # its number in STATUSES
    is_important: NDArray[np.bool_]
    access_count: NDArray[np.int64]
    asks: NDArray[np.bool_]  # whether its text holds a question mark
    collection: NDArray[np.object_]  # of str
    session: NDArray[np.object_]  # of str
    entities: NDArray[np.object_]  # of tuples of str
