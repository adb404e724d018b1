"""What a source and a stage must be. The reader beneath them is `core/search_reader.py`, which a store satisfies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Protocol

from core.errors import UserError
from core.model import Link, Memory, MemoryId
from core.pipeline.candidate import Pool
from core.pipeline.query import Query
from core.pipeline.trace import Drop, Reason, Term
from core.search_reader import SearchReader as SearchReader


@dataclass(frozen=True, slots=True)
class SourceResult:
    """A source's list: memories with scores and, for those to be explained, how the score came about; others
    that come along without a score; links; and memories that were read on the way, which need not be read again."""

    scores: Mapping[MemoryId, float] = field(default_factory=dict)
    terms: Mapping[MemoryId, Term] = field(default_factory=dict)
    also: frozenset[MemoryId] = frozenset()
    links: tuple[Link, ...] = ()
    memories: Mapping[MemoryId, Memory] = field(default_factory=dict)
    limit: int | None = None
    failure: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GatherState:
    """What earlier sources brought: their lists by name, and every memory of them."""

    lists: Mapping[str, SourceResult] = field(default_factory=dict)
    ids: frozenset[MemoryId] = frozenset()

    def with_list(self, name: str, found: SourceResult) -> GatherState:
        return GatherState({**self.lists, name: found}, self.ids | found.scores.keys() | found.also)


class Source(Protocol):
    """A frozen dataclass that asks the reader; `name` is its list, by which stages refer to it."""

    @property
    def name(self) -> str: ...

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult: ...

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        """Why this source did not bring a memory that does exist."""
        ...


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a stage made of a pool; `facts` are what it held of those that stayed, beside their scores."""

    pool: Pool
    drops: Sequence[Drop] = ()
    facts: Mapping[MemoryId, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Stage(Protocol):
    """A frozen dataclass that scores or drops candidates. It reads nothing else: the same pool, the same result."""

    @property
    def name(self) -> str: ...

    def __call__(self, query: Query, pool: Pool) -> StageResult: ...


def weighted(step: str, lists: Sequence[str], weights: Sequence[float]) -> tuple[tuple[str, float], ...]:
    """The lists that a step adds up, each with its weight."""
    if len(weights) != len(lists):
        named = ", ".join(lists) or "none"
        raise UserError(f"{step}.weights must be {len(lists)} numbers, one for each list: {named}.")
    return tuple(zip(lists, weights, strict=True))


def parameters(step: Any) -> Mapping[str, Any]:
    """A step's fields are its parameters: the form, the tuner, the trace and the documents read these."""
    return _parameters(step)


@lru_cache(maxsize=1024)  # every run tells those of all its steps
def _parameters(step: Any) -> Mapping[str, Any]:
    return {each.name: getattr(step, each.name) for each in fields(step) if each.name != "name"}
