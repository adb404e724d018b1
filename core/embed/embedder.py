"""The protocol of an embedder: its space, and one method each for documents and queries."""

from __future__ import annotations

import array
import math
import sys
from collections.abc import Iterable
from typing import Protocol

from core.errors import UserError
from core.model import Embedding, Space


class Embedder(Protocol):
    """Turns a text into a vector; equal texts give equal vectors, whatever else is embedded."""

    space: Space
    is_instant: bool  # computed in this process in milliseconds, so that a write can wait for it

    def embed_document(self, text: str) -> Embedding: ...

    def embed_query(self, text: str) -> Embedding: ...


def packed_unit_vector(numbers: Iterable[float], dimension: int) -> bytes:
    """Return a unit vector as float32 little-endian bytes; UserError for what cannot be one."""
    try:
        values = list(map(float, numbers))
        length = math.sqrt(math.fsum(value * value for value in values))
    except (TypeError, ValueError, OverflowError) as error:
        raise UserError("The model did not answer with a vector.") from error
    if len(values) != dimension or not math.isfinite(length) or length == 0:
        raise UserError(f"The model answered with {len(values)} numbers, which are not a vector of {dimension}.")
    vector = array.array("f", (value / length for value in values))
    if sys.byteorder == "big":
        vector.byteswap()
    return vector.tobytes()
