"""robotmem: hybrid search for robots, with filters over structured context and nearness in space.

Document: robotmem, Deep Dive: Search Pipeline.

Choices: the session is also part of the search itself: filtered only afterwards, as in the document, a session with a
few matches among many others would come out empty. The words AND, OR, NOT and NEAR are dropped in either case, as its
program does. Chinese is matched by character pairs instead of jieba's words (better on our data); words of one letter
are dropped and stop words kept, as its examples show; the best score is the largest of the results, which after a
spatial order need not be the first.
"""

from core.pipeline.run import Profile
from core.pipeline.stages.cut import TopK
from core.pipeline.stages.filter import ContextFilter, MinimumConfidence, SessionFilter, SpatialOrder
from core.pipeline.stages.fuse import ReciprocalRankFusion
from core.pipeline.stages.normalise import BestIsOne
from core.pipeline.stages.recall import FullText, VectorSearch
from core.pipeline.stages.weigh import SourceWeight

ROBOTMEM = Profile(
    name="robotmem",
    about="Full text and vectors fused (k = 60), real × 1.5, confidence, session, context and place; best is 1.0",
    source="robotmem, search pipeline",
    recall=(
        FullText(
            limit_per_k=2,
            limit_per_k_filtered=4,
            tags=0.0,
            drop_stop_words=False,
            min_word_chars=2,
            drop_operators=True,
        ),
        VectorSearch(limit_per_k=2, limit_per_k_filtered=4),
    ),
    stages=(
        ReciprocalRankFusion(k=60.0),
        SourceWeight(path="env.sim_or_real", value="real", factor=1.5),
        MinimumConfidence(min=0.3),
        SessionFilter(),
        ContextFilter(),
        SpatialOrder(),
        TopK(),
        BestIsOne(),
    ),
    k=5,
    max_k=100,
    clamps_k=True,
)
