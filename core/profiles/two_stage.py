"""Two-stage RRF: keyword hits join the memories used last, and four rankings are fused.

Document: Two-Stage RRF Retrieval (2026-02-24).

Choices: a memory that was never used counts as used when it was made; where no model is loaded the pool of recent
memories is taken whether or not they have vectors.
"""

from core.pipeline.run import Profile
from core.pipeline.stages.cut import TopK
from core.pipeline.stages.fuse import ReciprocalRankFusion
from core.pipeline.stages.recall import FullText, RecentlyAccessed, RescoreVectors
from core.pipeline.stages.weigh import ImportanceBoost

TWO_STAGE = Profile(
    name="two-stage",
    about="50 keyword hits and the 200 memories used last; ranks of words, vectors, recency and use fused",
    source="Two-stage RRF, how it works",
    recall=(FullText(limit=50), RecentlyAccessed(limit=200), RescoreVectors()),
    stages=(
        ReciprocalRankFusion(
            lists=("bm25", "vector", "recency", "access"), weights=(1.0, 1.0, 0.6, 0.4), k=60.0, ranks="dense"
        ),
        ImportanceBoost(k=60.0, better_by=10),
        TopK(),
    ),
    k=3,
)
