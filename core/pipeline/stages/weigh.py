"""Weights besides the match: age, confidence, strength, status, source, importance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.clock import DAY, HOUR, from_micros, to_micros
from core.errors import UserError
from core.formulas import decay, fusion
from core.formulas.numbers import Constant
from core.model import Importance, Memory, Status
from core.pipeline.expr import SCORE_AFTER, Expr, Mask, constant, total, where
from core.pipeline.pool import Candidates, Step, fact_columns
from core.pipeline.query import Query
from core.pipeline.stage import Stage, between, needing
from core.pipeline.stages.filter import MISSING, resolve
from core.pipeline.trace import Operator
from core.search_types import STATUSES, FactColumns

BASES = ("created", "accessed", "newest")

_TWO = Constant("two", 2.0)
_MICROSECOND = timedelta(microseconds=1)


def multiplied(stage: str, score: Expr, factor: Expr) -> Step:
    """Return each score times a factor. A negative score, as Okapi's formula gives, is multiplied by 2 − factor: what
    lowers a positive score must lower a negative one too, or old would come before new."""
    product = (score * factor).named(f"{SCORE_AFTER}{stage}")
    is_negative = np.less(score.values, 0.0)
    if not np.any(is_negative):
        return Step(product)
    raised = (score * (_TWO - factor).named(f"2 − {factor.name}")).named(product.name)
    return Step(where(np.broadcast_to(is_negative, np.shape(product.values)), raised, product))


@dataclass(frozen=True, slots=True)
class ConfidenceWeight(Stage):
    """score · confidence. Oro, scoring formula."""

    name: str = "confidence"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        confidence = Expr("confidence", candidates.pool.facts.confidence)
        return multiplied(self.name, candidates.score, confidence)


@dataclass(frozen=True, slots=True)
class DecayWeight(Stage):
    """score · decay of its age; a pinned memory never decays.

    Exactly one law is set: half_life_days (Oro, BCR), rate_per_day (OpenMem) or rate_per_hour (Recursive Light).
    The age counts from its creation, its last access (or creation, if it was never used), or relative to the
    newest memory of the store (BCR), so that a store at rest does not fade.
    """

    name: str = "decay"
    half_life_days: float | None = 30.0
    rate_per_day: float | None = None
    rate_per_hour: float | None = None
    basis: str = "created"

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        if self.basis not in BASES:
            raise UserError(f"{self.name}.basis must be one of {', '.join(BASES)}, not {self.basis!r}.")
        laws = [law for law in (self.half_life_days, self.rate_per_day, self.rate_per_hour) if law is not None]
        if len(laws) != 1 or laws[0] < 0 or (self.half_life_days is not None and self.half_life_days <= 0):
            raise UserError(
                f"{self.name} needs exactly one of half_life_days, rate_per_day and rate_per_hour, above 0."
            )
        pool = candidates.pool
        newest = pool.newest_created_at if self.basis == "newest" else None
        factor = self.factor(pool.facts, query.now, newest)
        return multiplied(self.name, candidates.score, factor)

    def factor(self, facts: FactColumns, now: datetime, newest: datetime | None) -> Expr:
        """Return what its age leaves of each memory's score."""
        since = facts.last_used if self.basis == "accessed" else facts.created
        until = min(newest or now, now) if self.basis == "newest" else now
        if self.half_life_days is not None:
            age, function = ages(since, until, "days"), "0.5 ^ (age / half-life)"
            left = decay.half_life(age, Constant("half-life in days", self.half_life_days))
        else:
            unit, rate = ("hours", self.rate_per_hour) if self.rate_per_day is None else ("days", self.rate_per_day)
            age, function = ages(since, until, unit), "exp(−rate · age)"
            left = decay.exponential(age, Constant(f"−rate per {unit[:-1]}", rate or 0.0))

        def details(row: int) -> Mapping[str, Any]:
            at = from_micros(int(since[row])).isoformat()
            return {"basis": self.basis, "since": at, "pinned": False, "function": function}

        return unless_pinned(facts.pinned, left.named("decay").with_facts(details))

    def remaining(self, memory: Memory, now: datetime, newest: datetime | None) -> float:
        """Return what its age leaves of one memory's score."""
        return self.factor(fact_columns([memory]), now, newest).at(0)


def ages(since: NDArray[np.int64], until: datetime, unit: str) -> Expr:
    """Return how long before a moment others were, in days or hours; one after it counts as the moment itself."""
    micros = (DAY if unit == "days" else HOUR) // _MICROSECOND
    return Expr(f"age in {unit}", np.maximum(0, to_micros(until) - since) / micros)


def unless_pinned(pinned: Mask, factor: Expr) -> Expr:
    """Return a factor of age, which is 1 for a pinned memory."""
    if not pinned.any():
        return factor
    return where(pinned, constant(factor.name, 1.0).with_facts(lambda _: {"pinned": True}), factor)


