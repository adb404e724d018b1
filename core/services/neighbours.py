"""Similar memories of a text, gathered for the judgement in `core/write`."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from core import text
from core.errors import Unavailable
from core.model import UNSAVED, Embedding, Filter, Memory, MemoryId, Space, Status
from core.search_types import TextSearch, Vocabulary
from core.services.workspace import Workspace
from core.write.duplicate import Policy, SimilarMemory

# How many neighbours of each kind are compared, and by how many words they are searched for.
CANDIDATES = 5
RAREST = 8


def gather(
    workspace: Workspace, memory: Memory, vectors: Mapping[Space, Embedding], policy: Policy
) -> tuple[list[SimilarMemory], Vocabulary]:
    """Return the neighbours of a memory: equal texts, the best full-text hits and the nearest vectors, active and of
    the same collection; and the document frequencies of its words."""
    wanted = Filter(collections=(memory.collection,), statuses=(Status.ACTIVE,))
    limit = CANDIDATES if memory.id == UNSAVED else CANDIDATES + 1  # a saved memory finds itself first
    with workspace.store.read() as reader:
        try:
            vocabulary = reader.vocabulary(text.query_words(memory.content))
            # The rarest words find the same neighbours as all words, at a fraction of the cost; Oro's rule needs all.
            words = list(vocabulary.with_word) if policy is Policy.ORO else vocabulary.rarest(RAREST)
            scores = dict(reader.search_text(TextSearch.of_content(words), wanted, limit)) if words else {}
        except Unavailable:  # an unavailable index must not prevent storing a memory
            vocabulary, scores = Vocabulary(0, 0.0, {}), {}
        cosines: dict[MemoryId, float] = {}
        for space, embedding in vectors.items():
            with contextlib.suppress(Unavailable):
                cosines = dict(reader.search_vectors(embedding.vector, space, wanted, limit))
        equal = {each.id for each in reader.same_content(memory.content)}
        near = (equal | scores.keys() | cosines.keys()) - {memory.id}
        known = reader.memories(reader.fitting(near, wanted))
    model = workspace.model()
    neighbours = [
        SimilarMemory(each, scores.get(id), cosines.get(id), model.similarity(cosines[id]) if id in cosines else None)
        for id, each in sorted(known.items())
    ]
    return neighbours, vocabulary
