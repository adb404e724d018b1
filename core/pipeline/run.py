"""Running a profile: sources in order, then stages in order, each timed and traced."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from core.errors import Unavailable, UserError
from core.fast_tuples import new_tuple
from core.formulas import ranks
from core.model import MemoryId, Status
from core.pipeline import former_names
from core.pipeline.candidate import Candidate, Hit, Pool
from core.pipeline.query import Query
from core.pipeline.stage import GatherState, SearchReader, Source, SourceResult, Stage, StageResult, parameters
from core.pipeline.stages.recall import COMPARING_VECTORS, FullText, VectorSearch, filtered_out
from core.pipeline.stages.session import SessionReplay
from core.pipeline.trace import Mode, Reason, ReasonKind, SourceTrace, StageTrace, Trace


@dataclass(frozen=True, slots=True)
class Profile:
    """A published design as data: its sources, its stages, and where it is described."""

    name: str
    about: str
    source: str
    recall: tuple[Source, ...]
    stages: tuple[Stage, ...]
    k: int = 5
    most_k: int = 1_000
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    clamps_k: bool = False

    @property
    def steps(self) -> tuple[Any, ...]:
        return (*self.recall, *self.stages)


@dataclass(frozen=True)
class Ranking:
    """`pools` are the pools before each drop, and the last; `absent` says why explained memories were not gathered."""

    results: tuple[Candidate, ...]
    trace: Trace
    pools: tuple[Pool, ...]
    absent: Mapping[MemoryId, tuple[Reason, ...]] = field(default_factory=dict)

    @cached_property
    def finals(self) -> Mapping[MemoryId, Candidate]:
        """The last state of every candidate, by memory."""
        return {each.memory.id: each for pool in self.pools for each in pool.candidates}


def run(profile: Profile, query: Query, reader: SearchReader) -> Ranking:
    """Run a profile on a query and return the ranking with its trace."""
    started = time.perf_counter()
    _refuse_unknown_lists(profile)
    state, sources, warnings = _ask(profile, query, reader)
    pool = _pool(state, reader)
    gathered = tuple([memory.id for memory in pool.memories])
    absent = {id: _why_absent(profile, query, reader, id) for id in query.explained if id not in gathered}
    stages: list[StageTrace] = []
    earlier_pools: list[Pool] = []
    for stage in profile.stages:
        begun = time.perf_counter()
        outcome = _judge(stage, query, pool)
        elapsed_ms = (time.perf_counter() - begun) * 1000
        stages.append(_stage_trace(stage, pool, outcome, elapsed_ms))
        warnings += outcome.warnings
        if len(outcome.pool) < len(pool):
            earlier_pools.append(pool)
        pool = outcome.pool
    mode, why = _mode(profile, sources)
    trace = Trace(
        profile=profile.name,
        parameters_hash=parameters_hash(profile),
        k=query.k,
        mode=mode,
        why_this_mode=why,
        warnings=tuple(dict.fromkeys((*query.notes, *warnings))),
        sources=sources,
        gathered=gathered,
        stages=tuple(stages),
        elapsed_ms=(time.perf_counter() - started) * 1000,
    )
    return Ranking(pool.candidates, trace, (*earlier_pools, pool), absent)


def rank_of(profile: Profile, query: Query, reader: SearchReader, id: MemoryId) -> int | None:
    """Return the rank that a memory would have, without a trace; no stage runs if no source finds it."""
    _refuse_unknown_lists(profile)
    state, _, _ = _ask(profile, query, reader)
    if id not in state.ids:
        return None
    pool = _pool(state, reader)
    for stage in profile.stages:
        pool = _judge(stage, query, pool).pool
    return next((rank for rank, at in enumerate(pool.places, 1) if pool.memories[at].id == id), None)


def _refuse_unknown_lists(profile: Profile) -> None:
    """Refuse a stage that ranks by a list that no source makes: it would silently score everything 0."""
    known = {source.name for source in profile.recall} | {"recency", "access"}
    for stage in profile.stages:
        for name in (*getattr(stage, "lists", ()), *filter(None, [getattr(stage, "list", "")])):
            if name not in known:
                raise UserError(
                    f"The stage {stage.name} uses a list {name[:40]!r}; there are {', '.join(sorted(known))}."
                )


def _judge(stage: Stage, query: Query, pool: Pool) -> StageResult:
    """Run a stage; a score that is not finite is reported as an error of the parameters."""
    try:
        outcome = stage(query, pool)
        scores = outcome.pool.values
        if outcome.pool is pool or math.isfinite(sum(scores)) or all(map(math.isfinite, scores)):
            return outcome
        wrong = "a score that is no number"
    except (ArithmeticError, ValueError) as error:
        wrong = str(error)
    raise UserError(f"The stage {stage.name} cannot compute with these parameters: {wrong}.")


@lru_cache(maxsize=256)
def parameters_hash(profile: Profile) -> str:
    """Return a hash that is equal for two runs exactly if their parameters are."""
    described = [
        [former_names.former_kind(type(step).__name__), former_names.with_former_names(parameters(step))]
        for step in profile.steps
    ]
    return hashlib.sha256(json.dumps([profile.name, described], sort_keys=True, default=str).encode()).hexdigest()[:16]


def _ask(
    profile: Profile, query: Query, reader: SearchReader
) -> tuple[GatherState, tuple[SourceTrace, ...], tuple[str, ...]]:
    """Run the sources in order and return what they found."""
    state = GatherState()
    traces: list[SourceTrace] = []
    warnings: tuple[str, ...] = ()
    for source in profile.recall:
        if isinstance(source, VectorSearch):
            source.expect(query, reader)
    for source in profile.recall:
        begun = time.perf_counter()
        try:
            found = source(query, reader, state)
        except Unavailable as down:
            found = SourceResult(failure=str(down))
        except (ArithmeticError, ValueError) as error:
            raise UserError(f"The source {source.name} cannot compute with these parameters: {error}.") from error
        state = state.with_list(source.name, found)
        warnings += (found.failure, *found.warnings) if found.failure else found.warnings
        traces.append(
            SourceTrace(
                name=source.name,
                kind=type(source).__name__,
                parameters=parameters(source),
                found=len(found.scores) + len(found.also),
                limit=found.limit,
                failure=found.failure,
                notes=found.notes,
                elapsed_ms=(time.perf_counter() - begun) * 1000,
            )
        )
    return state, tuple(traces), warnings


def _pool(state: GatherState, reader: SearchReader) -> Pool:
    memories = {id: memory for found in state.lists.values() for id, memory in found.memories.items()}
    memories |= reader.memories(state.ids - memories.keys())
    hits: dict[MemoryId, dict[str, Hit]] = {id: {} for id in sorted(memories)}
    for name, found in state.lists.items():
        for rank, id in enumerate(ranks.ordered(found.scores), 1):
            if id in hits:
                hits[id][name] = new_tuple(Hit, (name, found.scores[id], rank, found.terms.get(id)))
    candidates = tuple([new_tuple(Candidate, (memories[id], own, None)) for id, own in hits.items()])
    links = {link.id: link for found in state.lists.values() for link in found.links}
    return Pool(candidates, tuple(links.values()), reader.count(), reader.newest_created_at())


def _why_absent(profile: Profile, query: Query, reader: SearchReader, id: MemoryId) -> tuple[Reason, ...]:
    if not reader.fitting((id,), query.filter):
        return (filtered_out(query.filter),)
    return tuple(_why_not_from(source, query, reader, id) for source in profile.recall)


def _why_not_from(source: Source, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
    try:
        return source.why_absent(query, reader, id)
    except Unavailable as down:
        return Reason(ReasonKind.NOT_MATCHED, str(down), {"list": source.name})


def _stage_trace(stage: Stage, pool: Pool, outcome: StageResult, elapsed_ms: float) -> StageTrace:
    return StageTrace(
        name=stage.name,
        parameters=parameters(stage),
        entered=len(pool),
        remaining=len(outcome.pool),
        drops=outcome.drops,
        order=outcome.pool.order,
        facts=outcome.facts,
        notes=outcome.notes,
        elapsed_ms=elapsed_ms,
    )


def _mode(profile: Profile, sources: tuple[SourceTrace, ...]) -> tuple[Mode, str]:
    """Return which kinds of search answered, and why the others did not."""
    asked = tuple(zip(profile.recall, sources, strict=True))
    if any(isinstance(source, SessionReplay) for source in profile.recall):
        return Mode.REPLAY, "The query * looks for nothing: the session is listed in order."
    text = [trace for source, trace in asked if isinstance(source, FullText)]
    vectors = [trace for source, trace in asked if isinstance(source, COMPARING_VECTORS)]
    has_text, has_vectors = any(trace.found for trace in text), any(trace.found for trace in vectors)
    mode = {
        (True, True): Mode.HYBRID,
        (True, False): Mode.BM25_ONLY,
        (False, True): Mode.VEC_ONLY,
        (False, False): Mode.NOTHING,
    }[has_text, has_vectors]
    reasons = []
    for kind, traces, has in (("full text", text, has_text), ("vectors", vectors, has_vectors)):
        if not traces:
            reasons.append(f"The profile {profile.name} does not use {kind}.")
        elif failures := [trace.failure for trace in traces if trace.failure]:
            reasons.append(failures[0])
        elif not has:
            reasons.append(f"No memory was found by {kind}.")
    return mode, " ".join(reasons) or "Full text and vectors both answered."
