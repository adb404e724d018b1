"""Search over parameters: which values rank a golden set best, measured on held-out queries."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import UserError
from core.evaluate import runner
from core.evaluate.judgement import GoldenQuery
from core.evaluate.runner import Rank
from core.formulas import metrics
from core.progress import Progress, silent

MAX_TRIALS = 10_000

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """One set of values, with its scores on the queries that the search used and on those held out."""

    values: Values
    seen: float
    held_out: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """The searched values, best first by the score that the search used; `before` are the current values."""

    metric: str
    tries: tuple[Trial, ...]
    before: Trial

    @property
    def best(self) -> Trial:
        return self.tries[0]


def tune(
    queries: Sequence[GoldenQuery],
    ranking: Callable[[Values], Rank],
    space: Mapping[str, Sequence[Any]],
    *,
    metric: str,
    held_out: float = 0.3,
    tries: int | None = None,
    seed: int = 1,
    progress: Progress = silent,
) -> Tuning:
    """Try every combination of a space, or `tries` random ones."""
    seen, kept = split([query for query in queries if query.is_answerable], held_out)
    if not seen or not kept:
        raise UserError("There are too few judged queries to hold some out.")
    points = combinations(space, tries, seed)

    def attempt(values: Values) -> Trial:
        rank = ranking(values)
        scores = [metrics.mean(runner.run("", part, rank, [metric]).scores(metric)) for part in (seen, kept)]
        return Trial(values, *scores)

    before = attempt({})
    found = []
    for done, values in enumerate(points, 1):
        found.append(attempt(values))
        progress("tuning", done, len(points))
    return Tuning(metric, tuple(sorted(found, key=lambda each: -each.seen)), before)


def parse_values(written: str) -> list[Any]:
    """Return the values of a text such as `1, 2, 3`: numbers, true, false or null; anything else is a text."""
    values: list[Any] = []
    for each in filter(None, map(str.strip, written.split(","))):
        try:
            values.append(json.loads(each))
        except ValueError:
            values.append(each)
    return values


def combinations(space: Mapping[str, Sequence[Any]], tries: int | None, seed: int) -> list[Values]:
    if not space or any(not values for values in space.values()):
        raise UserError("Tuning needs at least one parameter with values to try, such as decay.half_life_days=30,90.")
    total = 1
    for values in space.values():
        total *= len(values)
    if tries is None and total > MAX_TRIALS:
        raise UserError(f"{total:,} combinations are too many; with a number of tries so many are tried at random.")
    if tries is not None and tries < total:
        chance = random.Random(seed)
        picked = {tuple(chance.choice(list(values)) for values in space.values()) for _ in range(tries)}
        return [dict(zip(space, each, strict=True)) for each in sorted(picked, key=str)]
    return [dict(zip(space, each, strict=True)) for each in itertools.product(*space.values())]


def split(queries: Sequence[GoldenQuery], held_out: float) -> tuple[list[GoldenQuery], list[GoldenQuery]]:
    """Return the queries to search on and those held out, chosen by a hash of the id, so that they are the same each
    time."""
    if not 0 < held_out < 1:
        raise UserError(f"The held-out share is a number between 0 and 1, not {held_out:g}.")

    shuffled = sorted(queries, key=lambda each: hashlib.sha256(each.id.encode()).digest())
    kept = {each.id for each in shuffled[: math.ceil(held_out * len(shuffled))]}
    return [each for each in queries if each.id not in kept], [each for each in queries if each.id in kept]
