"""Evidence: everything that speaks for a memory, added up on one scale.

The unit is one word that no other memory holds. FTS5's idf of such a word in N memories is near ln(N), so a BM25
score divided by ln(1 + N) means the same in a small store as in a large one, and can be added to what is no BM25.

    words   = Σ weight · bm25 / ln(1 + N)
    beside  = Σ share · words of a neighbour in the session
    meaning = trust · (cosine − lowest cosine of the list)

Source: Memory Inspector, measured on labelled conversations, abstracts and Chinese paragraphs. Scores are added as
they are, not by rank and not stretched to 0…1 a query: a list that hardly distinguishes its memories, as an English
model's does of Chinese, then moves hardly anything, while by rank its noise would count as much as a sure match.
"""

from __future__ import annotations

import math
from typing import Any

from core.formulas.numbers import named


def unit(size: int) -> float:
    """Return ln(1 + N), what a word is worth that a single memory of N holds."""
    return math.log(1 + max(1, size))


def neighbour_share(step: int, *, asks: bool, share: float, per_step: float, question_share: float) -> float:
    """Return the share of its word score that a memory passes to another, `step` positions after it (before it, if
    negative).

    share · per_step ^ (|step| − 1); the memory directly after a question is likely its answer and gets question_share.
    """
    return question_share if asks and step == 1 else float(share * per_step ** (abs(step) - 1))


def meaning(cosine: Any, lowest: float, trust: float) -> Any:
    """trust · (cosine − lowest): how far a vector stands above the list's last, in words' worth."""
    return trust * named("above the lowest", cosine - lowest)
