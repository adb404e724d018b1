"""OpenMem: activation by words, spread over links, in competition with recency, strength and confidence.

Document: OpenMem, Retrieval Model, stages 1 to 6.

Choices where it is silent: 10 results and 2,000 tokens by default; words are joined by OR and stop words dropped;
links made for conversations (temporal, topic, reference) do not spread, since OpenMem has none; recency of a memory
that was never used counts from its creation.
"""

from core.model import Status
from core.pipeline.run import Profile
from core.pipeline.stages.contradiction_penalty import ContradictionPenalty
from core.pipeline.stages.cut import TokenBudget, TopK
from core.pipeline.stages.filter import AboveZero
from core.pipeline.stages.normalise import DivideByLargest
from core.pipeline.stages.recall import FullText, LinkedMemories
from core.pipeline.stages.spread import SpreadingActivation
from core.pipeline.stages.weigh import Competition, StatusPenalty

OPENMEM = Profile(
    name="openmem",
    about="Words activate, links spread it, recency, strength and confidence compete; contradictions demote",
    source="OpenMem, retrieval model",
    recall=(FullText(limit_per_k=4, files=0.0, tags=0.0), LinkedMemories(hops=2)),
    stages=(
        DivideByLargest(list="bm25"),
        SpreadingActivation(max_hops=2, decay_per_hop=0.5),
        AboveZero(),
        Competition(activation=0.5, recency=0.2, strength=0.2, confidence=0.1, recency_rate_per_day=0.05),
        StatusPenalty(active=1.0, superseded=0.5, contradicted=0.3),
        ContradictionPenalty(factor=0.3),
        TopK(),
        TokenBudget(tokens=2000),
    ),
    k=10,
    statuses=(Status.ACTIVE, Status.SUPERSEDED, Status.CONTRADICTED),
)
