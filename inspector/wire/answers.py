"""Answers, explanations down to each number, traces and profiles."""

from __future__ import annotations

from typing import Any

from core.clock import to_iso
from core.pipeline.pool import Candidate
from core.pipeline.run import Profile
from core.pipeline.stage import parameters
from core.pipeline.trace import Reason, Term, Trace
from core.services.query import Answer, Explanation
from core.services.why_not import SuggestedChange, WhyNot
from inspector.wire import brief
from inspector.wire.brief import NOTICE
from inspector.wire.memories import memory
from inspector.wire.plain import plain


def term(value: Term) -> dict[str, Any]:
    """Return a number with its operation and its parts; `value` follows from the parts' values by `operation`."""
    shape: dict[str, Any] = {"name": value.name, "value": value.value, "operation": value.operation}
    if value.parts:
        shape["parts"] = [term(part) for part in value.parts]
    if value.facts:
        shape["facts"] = plain(value.facts)
    return shape


def reason(value: Reason) -> dict[str, Any]:
    return {"kind": value.kind, "sentence": value.sentence, "facts": plain(value.facts)}


def result(value: Candidate, rank: int) -> dict[str, Any]:
    return {
        "rank": rank,
        "score": value.value,
        "memory": memory(value.memory),
        "lists": lists(value),
        "explanation": None if (score := value.score) is None else term(score),
    }


def lists(value: Candidate) -> dict[str, Any]:
    """Return a memory's raw score and rank in each list, and the tree of the raw score."""
    return {
        name: {"score": hit.score, "rank": hit.rank, "explanation": term(hit.term)} for name, hit in value.hits.items()
    }


def answer(value: Answer) -> dict[str, Any]:
    """Return an answer with the explanation of every result and the trace of the run."""
    return {
        "query": value.query.text,
        "as_of": to_iso(value.query.now),
        "profile": value.profile.name,
        "k": value.query.k,
        "mode": value.ranking.trace.mode,
        "why_this_mode": value.ranking.trace.why_this_mode,
        "warnings": list(value.ranking.trace.warnings),
        "results": [result(each, rank) for rank, each in enumerate(value.ranking.results, 1)],
        "prompt": value.prompt,
        "trace": trace(value.ranking.trace),
    }


def section(value: Answer) -> str:
    """Return the memories for a prompt, after the notice; empty when there are none."""
    return noticed(value.prompt)


def noticed(prompt: str) -> str:
    """Return a section of a prompt after the notice; empty when there is nothing in it."""
    return f"{NOTICE}\n\n{prompt}" if prompt else ""


def hook_output(section: str, event: str) -> dict[str, Any]:
    """Return the answer to a hook's event in Claude Code's format; an empty object adds nothing."""
    if not section:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": section}}


def recalled(value: Answer) -> dict[str, Any]:
    """Return an answer for an agent in full: the brief one, with whole memories, exact scores and their parts, the
    section for a prompt and the trace."""
    ranking = value.ranking
    return {
        **brief.recalled(value),
        "query": value.query.text,
        "profile": value.profile.name,
        "mode": str(ranking.trace.mode),
        "why_this_mode": ranking.trace.why_this_mode,
        "results": [
            {
                **short,
                "rank": rank,
                "score": each.value,
                "memory": memory(each.memory),
                **brief.breakdown(each.breakdown),
            }
            for rank, (short, each) in enumerate(zip(brief.results(value), ranking.results, strict=True), 1)
        ],
        "prompt": section(value),
        "trace": trace(ranking.trace),
    }


def trace(value: Trace) -> dict[str, Any]:
    return {
        "profile": value.profile,
        "parameters_hash": value.parameters_hash,
        "elapsed_ms": value.elapsed_ms,
        "gathered": list(value.gathered),
        "sources": [
            {
                "name": source.name,
                "kind": source.kind,
                "parameters": plain(source.parameters),
                "found": source.found,
                "limit": source.limit,
                "failure": source.failure,
                "notes": list(source.notes),
                "elapsed_ms": source.elapsed_ms,
            }
            for source in value.sources
        ],
        "stages": [
            {
                "name": stage.name,
                "parameters": plain(stage.parameters),
                "entered": stage.entered,
                "left": stage.remaining,
                "order": [{"memory": id, "score": score} for id, score in stage.order],
                "dropped": [
                    {"memory": drop.memory_id, "rank": drop.rank, "score": drop.score, "reason": reason(drop.reason)}
                    for drop in stage.drops
                ],
                "facts": plain(stage.facts),
                "notes": list(stage.notes),
                "elapsed_ms": stage.elapsed_ms,
            }
            for stage in value.stages
        ],
    }


def explanation(value: Explanation) -> dict[str, Any]:
    score = value.score
    return {
        "memory": memory(value.memory),
        "query": value.answer.query.text,
        "as_of": to_iso(value.answer.query.now),
        "profile": value.answer.profile.name,
        "k": value.answer.query.k,
        "returned": value.rank is not None,
        "rank": value.rank,
        "score": None if score is None else score.value,
        "explanation": None if score is None else term(score),
        "lists": lists(value.candidate) if value.candidate is not None else {},
        "reason": reason(value.reason) if value.reason is not None else None,
        "absent": [reason(each) for each in value.absent],
        "steps": [
            {
                "stage": step.stage,
                "rank_before": step.rank_before,
                "rank_after": step.rank_after,
                "score_after": step.score_after,
                "reason": reason(step.reason) if step.reason is not None else None,
                "facts": plain(step.facts),
                "measured": None if step.measured is None else term(step.measured),
            }
            for step in value.steps
        ],
        "mode": value.answer.ranking.trace.mode,
        "why_this_mode": value.answer.ranking.trace.why_this_mode,
        "warnings": list(value.answer.ranking.trace.warnings),
        "trace": trace(value.answer.ranking.trace),
    }


def why_not(value: WhyNot) -> dict[str, Any]:
    return {
        "lost_at": value.lost_at,
        "reason": reason(value.reason) if value.reason is not None else None,
        "smallest_change": change(value.smallest) if value.smallest is not None else None,
        "changes": [change(each) for each in value.changes],
        "runs": value.runs,
        "is_complete": value.is_complete,
    }


def change(value: SuggestedChange) -> dict[str, Any]:
    return {
        "kind": value.kind,
        "what": value.what,
        "before": plain(value.before),
        "after": plain(value.after),
        "rank": value.rank,
        "sentence": value.sentence,
    }


def profile(value: Profile) -> dict[str, Any]:
    return {
        "name": value.name,
        "about": value.about,
        "source": value.source,
        "k": value.k,
        "statuses": [str(status) for status in value.statuses],
        "parameters_hash": value.parameters_hash,
        "steps": [
            {"name": step.name, "kind": type(step).__name__, "parameters": plain(parameters(step))}
            for step in value.steps
        ],
    }