def recency(facts: FactColumns, now: datetime, rate_per_day: float) -> Expr:
    """Return exp(−rate · days since last access); a pinned memory does not fade."""

    def details(row: int) -> Mapping[str, Any]:
        return {"since": from_micros(int(facts.last_used[row])).isoformat(), "function": "exp(−rate · age)"}

    rate = Constant("−rate per day", rate_per_day)
    faded = decay.exponential(ages(facts.last_used, now, "days"), rate).named("recency")
    return unless_pinned(facts.pinned, faded.with_facts(details))


@dataclass(frozen=True, slots=True)
class BlendRecency(Stage):
    """(1 − weight) · score + weight · recency, recency falling linearly to 0 over the window. CC-v3, mode 2."""

    name: str = "recency"
    weight: float = 0.3
    window_days: float = needing(30.0, "weight")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        age = ages(candidates.pool.facts.created, query.now, "days")
        recent = decay.linear(age, Constant("window in days", self.window_days)).named("recency")
        shares = (
            (Constant("1 − weight", 1 - self.weight) * candidates.score).named("similarity share"),
            (Constant("weight", self.weight) * recent).named("recency share"),
        )
        return Step(total("blend", shares))


@dataclass(frozen=True, slots=True)
class Competition(Stage):
    """Weighted sum of activation, recency, strength and confidence. OpenMem, stage 4.

    Recency is exp(−rate · days since the last access, or since creation if it was never used).
    """

    name: str = "compete"
    activation: float = 0.5
    recency: float = 0.2
    strength: float = 0.2
    confidence: float = 0.1
    recency_rate_per_day: float = needing(0.05, "recency")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        facts = candidates.pool.facts
        weighed = (
            ("activation", self.activation, candidates.score),
            ("recency", self.recency, recency(facts, query.now, self.recency_rate_per_day)),
            ("strength", self.strength, Expr("strength", facts.strength)),
            ("confidence", self.confidence, Expr("confidence", facts.confidence)),
        )
        shares = [(Constant("weight", weight) * part).named(f"{name} share") for name, weight, part in weighed]
        return Step(total("competition", shares))


@dataclass(frozen=True, slots=True)
class StatusPenalty(Stage):
    """score · what the status leaves of it. OpenMem, stage 4 (archived is not in the document: it counts as gone)."""

    name: str = "status"
    active: float = 1.0
    superseded: float = 0.5
    contradicted: float = 0.3
    archived: float = 0.0

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        penalties = {
            Status.ACTIVE: self.active,
            Status.SUPERSEDED: self.superseded,
            Status.CONTRADICTED: self.contradicted,
            Status.ARCHIVED: self.archived,
        }
        codes = candidates.pool.facts.status
        left = np.array([penalties.get(status, 0.0) for status in STATUSES])[codes]
        penalty = Expr("status", left, facts=lambda row: {"status": str(STATUSES[codes[row]])})
        return multiplied(self.name, candidates.score, penalty)


@dataclass(frozen=True, slots=True)
class SourceWeight(Stage):
    """score · factor where a context field has a value: what was real counts more. robotmem, source weighting."""

    name: str = "source"
    path: str = "env.sim_or_real"
    value: str = "real"
    factor: float = 1.5

    def idle_parameters(self) -> dict[str, str]:
        return {} if self.factor != 1 else dict.fromkeys(("path", "value"), f"{self.name}.factor other than 1")

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        pool = candidates.pool
        found = [resolve(memory.context, self.path) for memory in pool.read(range(len(pool)))]

        def details(row: int) -> Mapping[str, Any]:
            return {"path": self.path, "found": "nothing" if found[row] is MISSING else str(found[row])}

        factors = np.array([self.factor if each == self.value else 1.0 for each in found])
        return multiplied(self.name, candidates.score, Expr("source", factors, facts=details))


@dataclass(frozen=True, slots=True)
class ImportanceBoost(Stage):
    """score + (1/(k+1) − 1/(k+1+better_by)) for high importance: as if it stood ten ranks better. Two-stage, step 7."""

    name: str = "importance"
    k: float = needing(60.0, "better_by")
    better_by: int = between(10, 0, 10_000)

    def __call__(self, query: Query, candidates: Candidates) -> Step:
        is_high = candidates.pool.facts.is_important
        places = tuple(
            Expr(
                f"rank {rank}",
                fusion.reciprocal_rank(rank, self.k),
                Operator.RECIPROCAL_RANK,
                (constant("weight", 1), constant("k", self.k), constant("rank", rank)),
            )
            for rank in (1, 1 + self.better_by)
        )
        boost = Expr("boost", fusion.importance_boost(self.k, self.better_by), Operator.SUBTRACT, places)
        normal = constant("boost", 0.0).with_facts(lambda _: {"importance": str(Importance.NORMAL)})
        return Step(total(f"{SCORE_AFTER}{self.name}", [candidates.score, where(is_high, boost, normal)]))
