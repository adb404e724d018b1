"""A report of a run: the breakdown of a score, the funnel, the rank of each result from stage to stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from core import text
from core.model import Memory, MemoryId
from core.pipeline.pool import Candidate
from core.pipeline.run import Ranking
from core.pipeline.trace import Breakdown as Breakdown
from core.pipeline.trace import Contribution as Contribution
from core.pipeline.trace import Operator, Reason, Term, Trace

MAX_LINES = 12  # of rank paths

# How the parts of a score are called where people read them; the keys are the names that parameters and tools use.
LABELS: Mapping[str, str] = {
    "words": "BM25",
    "meaning": "Vector similarity",
    "beside": "Session neighbours",
    "named": "Named entity",
    "time": "Time match",
    "newer": "Update preference",
    "bm25": "BM25",
    "vector": "Vector similarity",
    "decay": "Decay",
    "confidence": "Confidence",
    "contradiction": "Contradiction",
    "relevance": "Relevance",
    "dedup": "Deduplication",
    "top": "Top k",
    "budget": "Token budget",
}

_SIGNS = {Operator.SUM: " + ", Operator.PRODUCT: " × ", Operator.DIVIDE: " / ", Operator.SUBTRACT: " − "}


@dataclass(frozen=True, slots=True)
class RankedResult:
    """One line of an answer. `lists` are its rank and raw score in each list that brought it."""

    rank: int
    memory: Memory
    score: float
    term: Term | None
    breakdown: Breakdown
    lists: Mapping[str, tuple[int, float]]
    tokens: float


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """A source or a stage: how many candidates entered (none for a source) and remained, its time, and the drops."""

    name: str
    is_source: bool
    entered: int
    remaining: int
    elapsed_ms: float
    lost: Mapping[str, int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class RankPath:
    """A memory's rank in each list and after each stage; None where it is not."""

    id: MemoryId
    content: str
    ranks: tuple[int | None, ...]
    is_result: bool


@dataclass(frozen=True, slots=True)
class RankPaths:
    stops: tuple[str, ...]
    lines: tuple[RankPath, ...]


@dataclass(frozen=True, slots=True)
class LostCandidate:
    """A candidate that was dropped: at which stage, from which rank, and why."""

    memory: Memory
    stage: str
    rank: int
    score: float | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class RankComparison:
    """A memory's ranks in two answers; `move` is by how many it rose, None when it is in one of them only."""

    memory: Memory
    rank_a: int | None
    rank_b: int | None

    @property
    def move(self) -> int | None:
        return None if self.rank_a is None or self.rank_b is None else self.rank_a - self.rank_b


def label(name: str) -> str:
    """Return how a part of a score is called where people read it; a name without a label stays as it is."""
    return LABELS.get(name, name)


def formula(term: Term, digits: int = 4, *, is_named: bool = False) -> str:
    """Return the formula of a number with its operands, each followed by its name on request."""
    numbers = [number(part.value, digits) + (_named(part) if is_named else "") for part in term.parts]
    if not numbers:
        return ""
    if term.operation is Operator.RECIPROCAL_RANK:
        return f"{numbers[0]} / ({numbers[1]} + {numbers[2]})"
    if term.operation is Operator.POWER:
        return f"{numbers[0]} ^ {numbers[1]}"
    sign = _SIGNS.get(term.operation)
    return sign.join(numbers) if sign else f"{term.operation}({', '.join(numbers)})"


def _named(part: Term) -> str:
    """Return the name after an operand; in parentheses if it is a formula itself."""
    name = label(part.name)
    return f" {name}" if name.replace(" ", "").isalnum() else f" ({name})"


def number(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}g}"


def results(ranking: Ranking) -> tuple[RankedResult, ...]:
    return tuple(_result(rank, candidate) for rank, candidate in enumerate(ranking.results, 1))


def _result(rank: int, candidate: Candidate) -> RankedResult:
    return RankedResult(
        rank=rank,
        memory=candidate.memory,
        score=candidate.value,
        term=candidate.score,
        breakdown=candidate.breakdown,
        lists=candidate.ranks,
        tokens=text.estimate_tokens(candidate.memory.content),
    )


def funnel(trace: Trace) -> tuple[FunnelStep, ...]:
    sources = (
        FunnelStep(each.name, True, 0, each.found, each.elapsed_ms, {}, each.failure or " ".join(each.notes))
        for each in trace.sources
    )
    stages = (
        FunnelStep(each.name, False, each.entered, each.remaining, each.elapsed_ms,
             Counter(str(drop.reason.kind) for drop in each.drops), " ".join(each.notes))
        for each in trace.stages
    )  # fmt: skip
    return (*sources, *stages)


def flow(ranking: Ranking) -> RankPaths:
    """Return the rank paths of the results and of the nearest misses."""
    trace, pool = ranking.trace, ranking.candidates.pool
    lists = tuple(source.name for source in trace.sources)
    after = [{id: rank for rank, (id, _) in enumerate(stage.order, 1)} for stage in trace.stages]
    won = [result.id for result in ranking.results]
    nearest = sorted(
        ((-at, drop.rank, drop.memory_id) for at, stage in enumerate(trace.stages) for drop in stage.drops),
    )
    selected = [*won[:MAX_LINES], *(id for _, _, id in nearest[: max(0, MAX_LINES - len(won))])]
    pool.memories.read(selected)
    lines = []
    for id in dict.fromkeys(selected):
        row = pool.rows[id]
        columns = (pool.lists[name] for name in lists)
        found = tuple(int(each.ranks[row]) if each.present[row] else None for each in columns)
        ranks = (*found, *(stage.get(id) for stage in after))
        lines.append(RankPath(id, pool.memory(row).content, ranks, id in won))
    return RankPaths((*lists, *(stage.name for stage in trace.stages)), tuple(lines))


def lost(trace: Trace, memories: Mapping[MemoryId, Memory]) -> tuple[LostCandidate, ...]:
    """Return every dropped candidate, those that passed most stages first."""
    found = [
        (-at, LostCandidate(memories[drop.memory_id], stage.name, drop.rank, drop.score, drop.reason))
        for at, stage in enumerate(trace.stages)
        for drop in stage.drops
        if drop.memory_id in memories
    ]
    return tuple(each for _, each in sorted(found, key=lambda pair: (pair[0], pair[1].rank)))
