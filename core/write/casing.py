"""Whether two texts that differ only in case are the same: `Use WAL` and `use wal` are, `scp -P` and `scp -p` are not.

The case of an identifier, an option, a path, a unit or an abbreviation is significant. Only ordinary words may differ:
in their initial capital, as at the start of a sentence, or in every letter where one of the texts is written without
capitals. Linear in the length of the texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core import text
from core.write import particulars

_JOINED = re.compile(r"[-'\u2019]")  # within an ordinary word: `write-ahead`, `don't`
_BEFORE, _AFTER = "([{", ".,;:!?)]}\u2026\u3002\uff0c"
_LETTERS = frozenset("AI")  # words of one letter; any other is a name


def is_same_text(a: str, b: str) -> bool:
    """Return whether two texts are equal except for spacing, compatible character forms and insignificant case."""
    mine, theirs = (text.normalise(side).split() for side in (a, b))
    if mine == theirs:
        return True
    if [word.casefold() for word in mine] != [word.casefold() for word in theirs]:
        return False
    pairs = [(one, other) for one, other in zip(mine, theirs, strict=True) if one != other]
    if not all(_is_ordinary(word) for pair in pairs for word in pair):
        return False
    if particulars.quotations(a) != particulars.quotations(b):
        return False
    return all(_differ_in_initial(*pair) for pair in pairs) or _is_without_case(mine, theirs)


def _core(word: str) -> str:
    return word.lstrip(_BEFORE).rstrip(_AFTER)


def _is_ordinary(word: str) -> bool:
    """Return whether a token is an ordinary word: lower case, with an initial capital, or in capitals."""
    core = _core(word)
    if len(core) == 1:
        return core.upper() in _LETTERS
    return all(
        part.isalpha() and (part.isupper() or part[1:].islower() or len(part) == 1) for part in _JOINED.split(core)
    )


def _differ_in_initial(one: str, other: str) -> bool:
    return _core(one)[1:] == _core(other)[1:]


def _is_without_case(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether one text has several words, all in lower case or all in capitals, and the first words differ: if
    the texts begin alike they are cased alike, and a word in capitals within one is significant."""
    cased = [(one, other) for one, other in zip(mine, theirs, strict=True) if one.upper() != one.lower()]
    is_plain = any(all(map(str.islower, side)) or all(map(str.isupper, side)) for side in zip(*cased, strict=True))
    return len(cased) > 1 and is_plain and cased[0][0] != cased[0][1]
