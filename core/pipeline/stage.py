"""What a source and a stage must be. The reader beneath them is `core/search_reader.py`, which a store satisfies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, ClassVar

from core.errors import UserError
from core.model import Link, MemoryId
from core.pipeline.pool import Candidates, Step
from core.pipeline.query import Query
from core.pipeline.trace import Reason, Term
from core.search_reader import SearchReader as SearchReader


class SourceKind(StrEnum):
    """What a source searches by; the mode of an answer follows from the kinds that found something."""

    TEXT = "full text"
    VECTORS = "vectors"
    RELATED = "related"  # to what others found, or to no query at all
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class SourceResult:
    """A source's list: memories with scores, in any order; others without a score; links; and what the source itself
    needs to explain a score later."""

    scores: Mapping[MemoryId, float] = field(default_factory=dict)
    also: frozenset[MemoryId] = frozenset()
    links: tuple[Link, ...] = ()
    details: Any = None
    limit: int | None = None
    is_fallback: bool = False  # the scores are no BM25: the share of the words that a text contains
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


@dataclass(frozen=True, slots=True)
class _Named:
    name: str = ""

    def idle_parameters(self) -> dict[str, str]:
        """Return the parameters that have no effect as the others are set, and what each of them needs."""
        needs = ((each.name, each.metadata.get("needs")) for each in fields(self))
        return {name: f"{self.name}.{other} above 0" for name, other in needs if other and not getattr(self, other)}

    def overridden(self, _: Query) -> dict[str, str]:
        """Return the parameters that a query overrides or does not use, and why."""
        return {}


@dataclass(frozen=True, slots=True)
class Source(_Named):
    """Searches with the reader; stages refer to its list by `name`."""

    kind: ClassVar[SourceKind] = SourceKind.RELATED

    def expect(self, query: Query, reader: SearchReader) -> None:
        """Announce a search that takes long, so that it can run in the background during the others."""

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        raise NotImplementedError

    def explain(
        self, _query: Query, _reader: SearchReader, _state: GatherState, _ids: frozenset[MemoryId], /
    ) -> Mapping[MemoryId, Term]:
        """Return how the scores of some memories came about; of those that are just a number nothing."""
        return {}

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        """Return why this source did not find an existing memory."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Stage(_Named):
    """Scores or drops candidates. It reads nothing but them: the same candidates, the same result."""

    @property
    def lists_read(self) -> tuple[str, ...]:
        """The lists that it ranks by."""
        named = [getattr(self, each.name) for each in fields(self) if "is_list" in each.metadata]
        return tuple(name for each in named for name in ((each,) if isinstance(each, str) else each))

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        raise NotImplementedError


def weighted(step: str, lists: Sequence[str], weights: Sequence[float]) -> tuple[tuple[str, float], ...]:
    """Return the lists that a step adds up, each with its weight."""
    if len(weights) != len(lists):
        named = ", ".join(lists) or "none"
        raise UserError(f"{step}.weights must be {len(lists)} numbers, one for each list: {named}.")
    return tuple(zip(lists, weights, strict=True))


def between(default: Any, least: float, most: float, *, needs: str = "") -> Any:
    """Return a parameter's field with the range it must be in: beyond it a number is meaningless or runs for hours. It
    has no effect while the field that it `needs` is 0."""
    return field(default=default, metadata={"range": (least, most), "needs": needs})


def needing(default: Any, other: str) -> Any:
    """Return a parameter's field that has no effect while another is 0."""
    return field(default=default, metadata={"needs": other})


def list_named(default: str | tuple[str, ...]) -> Any:
    """Return a field that names one list that the step ranks by, or several."""
    return field(default=default, metadata={"is_list": True})


def parameters(step: Any) -> Mapping[str, Any]:
    """Return a step's parameters, which are its fields: the form, the tuner, the trace and the documents read these."""
    return _parameters(step)


@lru_cache(maxsize=1024)  # every run reports those of all its steps
def _parameters(step: Any) -> Mapping[str, Any]:
    return {each.name: _typed(each.type, getattr(step, each.name)) for each in fields(step) if each.name != "name"}


def _typed(kind: Any, value: Any) -> Any:
    """Return a whole number in a field for any number as a float: equal steps have one text, and one hash."""
    return float(value) if type(value) is int and str(kind).startswith("float") else value
