"""Recursive Light's three ranked approaches to a conversation's memory.

Document: Computational Analysis: Intelligent Memory Retrieval for Recursive Light (2025-11-03).

Choices: Okapi's formula as in appendix A, negative idf included, where a negative score is multiplied by 2 − decay, so
that new still comes before old; age in hours with its fraction (the sketch of code
cuts it to whole hours); scopes are the query's session and user filters; the fused second phase ranks the two lists
as they are, without the decay of the first. In the graph, a turn leads to the next and a reference to what it refers
to, while a shared topic binds both ways; d = 0.85 and 20 iterations, which the document leaves between 10 and 20. Rank
flows within two hops of the matches (links.hops), not over the whole store, and out-degrees count the links within.
"""

from core.pipeline.run import Profile
from core.pipeline.stages.cut import TopK
from core.pipeline.stages.filter import AboveZero
from core.pipeline.stages.fuse import ReciprocalRankFusion
from core.pipeline.stages.normalise import RawScore
from core.pipeline.stages.recall import CONVERSATION_LINKS, FullText, LinkedMemories, VectorSearch
from core.pipeline.stages.spread import QueryBiasedPageRank
from core.pipeline.stages.weigh import DecayWeight


def _okapi(limit: int) -> FullText:
    return FullText(
        limit=limit, stemmed=True, okapi=True, k1=1.5, b=0.75, summary=0.0, entities=0.0, files=0.0, tags=0.0
    )


RECURSIVE_LIGHT = Profile(
    name="recursive-light",
    about="Okapi BM25 on stems × exp(−0.01 · hours)",
    source="Recursive Light, rank 1 and appendix A",
    recall=(_okapi(50),),
    stages=(RawScore(list="bm25"), DecayWeight(half_life_days=None, rate_per_hour=0.01), TopK()),
    k=5,
)

RECURSIVE_LIGHT_SEMANTIC = Profile(
    name="recursive-light-semantic",
    about="BM25's top 10 and the 10 nearest vectors, fused by rank",
    source="Recursive Light, rank 2 and phase 2",
    recall=(_okapi(10), VectorSearch(limit=10)),
    stages=(ReciprocalRankFusion(k=60.0), TopK()),
    k=5,
)

RECURSIVE_LIGHT_GRAPH = Profile(
    name="recursive-light-graph",
    about="PageRank over turns, topics and references, returning to the memories that match",
    source="Recursive Light, rank 3",
    recall=(_okapi(50), LinkedMemories(hops=2, kinds=CONVERSATION_LINKS)),
    stages=(QueryBiasedPageRank(list="bm25", damping=0.85, iterations=20), AboveZero(), TopK()),
    k=5,
)
