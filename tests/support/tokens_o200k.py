"""How many tokens of the encoding o200k a text has, estimated.

The encoding's own file is a download of 3.6 MB, so its pieces are counted instead: a text is split as the encoding
splits it, and each piece costs what such pieces cost on average. Fitted once to the encoding itself, on the list of
tools and on 120 answers about the sample: from 0.96 to 1.06 times the true number, 1.01 for the list of tools.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

# A word with the sign before it; up to three digits; signs; white space. As the encoding splits, but for capitals.
_PIECES = re.compile(r"[^\r\n\w]?[^\W\d_]+|\d{1,3}|(?: ?[^\s\w]|_)+[\r\n]*|\s+")
_LETTERS_A_TOKEN = 12
_SIGNS_A_TOKEN = 4


def estimated_tokens(value: Any) -> int:
    """Return the estimate for a text, or for a value as compact JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return round(sum(map(_cost, _PIECES.findall(text))))


def _cost(piece: str) -> float:
    wide = sum(char > "\u2e80" for char in piece)
    if wide:
        return wide
    letters = sum(map(str.isalpha, piece))
    if not letters:
        return 1.0 if piece.isdigit() or piece.isspace() else math.ceil(len(piece) / _SIGNS_A_TOKEN)
    has_sign = not piece[0].isalpha() and piece[0] != " "
    return math.ceil(letters / _LETTERS_A_TOKEN) + 0.1 * has_sign + 0.1
