"""Ours, the default: stemmed full text and vectors, fused by rank, weighed by confidence and a gentle decay.

Choices: k = 10 instead of the usual 60, because 60 makes ranks 1 and 30 nearly equal, so that two mediocre lists
that agree beat one that is sure. A half-life of a year lets the newer of two equal statements win without burying
what is old and right.
"""

from core.pipeline.run import Profile
from core.pipeline.stages.cut import TokenBudget, TopK
from core.pipeline.stages.dedup import Deduplicate
from core.pipeline.stages.fuse import ReciprocalRank
from core.pipeline.stages.recall import FullText, Semantic
from core.pipeline.stages.weigh import Confidence, Decay

INSPECTOR = Profile(
    name="inspector",
    about="The default: stemmed full text and vectors fused by rank, confidence, gentle decay, no near-copies",
    source="Memory Inspector",
    recall=(FullText(limit=100, stemmed=True), Semantic(limit=100)),
    stages=(
        ReciprocalRank(k=10.0),
        Confidence(),
        Decay(half_life_days=365.0),
        Deduplicate(overlap=0.9),
        TopK(),
        TokenBudget(tokens=0),
    ),
    k=10,
)
