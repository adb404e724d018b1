"""Weights besides the match: age, confidence, strength, status, source, importance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from core.clock import DAY, HOUR, age
from core.errors import UserError
from core.formulas import decay, fusion
from core.model import Importance, Memory, Status
from core.pipeline.candidate import SCORE_AFTER, UNSCORED, Candidate, Pool
from core.pipeline.query import Query
from core.pipeline.stage import StageResult
from core.pipeline.stages.filter import MISSING, resolve
from core.pipeline.trace import Operator, Term, leaf, term

BASES = ("created", "accessed", "newest")


def _multiplied(
    stage: str, pool: Pool, factor: Callable[[Memory], float], explain_factor: Callable[[Memory], Term]
) -> StageResult:
    """Each score times a factor of the memory's. A negative score, as Okapi's formula gives, is multiplied by
    2 − factor: what lowers a positive score must lower a negative one too, or old would come before new."""

    def explain(candidate: Candidate) -> Term:
        own, by = candidate.score or UNSCORED, explain_factor(candidate.memory)
        if own.value < 0:
            by = term(f"2 − {by.name}", Operator.SUBTRACT, leaf("two", 2.0), by)
        return term(f"{SCORE_AFTER}{stage}", Operator.PRODUCT, own, by)

    factors = map(factor, pool.memories)
    values = [value * (by if value >= 0 else 2.0 - by) for value, by in zip(pool.values, factors, strict=True)]
    return StageResult(pool.scored(values, explain))


@dataclass(frozen=True, slots=True)
class ConfidenceWeight:
    """score · confidence. Oro, scoring formula."""

    name: str = "confidence"

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        return _multiplied(
            self.name,
            pool,
            lambda memory: memory.confidence,
            lambda memory: leaf("confidence", memory.confidence),
        )


@dataclass(frozen=True, slots=True)
class DecayWeight:
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

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        if self.basis not in BASES:
            raise UserError(f"{self.name}.basis must be one of {', '.join(BASES)}, not {self.basis!r}.")
        laws = [law for law in (self.half_life_days, self.rate_per_day, self.rate_per_hour) if law is not None]
        if len(laws) != 1 or laws[0] < 0 or (self.half_life_days is not None and self.half_life_days <= 0):
            raise UserError(
                f"{self.name} needs exactly one of half_life_days, rate_per_day and rate_per_hour, above 0."
            )
        now, newest = query.now, pool.newest_created_at
        return _multiplied(
            self.name,
            pool,
            lambda memory: self.remaining(memory, now, newest),
            lambda memory: self._explain(memory, now, newest),
        )

    def remaining(self, memory: Memory, now: datetime, newest: datetime | None) -> float:
        """Return the decay factor of a memory's age."""
        if memory.pinned:
            return 1.0
        if self.half_life_days is not None:
            return decay.half_life(self._age(memory, now, newest, DAY), self.half_life_days)
        unit, _, rate = self._rate
        return decay.exponential(self._age(memory, now, newest, unit), rate)

    def _age(self, memory: Memory, now: datetime, newest: datetime | None, unit: timedelta) -> float:
        until = min(newest or now, now) if self.basis == "newest" else now
        return age(self._since(memory), until, unit)

    def _since(self, memory: Memory) -> datetime:
        return memory.last_used_at if self.basis == "accessed" else memory.created_at

    @property
    def _rate(self) -> tuple[timedelta, str, float]:
        per_hour = HOUR, "hours", self.rate_per_hour or 0.0
        return per_hour if self.rate_per_day is None else (DAY, "days", self.rate_per_day)

    def _explain(self, memory: Memory, now: datetime, newest: datetime | None) -> Term:
        if memory.pinned:
            return leaf("decay", 1.0, pinned=True)
        facts: dict[str, Any] = {"basis": self.basis, "since": self._since(memory).isoformat(), "pinned": False}
        if self.half_life_days is not None:
            days = leaf("age in days", self._age(memory, now, newest, DAY))
            halvings = term("halvings", Operator.DIVIDE, days, leaf("half-life in days", self.half_life_days))
            facts["function"] = "0.5 ^ (age / half-life)"
            return term("decay", Operator.POWER, leaf("one half", 0.5), halvings, **facts)
        unit, named, rate = self._rate
        return _exponential("decay", self._age(memory, now, newest, unit), rate, named, facts)


@dataclass(frozen=True, slots=True)
class BlendRecency:
    """(1 − weight) · score + weight · recency, recency falling linearly to 0 over the window. CC-v3, mode 2."""

    name: str = "recency"
    weight: float = 0.3
    window_days: float = 30.0

    def idle_parameters(self) -> dict[str, str]:
        return {} if self.weight else {"window_days": f"{self.name}.weight above 0"}

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        def value(before: float, memory: Memory) -> float:
            faded = decay.linear(age(memory.created_at, query.now, DAY), self.window_days)
            return math.fsum([(1 - self.weight) * before, self.weight * faded])

        def explain(candidate: Candidate) -> Term:
            days = leaf("age in days", age(candidate.memory.created_at, query.now, DAY))
            left = term(
                "1 − age / window",
                Operator.SUBTRACT,
                leaf("one", 1.0),
                term("age / window", Operator.DIVIDE, days, leaf("window in days", self.window_days)),
            )
            recency = term("recency", Operator.MAX, leaf("nothing", 0.0), left)
            similarity = candidate.score or UNSCORED
            return term(
                "blend",
                Operator.SUM,
                term("similarity share", Operator.PRODUCT, leaf("1 − weight", 1 - self.weight), similarity),
                term("recency share", Operator.PRODUCT, leaf("weight", self.weight), recency),
            )

        return StageResult(pool.scored(list(map(value, pool.values, pool.memories)), explain))


