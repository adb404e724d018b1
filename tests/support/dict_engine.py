"""A storage engine of plain dicts that feeds the search cache: only content, types as filters, one vector a memory."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from datetime import timedelta

import numpy as np

from core.clock import EPOCH
from core.model import Filter, MemoryId, Uid
from core.model import Memory as ModelMemory
from core.pipeline.pool import fact_columns
from core.search_cache.feed import FIELD_BITS, INDEXES, ChangedMemories, IndexedTokens, VectorBatch
from core.search_types import FIELDS

Memory = tuple[str, str, tuple[float, ...]]  # content, type, vector


class Interrupted(Exception):
    pass


def _fact_of(id, content, type, _):
    return ModelMemory(content, EPOCH + timedelta(minutes=id), EPOCH, Uid(str(id)), MemoryId(id), session=type)


class DictEngine:
    """Both the feed and its own snapshot: everything happens on one moment's dict."""

    interrupted, failed, max_neighbours = Interrupted, RuntimeError, 1_000

    def __init__(self):
        self.memories: dict[int, Memory] = {}
        self.log: list[int] = []

    def put(self, id, content, type="fact", vector=(1.0,) * 8):
        self.memories[id] = (content, type, vector)
        self.log.append(id)

    def remove(self, id):
        del self.memories[id]
        self.log.append(id)

    def is_wanted(self):
        return True

    @contextmanager
    def connect(self, is_stopped, *, promptly=False):
        yield self

    @contextmanager
    def snapshot(self):
        yield self

    def last_change(self):
        return len(self.log)

    def changed_since(self, change):
        changed = sorted(set(self.log[change:]))
        return ChangedMemories(changed, changed) if change >= 0 else None

    def tokens(self, id):
        return self.memories[id][0].split()

    def highest_id(self):
        return max(self.memories, default=0)

    def text_size(self, fields):
        total = sum(len(self.tokens(id)) for id in self.memories) if "content" in fields else 0
        return len(self.memories), total / max(1, len(self.memories))

    def query_tokens(self, index, words):
        return list(words)

    def field_lengths(self):
        return self._lengths(sorted(self.memories))

    def _lengths(self, ids):
        lengths = [length for id in ids for length in (len(self.tokens(id)), *[0] * (len(FIELDS) - 1))]
        return np.array(ids, dtype=np.int64), np.array(lengths, dtype=np.int64)

    def indexed_tokens(self, ids):
        known = [id for id in sorted(ids) if id in self.memories]
        occurrences = [id << FIELD_BITS for id in known for _ in self.tokens(id)]
        tokens = [token for id in known for token in self.tokens(id)]
        return IndexedTokens(
            *self._lengths(known), np.array(occurrences, dtype=np.int64), dict.fromkeys(INDEXES, tokens)
        )

    def occurrences(self, index, token):
        found = [id << FIELD_BITS for id in sorted(self.memories) for each in self.tokens(id) if each == token]
        return np.array(found, dtype=np.int64)

    def all_occurrences(self, index):
        vocabulary = sorted({token for id in self.memories for token in self.tokens(id)})
        return vocabulary, [self.occurrences(index, token) for token in vocabulary]

    def counts_among(self, index, word, ids):
        counted = [(id, 0, self.tokens(id).count(word)) for id in ids if word in self.tokens(id)]
        return np.array(counted, dtype=np.int64).reshape(-1, 3)

    def document_frequency(self, index, token):
        return sum(token in self.tokens(id) for id in self.memories)

    def most_frequent(self, index, limit):
        counts = Counter(token for id in self.memories for token in set(self.tokens(id)))
        return [(count, token) for token, count in counts.most_common(limit)]

    def passes(self, id, wanted):
        return id in self.memories and (not wanted.types or self.memories[id][1] in wanted.types)

    def matching_ids(self, wanted: Filter):
        return np.array([id for id in self.memories if self.passes(id, wanted)], dtype=np.int64)

    def tagged_ids(self, tags):
        return np.zeros(0, dtype=np.int64)

    def matching_each(self, ids, filters):
        known = [id for id in ids if id in self.memories]
        passing = [np.array([self.passes(id, each) for id in known], dtype=np.int64) for each in filters]
        return np.array(known, dtype=np.int64), passing

    def vectors(self, space, dimension, batch):
        yield self.vectors_of(space, dimension, list(self.memories))

    def vectors_of(self, space, dimension, ids):
        known = np.array([id for id in sorted(ids) if id in self.memories], dtype=np.int64)
        held = np.array([self.memories[id][2] for id in known.tolist()], dtype=np.float32)
        return VectorBatch(known, known, held.reshape(-1, dimension))  # an id is where its vector is kept

    def cosine(self, id, vector):
        return float(1 - self.cosine_distances(self.stored_vectors(0, len(vector) // 4, [id]), vector)[0])

    def stored_vectors(self, space, dimension, locations):
        return np.array([self.memories[id][2] for id in locations], dtype=np.float32).reshape(-1, dimension)

    def vector_lengths(self, stored):
        return np.sqrt(np.vecdot(stored, stored).astype(float))

    def cosine_distances(self, stored, vector, lengths=None):
        asked, own = np.frombuffer(vector, dtype=np.float32).astype(float), stored.astype(float)
        with np.errstate(all="ignore"):
            return 1 - own @ asked / np.sqrt(np.dot(asked, asked) * np.vecdot(own, own))

    def facts(self, ids):
        known = [id for id in sorted(ids) if id in self.memories]
        return fact_columns([_fact_of(id, *self.memories[id]) for id in known])

    def all_facts(self):
        yield self.facts(self.memories)

    def nearest(self, space, vector, wanted, limit):
        found = [(id, self.cosine(id, vector)) for id in self.matching_ids(wanted).tolist()]
        return sorted(found, key=lambda each: (-each[1], each[0]))[:limit]
