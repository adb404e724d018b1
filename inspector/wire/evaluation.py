"""JSON of golden sets, measurements and tuning."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.clock import to_iso
from core.services.evaluate import Judgement, PairedComparison, Run, Target, Tuning, summary


def judgement(value: Judgement) -> dict[str, Any]:
    return {**asdict(value), "judged_at": to_iso(value.judged_at)}


def evaluated(value: Run) -> dict[str, Any]:
    """Return the means of a run, and for each query its metrics and what it missed."""
    return {
        **asdict(summary(value)),
        "per_query": [
            {"id": each.query.id, "category": each.query.category, "scores": each.scores, "missed": list(each.missed)}
            for each in value.judged
        ],
    }


def versus(value: PairedComparison) -> dict[str, Any]:
    return asdict(value)


def target(value: Target) -> dict[str, Any]:
    return {**asdict(value), "met": value.is_met}


def tuning(value: Tuning) -> dict[str, Any]:
    return {
        "metric": value.metric,
        "before": asdict(value.before),
        "best": asdict(value.best),
        "tries": [asdict(each) for each in value.tries],
    }
