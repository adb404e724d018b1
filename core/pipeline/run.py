"""Running a profile: sources in order, then stages in order, each timed and traced."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.errors import Unavailable, UserError
from core.model import MemoryId
from core.pipeline.pool import Candidate, Candidates, Memories, Pool, ScoreColumn, StageTrace, Step
from core.pipeline.profile import Profile as Profile
from core.pipeline.query import Query
from core.pipeline.stage import GatherState, SearchReader, Source, SourceKind, SourceResult, Stage
from core.pipeline.stages.recall import filtered_out
from core.pipeline.trace import Mode, Reason, ReasonKind, SourceTrace, Trace


@dataclass(frozen=True)
class Ranking:
    """The candidates after the last stage, and the trace; `absent` says why explained memories were not gathered."""

    candidates: Candidates
    trace: Trace
    absent: Mapping[MemoryId, tuple[Reason, ...]] = field(default_factory=dict)

    @cached_property
    def results(self) -> tuple[Candidate, ...]:
        return tuple(map(self.candidates.candidate, self.candidates.order.tolist()))

    @cached_property
    def finals(self) -> Mapping[MemoryId, Candidate]:
        """The last state of every candidate, by memory."""
        found = {result.id: result for result in self.results}
        for stage in reversed(self.trace.stages):
            for row in np.setdiff1d(stage.before.rows, stage.after.rows).tolist():
                dropped = stage.before.candidate(row)
                found[dropped.id] = dropped
        return found


def run(profile: Profile, query: Query, reader: SearchReader) -> Ranking:
    """Run a profile on a query and return the ranking with its trace; the memories of the results are read."""
    started = time.perf_counter()
    gathered = gather(profile, query, reader)
    stages = judge(profile, query, gathered.pool)
    candidates = stages[-1].after if stages else _all(gathered.pool)
    results = [gathered.pool.ids[row] for row in candidates.rows.tolist()]
    gathered.pool.memories.read(results)
    explained = query.explained.union(results) if query.explains_results else query.explained
    gathered.explain(profile, query, reader, explained)
    absent = {id: _why_absent(profile, query, reader, id) for id in query.explained if id not in gathered.pool.rows}
    mode, why = _mode(profile, gathered.sources)
    trace = Trace(
        profile=profile.name,
        parameters_hash=profile.parameters_hash,
        k=query.k,
        mode=mode,
        why_this_mode=why,
        warnings=tuple(dict.fromkeys((*query.notes, *gathered.warnings, *_warnings(stages)))),
        sources=gathered.sources,
        gathered=tuple(gathered.pool.ids),
        stages=stages,
        elapsed_ms=(time.perf_counter() - started) * 1000,
    )
    return Ranking(candidates, trace, absent)


def rank_of(profile: Profile, query: Query, reader: SearchReader, id: MemoryId) -> int | None:
    """Return the rank that a memory would have; no stage runs if no source finds it."""
    pool = gather(profile, query, reader).pool
    return rank_in(profile.stages, query, pool, id)


def rank_in(
    stages: tuple[Stage, ...], query: Query, pool: Pool, id: MemoryId, candidates: Candidates | None = None
) -> int | None:
    """Return the rank that the stages give to a memory of a pool, or of what earlier stages left of it; None for one
    that is not there, or is dropped."""
    row = pool.rows.get(id)
    if row is None:
        return None
    candidates = _all(pool) if candidates is None else candidates
    with np.errstate(all="ignore"):
        for stage in stages:
            candidates = candidates.after(_judged(stage, query, candidates))
    found = np.flatnonzero(candidates.order == row)
    return int(found[0]) + 1 if len(found) else None


@dataclass(frozen=True, slots=True)
class GatherResult:
    """What the sources found: the pool, and a trace of each source."""

    pool: Pool
    state: GatherState
    sources: tuple[SourceTrace, ...]
    warnings: tuple[str, ...]

    def explain(self, profile: Profile, query: Query, reader: SearchReader, ids: Iterable[MemoryId]) -> None:
        """Have every source explain its scores of some memories, from the snapshot that is still open."""
        wanted = frozenset(ids)
        for source in profile.recall if wanted else ():
            terms = source.explain(query, reader, self.state, wanted)
            self.pool.lists[source.name].terms.update({self.pool.rows[id]: term for id, term in terms.items()})


def gather(profile: Profile, query: Query, reader: SearchReader) -> GatherResult:
    """Run the sources in order and return what they found."""
    profile.refuse_unknown_lists()
    state = GatherState()
    traces: list[SourceTrace] = []
    warnings: tuple[str, ...] = ()
    for source in profile.recall:
        source.expect(query, reader)
    for source in profile.recall:
        begun = time.perf_counter()
        found = search(source, query, reader, state)
        state = state.with_list(source.name, found)
        warnings += (found.failure, *found.warnings) if found.failure else found.warnings
        traces.append(
            SourceTrace(
                name=source.name,
                kind=type(source).__name__,
                parameters=profile.parameters[source.name],
                found=len(found.scores) + len(found.also),
                limit=found.limit,
                failure=found.failure,
                notes=found.notes,
                elapsed_ms=(time.perf_counter() - begun) * 1000,
            )
        )
    return GatherResult(pool_of(state, reader), state, tuple(traces), warnings)


def search(source: Source, query: Query, reader: SearchReader, state: GatherState) -> SourceResult:
    """Return what a source finds; one that fails does not stop the others."""
    try:
        return source(query, reader, state)
    except Unavailable as down:
        return SourceResult(failure=str(down))
    except (ArithmeticError, ValueError) as error:
        raise UserError(f"The source {source.name} cannot compute with these parameters: {error}.") from error


def pool_of(state: GatherState, reader: SearchReader) -> Pool:
    """Return all that the sources found, as columns."""
    facts = reader.facts(state.ids)
    ids = facts.ids
    lists = {}
    for name, found in state.lists.items():
        scores = np.full(len(ids), np.nan)
        if found.scores:
            own = np.fromiter(found.scores, dtype=np.int64, count=len(found.scores))
            at = np.searchsorted(ids, own)
            if len(ids) < len(state.ids):  # a damaged index may find what is no memory
                exists = (at < len(ids)) & (ids[np.minimum(at, len(ids) - 1)] == own)
                at, values = at[exists], np.fromiter(found.scores.values(), dtype=np.float64)[exists]
            else:
                values = np.fromiter(found.scores.values(), dtype=np.float64, count=len(found.scores))
            scores[at] = values
        lists[name] = ScoreColumn(name, scores)
    links = {link.id: link for found in state.lists.values() for link in found.links}
    return Pool(
        facts,
        lists,
        Memories(reader.memories),
        tuple(links.values()),
        reader.count(),
        reader.newest_created_at,
        reader.vocabulary,
    )


def judge(profile: Profile, query: Query, pool: Pool) -> tuple[StageTrace, ...]:
    """Run the stages of a profile in order and return the trace of each."""
    candidates, traces = _all(pool), []
    with np.errstate(all="ignore"):  # a number that is none is reported as an error of the parameters
        for stage in profile.stages:
            begun = time.perf_counter()
            step = _judged(stage, query, candidates)
            after = candidates.after(step)
            elapsed_ms = (time.perf_counter() - begun) * 1000
            traces.append(StageTrace(stage.name, profile.parameters[stage.name], candidates, step, after, elapsed_ms))
            candidates = after
    return tuple(traces)


def _all(pool: Pool) -> Candidates:
    return Candidates(pool, np.arange(len(pool)))


def _warnings(stages: Iterable[StageTrace]) -> tuple[str, ...]:
    return tuple(warning for stage in stages for warning in stage.step.warnings)


def _judged(stage: Stage, query: Query, candidates: Candidates) -> Step:
    """Run a stage; a score that is not finite is reported as an error of the parameters."""
    try:
        step = stage(query, candidates)
        if step.score is None:
            return step
        step.score.is_score = True
        if (
            np.isfinite(step.score.values).all()
            or np.isfinite(step.score.column(len(candidates.pool))[candidates.rows]).all()
        ):
            return step
        wrong = "a score that is no number"
    except (ArithmeticError, ValueError) as error:
        wrong = str(error)
    raise UserError(f"The stage {stage.name} cannot compute with these parameters: {wrong}.")


def _why_absent(profile: Profile, query: Query, reader: SearchReader, id: MemoryId) -> tuple[Reason, ...]:
    if not reader.fitting((id,), query.filter):
        return (filtered_out(query.filter),)
    return tuple(_why_not_from(source, query, reader, id) for source in profile.recall)


def _why_not_from(source: Source, query: Query, reader: SearchReader, id: MemoryId) -> Reason:
    try:
        return source.why_absent(query, reader, id)
    except Unavailable as down:
        return Reason(ReasonKind.NOT_MATCHED, str(down), {"list": source.name})


def _mode(profile: Profile, sources: tuple[SourceTrace, ...]) -> tuple[Mode, str]:
    """Return which kinds of search answered, and why the others did not."""
    asked = tuple(zip(profile.recall, sources, strict=True))
    if any(source.kind is SourceKind.REPLAY for source in profile.recall):
        return Mode.REPLAY, "The query * lists the session in order, without a search."
    text = [trace for source, trace in asked if source.kind is SourceKind.TEXT]
    vectors = [trace for source, trace in asked if source.kind is SourceKind.VECTORS]
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
