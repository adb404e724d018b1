"""The words of memories that have changed, as numbers: taken in as quickly as can be, looked through when one is asked
for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import apsw
import numpy as np
from numpy.typing import NDArray

from core.store.quick.numbers import Ids, grown
from core.store.quick.vocabulary import FIELD_BITS, Table
from core.store.sqlite import fulltext
from core.store.sqlite.from_memory import NotInMemory

_TAKEN_BACK = -1


class Said:
    """Every word that the changed memories hold now, in the order in which they changed: in each table its hash, of 64
    bits so that no two words share one, and a code for memory and field, which is the same in all of them: a stemmer
    makes one word of one."""

    def __init__(self) -> None:
        self.count = 0
        self._hashes = {table: np.zeros(0, dtype=np.int64) for table in fulltext.TABLES}
        self._codes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    @property
    def size(self) -> int:
        return self._codes.nbytes + sum(each.nbytes for each in self._hashes.values())

    def replace(self, connection: apsw.Connection, before: Ids, texts: Iterable[str], codes: NDArray[np.int64]) -> None:
        """In place of what some memories said before, the words of some texts, and the code of each word; NotInMemory,
        and nothing is replaced, where there are not as many of the ones as of the others."""
        # Parted together: one alone takes longer to be handed over than to be parted. No word goes over a line's end.
        together = "\n".join(texts)
        parted = {table: fulltext.tokenizer(connection, table)(together) for table in self._hashes}
        if any(len(words) != len(codes) for words in parted.values()):
            raise NotInMemory
        if len(before):
            said = self._codes[: self.count]
            said[np.isin(said >> FIELD_BITS, before)] = _TAKEN_BACK
        start, self.count = self.count, self.count + len(codes)
        self._codes = grown(self._codes, self.count, 0)
        self._codes[start : self.count] = codes
        for table, words in parted.items():
            self._hashes[table] = grown(self._hashes[table], self.count, 0)
            self._hashes[table][start : self.count] = np.fromiter(map(hash, words), np.int64, len(words))

    def held(self, table: Table, word: str, after: int) -> Mapping[int, int]:
        """How often a word was said after so many others, by code."""
        own = np.flatnonzero(self._hashes[table][after : self.count] == hash(word))
        if not len(own):
            return {}
        held = Counter(self._codes[own + after].tolist())
        held.pop(_TAKEN_BACK, None)
        return held
