"""Whether a text is a duplicate of a known memory, judged from facts that the caller gathered; every verdict names its
rule and number.

Two policies. `oro` is the document's rule as written (Oro, decision 3): the best full-text hit with bm25/25 above 0.7,
and where there are vectors the nearest one with a cosine above 0.85. The first fails in small stores, where idf is low
(an exact copy of four words scores 0.67 among 100 memories), and for long texts, where everything scores high; the
second depends on the model: with the default model unrelated sentences have 0.66 and most that share a topic more than
0.85. The default policy asks for one of: the same text, except for spacing and insignificant case (`casing`); a
full-text score above 0.7 of what the text would score against itself; a cosine above 0.85, calibrated for the model.
Two texts that differ in a name, a number, a symbol, an identifier, a path, a quoted string, a negation, the order of
their words, an addition, or a value in the same position state different facts and are never duplicates. Many
paraphrases are stored for that reason: two stored duplicates can be merged, a refused text is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, product

from core import text
from core.changes import duplicate_sentence_start
from core.formulas import bm25, normalise
from core.model import Memory
from core.search_types import Vocabulary
from core.write import particulars
from core.write.casing import is_same_text

OVERLAP = 0.7  # Oro, decision 3
SIMILARITY = 0.85  # Oro, decision 3, for a calibrated similarity
ORO_DIVISOR = 25.0
ORO_COSINE = 0.85  # Oro, decision 3, for the uncalibrated cosine
SAME_TEXT = "same text"
MAX_VALUE_WORDS = 3
ARTICLES = frozenset(("a", "an", "the"))
# How many words to skip in each of two texts until they are equal again, the fewest first.
_SKIPS = sorted(product(range(MAX_VALUE_WORDS + 1), repeat=2), key=lambda step: (sum(step), abs(step[0] - step[1])))
# A longer text is compared by its normalised form alone: it is a duplicate only of an equal text.
MAX_JUDGED_CHARS = 8_000

NEGATIONS = re.compile(
    r"\b(?:no|not|never|none|without|cannot|no longer|neither|nor)\b|n't\b|不|没|無|无|ない|nicht|kein", re.I
)


class Policy(StrEnum):
    DEFAULT = "judge"
    ORO = "oro"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class SimilarMemory:
    """A memory that may be a duplicate, with its similarity scores."""

    memory: Memory
    bm25: float | None = None
    cosine: float | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class DuplicateVerdict:
    """The memory that the text duplicates, with the rule, its number and its threshold."""

    memory: Memory
    rule: str
    number: float
    threshold: float
    cosine: float | None = None

    @property
    def sentence(self) -> str:
        by = f"({self.rule} {self.number:.2f}, threshold {self.threshold:g})"
        return f"{duplicate_sentence_start(self.memory.id)} {by}."


def judge(
    content: str, neighbours: Sequence[SimilarMemory], vocabulary: Vocabulary, policy: Policy
) -> DuplicateVerdict | None:
    """Return the known memory that the text duplicates, None if there is none; `vocabulary` has the words of the
    text."""
    if policy is Policy.KEEP:
        return None
    if policy is Policy.ORO:
        return _oro(neighbours)
    for neighbour in neighbours:
        if is_same_text(content, neighbour.memory.content):
            return DuplicateVerdict(neighbour.memory, SAME_TEXT, 1.0, 1.0)
    if len(content) > MAX_JUDGED_CHARS:
        return None
    # A text that differs only in case and is not the same text differs in the case of a name: not a duplicate.
    own = text.content_hash(content)
    near = [
        each
        for each in neighbours
        if len(each.memory.content) <= MAX_JUDGED_CHARS and text.content_hash(each.memory.content) != own
    ]
    for neighbour in near:
        share = overlap(content, neighbour.memory.content, vocabulary)
        if share > OVERLAP and may_state_same_fact(content, neighbour.memory.content):
            return DuplicateVerdict(neighbour.memory, "overlap", share, OVERLAP)
    for neighbour in near:
        number = neighbour.similarity
        if number is not None and number > SIMILARITY and may_state_same_fact(content, neighbour.memory.content):
            return DuplicateVerdict(neighbour.memory, "similarity", number, SIMILARITY, neighbour.cosine)
    return None


def has_same_subject(a: Memory, b: Memory) -> bool:
    """Return whether two memories may be duplicates at all: of the same user, with no different entities."""
    return a.user == b.user and (not a.entities or not b.entities or set(a.entities) == set(b.entities))


def may_state_same_fact(new: str, known: str) -> bool:
    """Return whether no difference between two texts makes them different facts."""
    return (
        len(NEGATIONS.findall(new)) == len(NEGATIONS.findall(known))
        and particulars.are_equal(new, known)
        and not states_other_fact(new, known)
    )


def overlap(content: str, known: str, vocabulary: Vocabulary) -> float:
    """Return the BM25 score of a known text for a new one, as a share of what the new one would score against
    itself."""
    own, other = Counter(text.all_query_words(content)), Counter(text.all_query_words(known))
    average = vocabulary.average_length or 1.0

    def score(counts: Counter[str]) -> float:
        length = counts.total()
        return sum(
            bm25.term_score(
                counts[word], bm25.fts5_idf(vocabulary.documents, n), length, average, bm25.FTS5_K1, bm25.FTS5_B
            )
            for word, n in vocabulary.with_word.items()
            if counts[word]
        )

    against_itself = score(own)
    return min(1.0, score(other) / against_itself) if against_itself > 0 else 0.0


def states_other_fact(new: str, known: str) -> bool:
    """Return whether two texts that share nearly all words state different facts: a different value in the same
    position, once or everywhere (`dark mode`, `light mode`), the same words or symbols in another order (`Lars manages
    Petra`), or an addition in the new one (an exception, one more name)."""
    mine, theirs = ([text.rough_stem(word) for word in text.all_query_words(side)] for side in (new, known))
    if mine == theirs:
        return particulars.signs(new) != particulars.signs(known)
    own, other = Counter(mine), Counter(theirs)
    if own == other:
        return not _is_rotated(mine, theirs)
    return not other - own or _differ_in_values(mine, theirs) or _differ_in_words_alone(mine, theirs)


def _is_rotated(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether one is the other with its end moved to the start: `on Tuesdays deploys happen`."""
    twice, other = ("\0".join(("", *words, "")) for words in ((*a, *a), b))
    return len(a) == len(b) and other in twice


