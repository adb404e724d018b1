"""The searches of one snapshot, answered from memory as the engine itself would."""

from __future__ import annotations

import numpy as np
import pytest
from dict_engine import DictEngine

from core.model import Filter
from core.search_cache.cache_protocol import CacheMiss
from core.search_cache.search_cache import SearchCache
from core.search_types import FIELDS, TextSearch

SPACE = 1
WEIGHTS = dict.fromkeys(FIELDS, 1.0)
ASKED = TextSearch(("pool",), False, WEIGHTS)


@pytest.fixture
def engine():
    made = DictEngine()
    for id, content, type in ((1, "pool", "fact"), (2, "the pool of it", "decision"), (3, "deep", "fact")):
        made.put(id, content, type)
    return made


@pytest.fixture
def queries(engine):
    cache = SearchCache(engine)
    yield cache.at(engine)
    cache.close()


def test_the_best_matches_come_first_and_pass_the_filter(queries):
    assert [id for id, _ in queries.search_text(ASKED, Filter(), 10)] == [1, 2]
    assert [id for id, _ in queries.search_text(ASKED, Filter(), 1)] == [1]
    assert [id for id, _ in queries.search_text(ASKED, Filter(types=("decision",)), 10)] == [2]


def test_scores_of_some_memories_are_those_of_the_search(queries):
    found = dict(queries.search_text(ASKED, Filter(), 10))
    assert queries.text_scores(ASKED, [2, 3]) == {2: found[2]}


def test_the_rank_of_a_memory_is_its_place_in_the_search(queries):
    assert [queries.text_rank(ASKED, Filter(), id) for id in (1, 2, 3)] == [1, 2, None]


def test_statistics_count_each_word_in_each_field(queries):
    (word,) = queries.text_statistics(ASKED, [2])[2].words
    assert (word.word, word.documents, word.with_word, word.in_fields["content"]) == ("pool", 3, 2, 1)


def test_frequencies_and_the_number_of_memories(queries):
    queries.search_text(ASKED, Filter(), 1)
    assert queries.count() == 3
    assert queries.document_frequencies(["pool"]) == {"pool": 2}


def test_vectors_that_are_not_loaded_are_a_miss(queries):
    vector = np.ones(8, dtype=np.float32).tobytes()
    queries.search_text(ASKED, Filter(), 1)
    with pytest.raises(CacheMiss):
        queries.cosines(SPACE, vector, [1])
    with pytest.raises(CacheMiss):
        queries.count_embedded(SPACE)
