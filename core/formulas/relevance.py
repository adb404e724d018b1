"""How probable it is that a result is relevant at all: a logistic regression on what full text and vectors say.

    p = 1 / (1 + e^−z)
    z = −4.7 + 3.4 · coverage + 0.54 · words + 5.9 · above the list + 6.1 · above the model + 0.4 without vectors
        − 10.6 for small talk

coverage is the share of the query's words, weighted by idf, that BM25 says the memory holds; words is its BM25 in units
of a word that no other memory holds (core/formulas/evidence.py), up to 4; the cosine counts by how far it is above the
lowest of its list, and above that of unrelated texts in the same model.

Source: Memory Inspector. Fitted on the ten best results of 1,515 answerable questions, 870 questions of other stores
and small talk, over stores of 8 to 1,000 memories in English and Chinese, with vectors and without.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.formulas.numbers import exp, named

INTERCEPT = -4.7
MAX_WORDS = 4.0
WEIGHTS: Mapping[str, float] = {
    "coverage": 3.4,
    "words": 0.54,
    "cosine above the list": 5.9,
    "cosine above unrelated texts": 6.1,
    "no vectors": 0.4,
    "small talk": -10.6,
}


def probability(log_odds: Any) -> Any:
    """1 / (1 + e^−z); ½ where both are equally probable."""
    return 1.0 / named("1 + odds against", 1.0 + named("odds against", exp(-1.0 * log_odds)))
