"""Explanations as data: the derivation of each number, the reason of each drop, the record of a run.

A Term is a node of a small tree. Its operation is one of a closed set and its value follows from its parts by
that operation alone, so that every score can be recomputed from the leaves (a test does, knowing only this).

What a run makes by the thousand is a named tuple: as unchangeable as a frozen dataclass, and made in half its time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from core.fast_tuples import new_tuple
from core.model import MemoryId

if TYPE_CHECKING:
    from core.pipeline.pool import StageTrace

RankedScore = tuple[MemoryId, float | None]


class Operator(StrEnum):
    LEAF = "leaf"  # a number that was given
    SUM = "sum"  # a + b + …
    PRODUCT = "product"  # a · b · …
    SUBTRACT = "subtract"  # a − b
    DIVIDE = "divide"  # a / b
    POWER = "power"  # a ^ b
    EXP = "exp"  # e ^ a
    LOG = "log"  # ln a
    MAX = "max"  # the largest
    CLAMP = "clamp"  # a, at least b, at most c
    RECIPROCAL_RANK = "reciprocal_rank"  # a / (b + c): weight, k, rank


_NO_FACTS: Mapping[str, Any] = MappingProxyType({})


class Term(NamedTuple):
    """A named number, its operator and operands; facts are for reading, not computing."""

    name: str
    value: float
    operation: Operator = Operator.LEAF
    parts: tuple[Term, ...] = ()
    facts: Mapping[str, Any] = _NO_FACTS

    def part(self, name: str) -> Term | None:
        """Return the first part of a name anywhere in the tree."""
        for part in self.parts:
            found = part if part.name == name else part.part(name)
            if found is not None:
                return found
        return None


_COMPUTE: Mapping[Operator, Callable[[Sequence[float]], float]] = {
    Operator.SUM: math.fsum,
    Operator.PRODUCT: math.prod,
    Operator.SUBTRACT: lambda values: values[0] - values[1],
    Operator.DIVIDE: lambda values: values[0] / values[1],
    Operator.POWER: lambda values: float(values[0] ** values[1]),
    Operator.EXP: lambda values: math.exp(values[0]),
    Operator.LOG: lambda values: math.log(values[0]),
    Operator.MAX: max,
    Operator.CLAMP: lambda values: min(values[2], max(values[1], values[0])),
    Operator.RECIPROCAL_RANK: lambda values: values[0] / (values[1] + values[2]),
}


_LEAF = Operator.LEAF  # looked up once: `leaf` runs thousands of times


def leaf(name: str, value: float, **facts: Any) -> Term:
    return new_tuple(Term, (name, value + 0.0, _LEAF, (), facts))  # a float, and −0.0 is 0.0


def term(name: str, operation: Operator, *parts: Term, **facts: Any) -> Term:
    """Return a term computed from its parts."""
    value = _COMPUTE[operation]([part.value for part in parts]) + 0.0  # −0.0 is 0.0
    if not math.isfinite(value):
        raise ValueError(f"{name} is no number")
    return new_tuple(Term, (name, value, operation, parts, facts))


class Contribution(NamedTuple):
    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A score as a sum: `shares` add up to it, `losses` are what factors below 1 took away on the way."""

    shares: tuple[Contribution, ...]
    losses: tuple[Contribution, ...] = ()

    @property
    def before(self) -> float:
        """What it would be had nothing been taken away."""
        return sum(share.value for share in (*self.shares, *self.losses))


class ReasonKind(StrEnum):
    """Every reason why a memory is not returned."""

    NOT_MATCHED = "not_matched"
    BEYOND_LIMIT = "beyond_limit"
    FILTERED = "filtered"
    BELOW_THRESHOLD = "below_threshold"
    DUPLICATE = "duplicate"
    OUTRANKED = "outranked"
    OVER_BUDGET = "over_budget"


class Reason(NamedTuple):
    kind: ReasonKind
    sentence: str
    facts: Mapping[str, Any] = _NO_FACTS


class Drop(NamedTuple):
    """A dropped candidate: its rank before, its score, and the reason."""

    memory_id: MemoryId
    rank: int
    score: float | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class SourceTrace:
    """What one source found, or why it failed."""

    name: str
    kind: str
    parameters: Mapping[str, Any]
    found: int
    limit: int | None = None
    failure: str = ""
    notes: tuple[str, ...] = ()
    elapsed_ms: float = field(default=0.0, compare=False)


class Mode(StrEnum):
    HYBRID = "hybrid"
    BM25_ONLY = "bm25_only"
    VEC_ONLY = "vec_only"
    REPLAY = "replay"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Trace:
    """The record of one run: enough to show it and to recompute every score."""

    profile: str
    parameters_hash: str
    k: int
    mode: Mode
    why_this_mode: str
    warnings: tuple[str, ...]
    sources: tuple[SourceTrace, ...]
    gathered: tuple[MemoryId, ...]
    stages: tuple[StageTrace, ...]
    elapsed_ms: float = field(default=0.0, compare=False)
