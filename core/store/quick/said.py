"""The words of memories that have changed, as numbers: taken in as quickly as can be, looked through when one is asked
for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from uuid import uuid4

import apsw
import numpy as np
from numpy.typing import NDArray

from core.store.quick.numbers import Ids, grown
from core.store.quick.vocabulary import FIELD_BITS, Table
from core.store.sqlite import fulltext

# Ends a text among others that are parted with it. Digits, which no tokenizer changes, and no text's by chance.
_END = str(uuid4().int)
_TAKEN_BACK = -1


def joined(texts: Iterable[str]) -> str:
    """Several texts, to be parted into words at once: one alone takes longer to be handed over than to be parted."""
    return "".join([f"{each} {_END} " for each in texts])


class Said:
    """Every word that the changed memories hold now, in the order in which they changed: its hash, of 64 bits so that
    no two words share one, and a code for memory and field."""

    def __init__(self, table: Table) -> None:
        self.count = 0
        self._table = table
        self._hashes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._codes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    @property
    def size(self) -> int:
        return self._hashes.nbytes + self._codes.nbytes

    def add(self, connection: apsw.Connection, codes: NDArray[np.int64], texts: str) -> None:
        """The words of joined texts, each with its code."""
        words = fulltext.tokenizer(connection, self._table)(texts)
        hashes = np.fromiter(map(hash, words), np.int64, len(words))
        ends = np.flatnonzero(hashes == hash(_END))
        end = self.count + len(words)
        self._hashes, self._codes = grown(self._hashes, end, 0), grown(self._codes, end, 0)
        self._hashes[self.count : end] = hashes
        self._codes[self.count : end] = np.repeat(codes, np.diff(ends, prepend=-1))
        self.count = end

    def take_back(self, ids: Ids) -> None:
        """What memories said before they changed again."""
        codes = self._codes[: self.count]
        codes[np.isin(codes >> FIELD_BITS, ids)] = _TAKEN_BACK

    def held(self, word: str, after: int) -> Mapping[int, int]:
        """How often a word was said after so many others, by code."""
        own = self._hashes[after : self.count] == hash(word)
        held = Counter(self._codes[after : self.count][own].tolist())
        held.pop(_TAKEN_BACK, None)
        return held
