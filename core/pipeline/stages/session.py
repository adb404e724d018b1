"""Session neighbours: an answer often shares no word with the question before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

from core.errors import UserError
from core.formulas import evidence, ranks
from core.model import MemoryId
from core.pipeline.query import Query
from core.pipeline.stage import GatherState, SearchReader, Source, SourceKind, SourceResult, between, weighted
from core.pipeline.trace import Operator, Reason, ReasonKind, Term, leaf, term
from core.search_types import Order, Selection, SortColumn


@dataclass(frozen=True, slots=True)
class SessionNeighbours(Source):
    """Each of the best by words gives a share of its score to those around it in its session; stands after `lists`.

    A score is Σ share · Σ weight · the giver's score in a list. Only the best `among` give: in a large store the
    hundredth match says little of itself and nothing of its neighbours. Of the memories found by no other source, the
    `limit` with the highest scores are kept, or a multiple of k if larger.
    """

    name: str = "session"
    lists: tuple[str, ...] = ("stems", "plain")
    weights: tuple[float, ...] = (0.7, 0.3)
    among: int = between(12, 0, 1_000)
    limit: int = between(20, 1, 100_000)
    min_limit_per_k: int = between(2, 0, 1_000)
    steps: int = between(2, 0, 10)
    share: float = between(0.3, 0, 1)
    per_step: float = between(0.5, 0, 1)
    question_share: float = between(0.6, 0, 1)

    def idle_parameters(self) -> dict[str, str]:
        """Without a step nothing is given; only from the second step on something is taken off a share."""
        giving = ("share", "per_step", "question_share", "lists", "weights", "limit", "min_limit_per_k")
        if not self.steps:
            return dict.fromkeys((*giving, "among"), f"{self.name}.steps above 0")
        if not self.among:
            return dict.fromkeys((*giving, "steps"), f"{self.name}.among above 0")
        return {"per_step": f"{self.name}.steps above 1"} if self.steps == 1 else {}

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        found = {name: state.lists[name].scores for name in self._checked_lists(state)}
        worth: dict[MemoryId, float] = {}
        for name, weight in self._weighted:
            for id, score in found[name].items():
                worth[id] = worth.get(id, 0.0) + weight * score
        best = ranks.ordered(worth)[: self.among]
        around = reader.session_neighbours(best, query.filter, self.steps) if best else {}
        facts = reader.facts(around)
        asking = set(facts.ids[facts.asks].tolist())
        share = cache(self._share)
        given: dict[MemoryId, list[_Contribution]] = {}
        scores: dict[MemoryId, float] = {}
        for giver in best:
            asks, own = giver in asking, worth[giver]
            for other, step in around.get(giver, ()):
                gift = _Contribution(giver, step, share(step, asks))
                given.setdefault(other, []).append(gift)
                scores[other] = scores.get(other, 0.0) + gift.share * own
        limit = max(self.limit, self.min_limit_per_k * query.k)
        beyond = [id for id in ranks.ordered(scores) if id not in state.ids][limit:]
        for id in beyond:
            del scores[id]
        return SourceResult(scores=scores, details=given, limit=limit)

    def explain(
        self, query: Query, reader: SearchReader, state: GatherState, ids: frozenset[MemoryId]
    ) -> Mapping[MemoryId, Term]:
        own, found = state.lists[self.name], {name: state.lists[name].scores for name in self.lists}
        return {id: self._explained(own.scores[id], own.details[id], found) for id in ids if id in own.scores}

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        own = reader.memories((id,))
        facts = {"list": self.name, "steps": self.steps, "among": self.among}
        if not all(memory.session for memory in own.values()):
            sentence = "It belongs to no session, so it has no neighbours."
        elif not any(reader.session_neighbours((id,), query.filter, self.steps).values()):
            sentence = "It has no neighbour in its session that passes the filter and was created at another time."
        else:
            sentence = (
                f"None of the {self.among} best by words is within {self.steps} steps of it in its session, or others"
                " are given more."
            )
        return Reason(ReasonKind.NOT_MATCHED, sentence, facts)

    @property
    def _weighted(self) -> tuple[tuple[str, float], ...]:
        return weighted(self.name, self.lists, self.weights)

    def _checked_lists(self, state: GatherState) -> tuple[str, ...]:
        for name in self.lists:
            if name not in state.lists:
                known = ", ".join(state.lists) or "none"
                raise UserError(f"The source {self.name} uses a list {name[:40]!r}; before it there are: {known}.")
        return self.lists

    def _share(self, step: int, asks: bool) -> float:
        return evidence.neighbour_share(
            step, asks=asks, share=self.share, per_step=self.per_step, question_share=self.question_share
        )

    def _explained(
        self, score: float, gifts: list[_Contribution], found: Mapping[str, Mapping[MemoryId, float]]
    ) -> Term:
        """Explain which neighbours contributed; the root is the list's own score, as with full text."""

        def given(gift: _Contribution) -> Term:
            words = (
                term(
                    f"{name} of the neighbour, weighted",
                    Operator.PRODUCT,
                    leaf("weight", weight),
                    leaf(f"{name} of the neighbour", found[name][gift.giver]),
                )
                for name, weight in self._weighted
                if gift.giver in found[name]
            )
            share = leaf("share", gift.share)
            bm25 = term("BM25 of the neighbour", Operator.SUM, *words)
            return term("neighbour", Operator.PRODUCT, share, bm25, memory=gift.giver, place=gift.place)

        return Term(self.name, score, Operator.SUM, tuple(map(given, gifts)))


@dataclass(frozen=True, slots=True)
class SessionReplay(Source):
    """Every memory of the query's session, the first made first; the score of number n is 1 / n. robotmem, session
    filter: episode replay."""

    kind: ClassVar[SourceKind] = SourceKind.REPLAY
    name: str = "replay"
    limit: int = between(10_000, 1, 100_000)  # of these the filters choose, and then k

    def __call__(self, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
        order = Order(SortColumn.CREATED, descending=False)
        ids = reader.list_ids(Selection(filter=query.filter), order, query.now, self.limit)
        numbers = {MemoryId(id): number for number, id in enumerate(ids, 1)}
        scores = {id: 1 / number for id, number in numbers.items()}
        warnings = self._cut(len(numbers), query.k)
        return SourceResult(scores=scores, details=numbers, limit=self.limit, warnings=warnings)

    def explain(
        self, query: Query, reader: SearchReader, state: GatherState, ids: frozenset[MemoryId]
    ) -> Mapping[MemoryId, Term]:
        numbers = state.lists[self.name].details
        return {id: self._explained(numbers[id]) for id in ids if id in numbers}

    def _cut(self, found: int, k: int) -> tuple[str, ...]:
        if found >= self.limit:
            return (f"Only the first {self.limit:,} memories of the session are looked at.",)
        return (f"The session has {found:,} memories; at most {k:,} are listed.",) if found > k else ()

    def why_absent(self, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
        sentence = f"It is not among the first {self.limit} of its session."
        return Reason(ReasonKind.BEYOND_LIMIT, sentence, {"list": self.name, "limit": self.limit})

    def _explained(self, number: int) -> Term:
        return term(self.name, Operator.DIVIDE, leaf("one", 1.0), leaf("number in the session", number))


class _Contribution(NamedTuple):
    """From which memory, how many steps before the receiver (after it, if negative), and which share."""

    giver: MemoryId
    step: int
    share: float

    @property
    def place(self) -> str:
        return f"{abs(self.step)} {'before' if self.step > 0 else 'after'} it in the session"