@dataclass(frozen=True, slots=True)
class Competition:
    """Weighted sum of activation, recency, strength and confidence. OpenMem, stage 4.

    Recency is exp(−rate · days since the last access, or since creation if it was never used).
    """

    name: str = "compete"
    activation: float = 0.5
    recency: float = 0.2
    strength: float = 0.2
    confidence: float = 0.1
    recency_rate_per_day: float = 0.05

    def idle_parameters(self) -> dict[str, str]:
        return {} if self.recency else {"recency_rate_per_day": f"{self.name}.recency above 0"}

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        rate = self.recency_rate_per_day

        def value(before: float, memory: Memory) -> float:
            shares = (
                self.activation * before,
                self.recency * recency(memory, query.now, rate),
                self.strength * memory.strength,
                self.confidence * memory.confidence,
            )
            return math.fsum(shares)

        def explain(candidate: Candidate) -> Term:
            memory = candidate.memory
            weighted = (
                (self.activation, candidate.score or leaf("activation", 0.0), "activation share"),
                (self.recency, recency_term(memory, query.now, rate), "recency share"),
                (self.strength, leaf("strength", memory.strength), "strength share"),
                (self.confidence, leaf("confidence", memory.confidence), "confidence share"),
            )
            parts = (term(name, Operator.PRODUCT, leaf("weight", weight), part) for weight, part, name in weighted)
            return term("competition", Operator.SUM, *parts)

        return StageResult(pool.scored(list(map(value, pool.values, pool.memories)), explain))


@dataclass(frozen=True, slots=True)
class StatusPenalty:
    """score · what the status leaves of it. OpenMem, stage 4 (archived is not in the document: it counts as gone)."""

    name: str = "status"
    active: float = 1.0
    superseded: float = 0.5
    contradicted: float = 0.3
    archived: float = 0.0

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        penalties = {
            Status.ACTIVE: self.active,
            Status.SUPERSEDED: self.superseded,
            Status.CONTRADICTED: self.contradicted,
            Status.ARCHIVED: self.archived,
        }

        def left(memory: Memory) -> float:
            return penalties.get(memory.status, 0.0)

        return _multiplied(
            self.name, pool, left, lambda memory: leaf("status", left(memory), status=str(memory.status))
        )


@dataclass(frozen=True, slots=True)
class SourceWeight:
    """score · factor where a context field has a value: what was real counts more. robotmem, source weighting."""

    name: str = "source"
    path: str = "env.sim_or_real"
    value: str = "real"
    factor: float = 1.5

    def idle_parameters(self) -> dict[str, str]:
        return {} if self.factor != 1 else dict.fromkeys(("path", "value"), f"{self.name}.factor other than 1")

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        def found(memory: Memory) -> Any:
            return resolve(memory.context, self.path)

        def factor(memory: Memory) -> float:
            return self.factor if found(memory) == self.value else 1.0

        def explain(memory: Memory) -> Term:
            shown = "nothing" if found(memory) is MISSING else str(found(memory))
            return leaf("source", factor(memory), path=self.path, found=shown)

        return _multiplied(self.name, pool, factor, explain)


@dataclass(frozen=True, slots=True)
class ImportanceBoost:
    """score + (1/(k+1) − 1/(k+1+better_by)) for high importance: as if it stood ten ranks better. Two-stage, step 7."""

    name: str = "importance"
    k: float = 60.0
    better_by: int = 10

    def idle_parameters(self) -> dict[str, str]:
        return {} if self.better_by else {"k": f"{self.name}.better_by above 0"}

    def __call__(self, query: Query, pool: Pool) -> StageResult:
        parts = (
            term("rank 1", Operator.RECIPROCAL_RANK, leaf("weight", 1), leaf("k", self.k), leaf("rank", 1)),
            term(
                f"rank {1 + self.better_by}",
                Operator.RECIPROCAL_RANK,
                leaf("weight", 1),
                leaf("k", self.k),
                leaf("rank", 1 + self.better_by),
            ),
        )
        boost = Term("boost", fusion.importance_boost(self.k, self.better_by), Operator.SUBTRACT, parts)

        def value(before: float, memory: Memory) -> float:
            return before + (boost.value if memory.importance is Importance.HIGH else 0.0)

        def explain(candidate: Candidate) -> Term:
            is_high = candidate.memory.importance is Importance.HIGH
            part = boost if is_high else leaf("boost", 0.0, importance=str(candidate.memory.importance))
            return term(f"{SCORE_AFTER}{self.name}", Operator.SUM, candidate.score or UNSCORED, part)

        return StageResult(pool.scored(list(map(value, pool.values, pool.memories)), explain))


def recency(memory: Memory, now: datetime, rate_per_day: float) -> float:
    """exp(−rate · days since last access); a pinned memory does not fade."""
    return 1.0 if memory.pinned else decay.exponential(age(memory.last_used_at, now, DAY), rate_per_day)


def recency_term(memory: Memory, now: datetime, rate_per_day: float) -> Term:
    """Explain the same number."""
    if memory.pinned:
        return leaf("recency", 1.0, pinned=True)
    since = memory.last_used_at
    return _exponential("recency", age(since, now, DAY), rate_per_day, "days", {"since": since.isoformat()})


def _exponential(name: str, elapsed: float, rate: float, unit: str, facts: dict[str, object]) -> Term:
    exponent = term(
        "−rate · age", Operator.PRODUCT, leaf(f"−rate per {unit[:-1]}", -rate), leaf(f"age in {unit}", elapsed)
    )
    return term(name, Operator.EXP, exponent, **facts, function="exp(−rate · age)")
