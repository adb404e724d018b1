"""The tokens of changed memories, appended as hashes: cheap to add, searched only when one of them is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from core.search_cache.arrays import Ids, grown
from core.search_cache.feed import FIELD_BITS, INDEXES, Int64s, TextIndex

_RETRACTED = -1


class ChangedTokens:
    """All tokens that the changed memories hold now, in the order of the changes.

    For each index the hash of each token, of 64 bits so that no two tokens share one, and in parallel the occurrence
    (memory and field), which is the same in every index.
    """

    def __init__(self) -> None:
        self.count = 0
        self._hashes = {index: np.zeros(0, dtype=np.int64) for index in INDEXES}
        self._occurrences: Int64s = np.zeros(0, dtype=np.int64)

    @property
    def nbytes(self) -> int:
        return self._occurrences.nbytes + sum(each.nbytes for each in self._hashes.values())

    def replace(self, before: Ids, tokens: Mapping[TextIndex, Sequence[str]], occurrences: Int64s) -> None:
        """Retract the earlier tokens of some memories and append new ones, with the occurrence of each."""
        if len(before):
            known = self._occurrences[: self.count]
            known[np.isin(known >> FIELD_BITS, before)] = _RETRACTED
        start, self.count = self.count, self.count + len(occurrences)
        self._occurrences = grown(self._occurrences, self.count, 0)
        self._occurrences[start : self.count] = occurrences
        for index, own in tokens.items():
            self._hashes[index] = grown(self._hashes[index], self.count, 0)
            self._hashes[index][start : self.count] = np.fromiter(map(hash, own), np.int64, len(own))

    def counts(self, index: TextIndex, token: str, after: int) -> Mapping[int, int]:
        """Return how often a token was appended after the first so many tokens, by occurrence."""
        own = np.flatnonzero(self._hashes[index][after : self.count] == hash(token))
        if not len(own):
            return {}
        counts = Counter(self._occurrences[own + after].tolist())
        counts.pop(_RETRACTED, None)
        return counts
