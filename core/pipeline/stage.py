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
    """A source's list: memories with scores and, for those to be explained, the explanation of the score; others
    without a score; links; and memories that were read already."""

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
    """What earlier sources found: their lists by name, and the ids of all memories."""

    lists: Mapping[str, SourceResult] = field(default_factory=dict)
    ids: frozenset[MemoryId] = frozenset()

    def with_list(self, name: str, found: SourceResult) -> GatherState:
        return GatherState({**self.lists, name: found}, self.ids | found.scores.keys() | found.also)


class Source(Protocol):
    """A frozen dataclass that searches with the reader; stages refer to its list by `name`."""

    @property
    def name(self) -> str: ...

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult: ...

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        """Return why this source did not find an existing memory."""
        ...


@dataclass(frozen=True, slots=True)
class StageResult:
    """The pool after a stage; `facts` are what it reports about the remaining candidates besides scores."""

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
    return {each.name: _typed(each.type, getattr(step, each.name)) for each in fields(step) if each.name != "name"}


def _typed(kind: Any, value: Any) -> Any:
    """Return a whole number in a field for any number as a float: equal steps have one text, and one hash."""
    return float(value) if type(value) is int and str(kind).startswith("float") else value
