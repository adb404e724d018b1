"""Steps that the tests of the pipeline share: a small profile is run on a real store, and read from its trace."""

from __future__ import annotations

from core import text
from core.pipeline.query import Query
from core.pipeline.run import Profile, Ranking, run
from core.pipeline.stages.normalise import RawScore
from core.pipeline.stages.recall import FullText
from core.pipeline.trace import Reason, Term

FULL_TEXT = (FullText(),)
BM25 = RawScore(name="score", list="bm25")


def profile_of(*stages, recall=FULL_TEXT, name="small") -> Profile:
    return Profile(name=name, about="a test", source="a test", recall=tuple(recall), stages=tuple(stages))


def query_of(store, asked="pool", k=10, **fields) -> Query:
    words = tuple(text.query_words(asked))
    every = tuple(text.query_words(asked, drop_stop_words=False))
    return Query(text=asked, now=store.clock.now(), k=k, words=words, all_words=every, **fields)


def ranked(store, *stages, recall=FULL_TEXT, asked="pool", k=10, **fields) -> Ranking:
    """Run a profile of these sources and stages."""
    with store.read() as reader:
        return run(profile_of(*stages, recall=recall), query_of(store, asked, k, **fields), reader)


def scores(ranking: Ranking) -> dict[int, float | None]:
    """The score of each result, best first."""
    return dict(ranking.trace.stages[-1].order)


def reasons(ranking: Ranking) -> dict[int, Reason]:
    """Why each memory was dropped, by any stage."""
    return {drop.memory_id: drop.reason for stage in ranking.trace.stages for drop in stage.drops}


def funnel(ranking: Ranking) -> list[tuple[str, int, int]]:
    """The candidates that entered and remained, stage by stage."""
    return [(stage.name, stage.entered, stage.remaining) for stage in ranking.trace.stages]


def explanation(ranking: Ranking, memory) -> Term:
    return next(each.score for each in ranking.results if each.id == memory.id)
