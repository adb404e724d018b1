"""Oro's two retrieval designs, and the two systems its document describes as prior art.

Document: Oro Memory Search/Retrieval Algorithm Spec (2026-02-07).

Choices where it is silent: 50 candidates a list; full text over content and tags, as Oro's own table has it; the
threshold is applied before near-copies are looked for; the measure of a near-copy (see Deduplicate). CC-v3's
optional recency weight is 0.1, and its vector list has 50 entries. BCR returns 3, the cap the document reports.
"""

from core.pipeline.run import Profile
from core.pipeline.stages.cut import TokenBudget, TopK
from core.pipeline.stages.dedup import Deduplicate
from core.pipeline.stages.filter import MinimumScore
from core.pipeline.stages.fuse import ReciprocalRankFusion
from core.pipeline.stages.normalise import DivideAndClamp, RawScore
from core.pipeline.stages.recall import FullText, VectorSearch
from core.pipeline.stages.weigh import BlendRecency, ConfidenceWeight, DecayWeight

_CONTENT_AND_TAGS = FullText(limit=50, summary=0.0, entities=0.0, files=0.0)
_ANY_WORD = FullText(limit=50, summary=0.0, entities=0.0, files=0.0, drop_stop_words=False)

ORO = Profile(
    name="oro",
    about="bm25/25 clamped × 30-day half-life × confidence; at least 0.05; 5 memories in 500 tokens",
    source="Oro, day-one: FTS5 BM25 standalone; minimum relevance threshold; decisions 2–5",
    recall=(_CONTENT_AND_TAGS,),
    stages=(
        DivideAndClamp(divisor=25.0),
        DecayWeight(half_life_days=30.0),
        ConfidenceWeight(),
        MinimumScore(min=0.05),
        Deduplicate(overlap=0.7),
        TopK(),
        TokenBudget(tokens=500),
    ),
    k=5,
)

ORO_HYBRID = Profile(
    name="oro-hybrid",
    about="Reciprocal rank fusion (k = 60) of full text and vectors × confidence × 30-day half-life; at least 0.01",
    source="Oro, future: hybrid RRF; summary of concrete parameters",
    recall=(_CONTENT_AND_TAGS, VectorSearch(limit=50)),
    stages=(
        ReciprocalRankFusion(k=60.0),
        ConfidenceWeight(),
        DecayWeight(half_life_days=30.0),
        MinimumScore(min=0.01),
        Deduplicate(overlap=0.7),
        TopK(),
        TokenBudget(tokens=500),
    ),
    k=5,
)

BCR = Profile(
    name="bcr",
    about="cosine × confidence × 30-day half-life counted back from the newest memory",
    source="Oro, prior art: BCR three-factor scoring",
    recall=(VectorSearch(limit=50),),
    stages=(RawScore(list="vector"), ConfidenceWeight(), DecayWeight(half_life_days=30.0, basis="newest"), TopK()),
    k=3,
)

CC_V3_FTS = Profile(
    name="cc-v3-fts",
    about="bm25/25 clamped, nothing else",
    source="Oro, prior art: CC-v3, mode 1",
    recall=(_ANY_WORD,),
    stages=(DivideAndClamp(divisor=25.0), TopK()),
    k=5,
)

CC_V3_VECTOR = Profile(
    name="cc-v3-vector",
    about="(1 − w) · cosine + w · linear 30-day recency",
    source="Oro, prior art: CC-v3, mode 2",
    recall=(VectorSearch(limit=50),),
    stages=(RawScore(list="vector"), BlendRecency(weight=0.1, window_days=30.0), TopK()),
    k=5,
)

CC_V3 = Profile(
    name="cc-v3",
    about="Reciprocal rank fusion (k = 60) of full text and vectors, nothing else",
    source="Oro, prior art: CC-v3, mode 3",
    recall=(_ANY_WORD, VectorSearch(limit=50)),
    stages=(ReciprocalRankFusion(k=60.0), TopK()),
    k=5,
)
