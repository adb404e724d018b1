"""Ours, the default: what words, neighbours, meaning, names and dates say, added up on one scale.

    words   = (0.7 · bm25 of stems + 0.3 · bm25 as written) / ln(1 + N)
    beside  = Σ share · words of a session neighbour: 0.3 at one step, 0.15 at two, 0.6 right after a question
    meaning = trust in the model · (cosine − lowest cosine of the list)
    named   = 0.5 if the question names an entity of the memory      time = 1.0 if made in a period it names
    score   = (words + beside + meaning + named + time) · confidence · 0.5 ^ (days / 1825)

Choices, each measured: scores are added as they are and not fused by rank, because ranks make a list that knows nothing
as loud as one that is sure (core/formulas/evidence.py). Stems find more, words as written are more exact, so both are
asked, of every candidate that full text or vectors found. Decay is gentle, five years to one half, because a shorter
one buries what is old and right; that an update comes before what it updates is a stage of its own, and so is that
nothing is returned where nothing is relevant.
"""

from core.pipeline.run import Profile
from core.pipeline.stages.cut import TokenBudget, TopK
from core.pipeline.stages.dedup import Deduplicate
from core.pipeline.stages.evidence import EntityEvidence, LexicalEvidence, SessionEvidence, TimeEvidence, VectorEvidence
from core.pipeline.stages.prefer_updates import PreferUpdates
from core.pipeline.stages.recall import FullText, RescoreText, VectorSearch
from core.pipeline.stages.relevance import RelevanceFloor
from core.pipeline.stages.session import SessionNeighbours
from core.pipeline.stages.weigh import ConfidenceWeight, DecayWeight

INSPECTOR = Profile(
    name="inspector",
    about="The default: BM25, vector similarity, session neighbours, entities and dates; gentle decay; updates first",
    source="Memory Inspector",
    recall=(
        FullText(limit=40, min_limit_per_k=2, stemmed=True),
        VectorSearch(limit=40, min_limit_per_k=2),
        RescoreText(name="stems", stemmed=True),
        RescoreText(name="plain"),
        SessionNeighbours(lists=("stems", "plain"), weights=(0.7, 0.3)),
    ),
    stages=(
        LexicalEvidence(lists=("stems", "plain"), weights=(0.7, 0.3)),
        SessionEvidence(),
        VectorEvidence(),
        EntityEvidence(worth=0.5),
        TimeEvidence(worth=1.0),
        ConfidenceWeight(),
        DecayWeight(half_life_days=1825.0),
        RelevanceFloor(),
        PreferUpdates(),
        Deduplicate(overlap=0.9),
        TopK(),
        TokenBudget(tokens=0),
    ),
    k=10,
)
