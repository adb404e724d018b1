"""Explaining an answer, asking why not, and browsing: a page, a sort, a filter, a search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.model import Filter
from core.search_types import Order, Selection, SortColumn
from core.services import browse, query, why_not
from core.services.query import Question
from tests.benchmarks import generator
from tests.benchmarks.generator import BenchmarkQuestion
from tests.benchmarks.recalling import PLAIN, opened
from tests.benchmarks.tables import Table
from tests.benchmarks.timing import interleaved, p50, p95, ratio
from tests.benchmarks.workload import Workload

TURNS = 40


def measure(workload: Workload) -> list[Table]:
    workspace, by_hand = opened(workload)
    asked = workload.questions()[:TURNS]
    everything = browse.listing(workspace, Selection(), Order())
    pages = -(-everything.total // browse.ROWS_A_PAGE)

    def listed(selection: Selection, order: Order | None = None) -> None:
        browse.rows(workspace, browse.listing(workspace, selection, order or Order()), 0)

    def far(each: BenchmarkQuestion) -> str:
        """A memory that has nothing to do with the question."""
        return str((each.answer + workload.size // 2) % workload.size + 1)

    variants: dict[str, Callable[[BenchmarkQuestion], Any]] = {
        PLAIN: lambda each: by_hand.query(each.text, each.vector, 5, "hybrid"),
        "recall": lambda each: query.ask(workspace, Question(text=each.text)),
        "explain what was returned": lambda each: query.explain(
            workspace, Question(text=each.text), str(each.answer + 1)
        ),
        "explain what was not": lambda each: query.explain(workspace, Question(text=each.text), far(each)),
        "why not, with what would change it": lambda each: why_not.why_not(
            workspace, Question(text=each.text), far(each)
        ),
        "browse: the newest page": lambda _: browse.page(workspace, Filter(), limit=browse.ROWS_A_PAGE),
        "browse: any page of a list": lambda each: browse.rows(workspace, everything, each.answer % pages),
        "browse: a list, newest first": lambda _: listed(Selection()),
        "browse: sorted by content": lambda _: listed(Selection(), Order(SortColumn.CONTENT, descending=False)),
        "browse: sorted by confidence": lambda _: listed(Selection(), Order(SortColumn.CONFIDENCE)),
        "browse: filtered to 1 in 100": lambda each: listed(
            Selection(filter=Filter(tags=(generator.tag(each.answer),)))
        ),
        "browse: searched for two words": lambda each: listed(Selection(text=" ".join(each.text.split()[:2]))),
    }
    for variant in variants.values():
        variant(asked[0])
    times = interleaved(variants, asked, seconds=30.0)
    by_hand.close()
    workspace.close()
    rows: list[tuple[Any, ...]] = [
        (name, len(taken), p50(taken), p95(taken), ratio(taken, times[PLAIN])) for name, taken in times.items()
    ]
    columns = ("looking", "times", "p50 ms", "p95 ms", "p50 / plain")
    return [Table(f"Looking at {workload.size:,} memories", columns, rows, "A list comes with its first 200 rows.")]
