"""Which rows of a file are duplicates of known memories or of each other: the rules of `remember`, for many texts at
once.

A single write searches for neighbours by eight words and its vector, which takes milliseconds; ten thousand rows would
take a minute. Here document frequencies are read once for all rows, the rows have an index of their own, and a row is
compared only if most of its weight is in words that others have: nothing else can be a duplicate. The rows are embedded
later, so vectors are not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from core import text
from core.errors import Unavailable
from core.formulas import bm25
from core.model import Filter, Memory, Status
from core.search_types import TextSearch, Vocabulary
from core.store.protocol import Reader
from core.write import contradiction, duplicate
from core.write.duplicate import DuplicateVerdict, Policy, SimilarMemory

# How many texts of the file and of the store a row is compared with, and by how many words they are found.
CANDIDATES = 5
RAREST_IN_FILE = 8
RAREST_IN_STORE = 3
# A word in more rows than this does not distinguish duplicates: rows of one form share all words except a value.
MAX_POSTING = 64
# The minimum share of a row's weight in words that others have.
MIN_SHARED_WEIGHT = 0.5


class DuplicateFinder:
    """Judges the rows of one file in order: against a snapshot of the store, and the rows kept before."""

    def __init__(self, reader: Reader, rows: Sequence[Memory]) -> None:
        self._reader = reader
        in_file: Counter[str] = Counter()
        words = 0
        for row in rows:
            in_file.update(text.query_words(row.content))
            words += len(text.all_query_words(row.content))
        try:
            self._store = reader.vocabulary(list(in_file))
        except Unavailable:  # an unavailable index must not prevent an import
            self._store = Vocabulary(0, 0.0, {})
        documents = self._store.documents + len(rows)
        length = self._store.documents * self._store.average_length + words
        held = {word: count + self._store.with_word.get(word, 0) for word, count in in_file.items()}
        self._both = Vocabulary(documents, length / max(1, documents), held)
        self._kept: list[Memory] = []
        self._by_hash: dict[str, list[int]] = {}
        self._by_word: dict[str, list[int]] = {}

    def judge(self, row: Memory) -> DuplicateVerdict | None:
        """Return the verdict if a row is a duplicate; else it is kept, and later rows are compared with it."""
        content_hash, words = text.content_hash(row.content), text.query_words(row.content)
        vocabulary = Vocabulary(
            self._both.documents, self._both.average_length, {word: self._both.with_word[word] for word in words}
        )
        for each in self._candidates(row, content_hash, vocabulary):
            verdict = duplicate.judge(row.content, [SimilarMemory(each)], vocabulary, Policy.DEFAULT)
            if verdict is not None and _may_be_duplicate(row, each, verdict):
                return verdict
        if row.status is Status.ACTIVE:
            self._keep(row, content_hash, words)
        return None

    def _keep(self, row: Memory, content_hash: str, words: Sequence[str]) -> None:
        number = len(self._kept)
        self._kept.append(row)
        self._by_hash.setdefault(content_hash, []).append(number)
        for word in words:
            if self._both.with_word[word] > 1:
                self._by_word.setdefault(word, []).append(number)

    def _candidates(self, row: Memory, content_hash: str, vocabulary: Vocabulary) -> Iterator[Memory]:
        yield from (self._kept[number] for number in self._by_hash.get(content_hash, ()))
        if len(row.content) > duplicate.MAX_JUDGED_CHARS:
            return
        weights = {word: bm25.fts5_idf(vocabulary.documents, n) for word, n in vocabulary.with_word.items()}
        rarest = vocabulary.rarest(len(weights))
        if _share(weights, self._by_word) >= MIN_SHARED_WEIGHT:
            yield from self._of_file([word for word in rarest if word in self._by_word][:RAREST_IN_FILE])
        held = {word for word in rarest if self._store.with_word.get(word)}
        if _share(weights, dict.fromkeys(held)) >= MIN_SHARED_WEIGHT:
            yield from self._of_store([word for word in rarest if word in held][:RAREST_IN_STORE], row.collection)

    def _of_file(self, words: Sequence[str]) -> Iterator[Memory]:
        """Return the kept rows that have at least half of the words, those with most of them first."""
        hits = Counter(
            number for word in words if len(self._by_word[word]) <= MAX_POSTING for number in self._by_word[word]
        )
        found = (number for number, count in hits.most_common(CANDIDATES) if 2 * count >= len(words))
        return (self._kept[number] for number in found)

    def _of_store(self, words: Sequence[str], collection: str) -> Iterator[Memory]:
        """Yield the memories that a full-text search for the words finds."""
        wanted = Filter(collections=(collection,), statuses=(Status.ACTIVE,))
        found = self._reader.search_text(TextSearch.of_content(words), wanted, CANDIDATES)
        for known in self._reader.memories(id for id, _ in found).values():
            content = text.normalise(known.content).casefold()
            if 2 * sum(word in content for word in words) >= len(words):
                yield known


def _share(weights: Mapping[str, float], held: Mapping[str, object]) -> float:
    """Return the share of the weight that is in words which others have."""
    return sum(weight for word, weight in weights.items() if word in held) / (sum(weights.values()) or 1.0)


def _may_be_duplicate(row: Memory, known: Memory, verdict: DuplicateVerdict) -> bool:
    if row.collection != known.collection or not duplicate.has_same_subject(row, known):
        return False
    return verdict.rule == duplicate.SAME_TEXT or contradiction.judge(row.content, known.content) is None
