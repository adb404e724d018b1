"""Twenty judged queries, and rankings of them."""

from __future__ import annotations

from core.evaluate.judgement import GoldenQuery

QUERIES = [
    GoldenQuery(f"q{n}", f"query {n}", {f"m{n}": 1}, category="even" if n % 2 == 0 else "odd") for n in range(20)
]


def shifted(by):
    """Ranks the right memory at place 1 + by."""
    return lambda query: [*(f"x{n}" for n in range(by)), f"m{query.id[1:]}"]