def _differ_in_values(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether two texts are parallel and some position has different words: `in repo alpha run the tests of
    alpha`, `in repo beta run all tests of beta`."""
    return any(
        mine and theirs and not set(mine) & set(theirs) and not {*mine, *theirs} <= ARTICLES
        for mine, theirs in _differing_words(a, b)
    )


def _differing_words(a: Sequence[str], b: Sequence[str]) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Return the differing words of two texts, position by position; nothing if a difference is longer than
    MAX_VALUE_WORDS, since the texts are not parallel then. Linear time, since the lookahead is bounded."""

    def meet(at: int, other: int) -> bool:
        if at < len(a) and other < len(b):
            return a[at] == b[other]
        return at == len(a) and other == len(b)

    found = []
    at = other = 0
    while at < len(a) or other < len(b):
        mine, theirs = next(((x, y) for x, y in _SKIPS if meet(at + x, other + y)), (None, None))
        if mine is None or theirs is None:
            return []
        if mine or theirs:
            found.append((a[at : at + mine], b[other : other + theirs]))
            at, other = at + mine, other + theirs
        else:
            at, other = at + 1, other + 1
    return found


def _differ_in_words_alone(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether two texts are equal except for words that only one of them has, however many."""
    own, other = set(a) - set(b), set(b) - set(a)
    return bool(own and other) and _with_gaps(a, own) == _with_gaps(b, other)


def _with_gaps(words: Sequence[str], left_out: set[str]) -> list[str]:
    return [word for word, _ in groupby("" if word in left_out else word for word in words)]


def _oro(neighbours: Sequence[SimilarMemory]) -> DuplicateVerdict | None:
    """Return the verdict of the document's two checks in its order: the best full-text hit, then the nearest vector."""
    scored = [(each.bm25, each) for each in neighbours if each.bm25 is not None]
    if scored:
        score, best = max(scored, key=lambda each: (each[0], -each[1].memory.id))
        number = normalise.divided_and_clamped(score, ORO_DIVISOR)
        if number > OVERLAP:
            return DuplicateVerdict(best.memory, "bm25/25", number, OVERLAP)
    embedded = [(each.cosine, each) for each in neighbours if each.cosine is not None]
    if embedded:
        cosine, nearest = max(embedded, key=lambda each: (each[0], -each[1].memory.id))
        if cosine > ORO_COSINE:
            return DuplicateVerdict(nearest.memory, "cosine", cosine, ORO_COSINE, cosine)
    return None
