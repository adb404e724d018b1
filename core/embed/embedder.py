"""What an embedder is: an identity and two ways to embed, for what is stored and for what is asked."""

from __future__ import annotations

import array
import math
import sys
from collections.abc import Iterable
from typing import Protocol

from core.errors import UserError
from core.model import Embedding, Space


class Embedder(Protocol):
    """The same text always gives the same vector, whatever it is embedded together with."""

    space: Space
    is_instant: bool  # computed here in milliseconds, so that a write may wait for it

    def embed_document(self, text: str) -> Embedding: ...

    def embed_query(self, text: str) -> Embedding: ...


def packed_unit_vector(numbers: Iterable[float], dimension: int) -> bytes:
    """Return a unit vector as float32 little-endian bytes; what cannot be one is refused, never stored."""
    try:
        values = list(map(float, numbers))
        length = math.sqrt(math.fsum(value * value for value in values))
    except (TypeError, ValueError, OverflowError) as error:
        raise UserError("The model answered with something that is no vector.") from error
    if len(values) != dimension or not math.isfinite(length) or length == 0:
        raise UserError(f"The model answered with {len(values)} numbers that are no vector of {dimension}.")
    vector = array.array("f", (value / length for value in values))
    if sys.byteorder == "big":
        vector.byteswap()
    return vector.tobytes()
