"""Word-level diff of two texts."""

from __future__ import annotations

import difflib
import re

MAX_COMPARED_PAIRS = 1_000_000  # pairs of words

Piece = tuple[str, str]  # "same", "gone" or "new", and the words


def pieces(old: str, new: str) -> list[Piece]:
    """Return the unchanged, removed and added words in reading order; white space belongs to the word before it."""
    before, after = re.findall(r"\s*\S+\s*|\s+", old), re.findall(r"\s*\S+\s*|\s+", new)
    start = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    most = min(len(before), len(after)) - start
    end = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    middle = before[start : len(before) - end], after[start : len(after) - end]
    if len(middle[0]) * len(middle[1]) > MAX_COMPARED_PAIRS:  # too many changes for a readable word diff
        changed = [("gone", "".join(middle[0])), ("new", "".join(middle[1]))]
    else:
        changed = []
        for kind, a, b, c, d in difflib.SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
            if kind == "equal":
                changed.append(("same", "".join(middle[0][a:b])))
            else:
                changed += [("gone", "".join(middle[0][a:b])), ("new", "".join(middle[1][c:d]))]
    whole = [("same", "".join(before[:start])), *changed, ("same", "".join(before[len(before) - end :]))]
    return [piece for piece in whole if piece[1]]
