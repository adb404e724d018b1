"""Similar memories of a text, gathered for the judgement of `core/write`."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from core import text
from core.errors import Unavailable
from core.model import UNSAVED, Embedding, Filter, Memory, MemoryId, Space, Status
from core.search_types import TextSearch, Vocabulary
from core.services.workspace import Workspace
from core.write.duplicate import Policy, SimilarMemory

# How many of each kind of neighbour are looked at, and how many words they are looked for by.
CANDIDATES = 5
RAREST = 8


def gather(
    workspace: Workspace, memory: Memory, vectors: Mapping[Space, Embedding], policy: Policy
) -> tuple[list[SimilarMemory], Vocabulary]:
    """Return equal texts, the best of full text, the nearest vectors; active, of the same collection, and not the
    memory itself. And how common the text's words are."""
    wanted = Filter(collections=(memory.collection,), statuses=(Status.ACTIVE,))
    limit = CANDIDATES if memory.id == UNSAVED else CANDIDATES + 1  # a saved memory finds itself first
    with workspace.store.read() as reader:
        try:
            vocabulary = reader.vocabulary(text.query_words(memory.content))
            # The rarest words find the same neighbours as all of them, at a fraction of the cost; Oro's rule wants all.
            words = list(vocabulary.with_word) if policy is Policy.ORO else vocabulary.rarest(RAREST)
            scores = dict(reader.search_text(TextSearch.of_content(words), wanted, limit)) if words else {}
        except Unavailable:  # an index that cannot answer must not stop a memory from being kept
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
