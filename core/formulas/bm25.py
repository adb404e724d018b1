"""BM25: how much a document is about the words of a query.

Two published forms differ only in constants and in the weight of a word in most documents:

    term(f) = idf · f · (k1 + 1) / (f + k1 · (1 − b + b · |D| / avgdl))
    idf     = ln((N − n + 0.5) / (n + 0.5))

Sources: Recursive Light, appendix A (Okapi, k1 = 1.5, b = 0.75, idf may be negative); SQLite's FTS5 documentation,
"The bm25() function" (k1 = 1.2, b = 0.75, an idf of at most 0 becomes 0.000001, result negated).
f may be weighted: the sum over fields of weight · occurrences. N documents, n of them with the word.
"""

from __future__ import annotations

import math

FTS5_K1 = 1.2
FTS5_B = 0.75
FTS5_MIN_IDF = 1e-6


def okapi_idf(documents: int, with_word: int) -> float:
    """Return ln((N − n + 0.5) / (n + 0.5)); negative for a word in more than half of the documents."""
    return math.log((documents - with_word + 0.5) / (with_word + 0.5))


def fts5_idf(documents: int, with_word: int) -> float:
    """Return Okapi's idf, or FTS5_MIN_IDF if that is not above zero."""
    idf = okapi_idf(documents, with_word)
    return idf if idf > 0 else FTS5_MIN_IDF


def term_score(frequency: float, idf: float, length: float, average_length: float, k1: float, b: float) -> float:
    """What one word adds to a document's score; 0 for a word it does not hold. In FTS5's order of operations, so that
    not even the last bit differs from what it computes."""
    return idf * ((frequency * (k1 + 1.0)) / (frequency + k1 * (1 - b + b * length / average_length)))


def from_fts5(raw: float) -> float:
    """Return a score of which more is better; FTS5 returns a negated one."""
    return -raw
