"""The search cache works against any engine that implements its feed: here one of plain dicts, without SQLite."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.formulas import bm25
from core.model import Filter
from core.search_cache import background_loader
from core.search_cache.cache_protocol import CacheMiss
from core.search_cache.search_cache import SearchCache
from core.search_types import FIELDS, TextSearch
from tests.support.dict_engine import DictEngine

SPACE, DIMENSION = 1, 8
TOKENS = ("alpha", "beta", "gamma", "delta", "common", "usual")
WEIGHTS = dict.fromkeys(FIELDS, 1.0)


@pytest.fixture
def engine():
    rng = random.Random(1)
    engine = DictEngine()
    for id in range(1, 121):
        some_memory(engine, rng, id)
    return engine


@pytest.fixture
def cache(engine):
    cache = SearchCache(engine)
    yield cache
    cache.close()


def some_memory(engine, rng, id):
    content = " ".join(rng.choices(TOKENS, (1, 2, 3, 4, 9, 9), k=rng.randint(1, 12)))
    engine.put(id, content, rng.choice(("fact", "decision")), tuple(rng.uniform(-1, 1) for _ in range(DIMENSION)))


def best_by_bm25(engine, words, wanted, limit):
    """Score every memory by the formula as it is published."""
    documents, average = engine.text_size(FIELDS)
    scores = {}
    for id in engine.matching_ids(wanted).tolist():
        tokens = engine.tokens(id)
        if not set(words) & set(tokens):
            continue
        scores[id] = 0.0
        for word in words:
            idf = bm25.fts5_idf(documents, engine.document_frequency("words", word))
            count = float(tokens.count(word))
            scores[id] += bm25.term_score(count, idf, len(tokens), average, bm25.FTS5_K1, bm25.FTS5_B)
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:limit]


def answers_are_those_of_brute_force(engine, cache, rng):
    queries = cache.at(engine)
    for wanted in (Filter(), Filter(types=("fact",))):
        for limit in (1, 5, 200):
            words = tuple(rng.sample(TOKENS, rng.randint(1, 4)))
            search = TextSearch(words, rng.random() < 0.5, WEIGHTS)
            assert queries.search_text(search, wanted, limit) == best_by_bm25(engine, words, wanted, limit)
            vector = np.array([rng.uniform(-1, 1) for _ in range(DIMENSION)], dtype=np.float32).tobytes()
            found = queries.search_vectors(SPACE, vector, wanted, limit)
            exact = engine.nearest(SPACE, vector, wanted, limit)
            assert [id for id, _ in found] == [id for id, _ in exact]
            assert [score for _, score in found] == pytest.approx([score for _, score in exact])


@pytest.mark.parametrize("max_tokens", [10_000, 0], ids=["all postings", "the most frequent tokens"])
def test_the_best_matches_are_those_of_brute_force_before_and_after_changes(engine, cache, monkeypatch, max_tokens):
    monkeypatch.setattr(background_loader, "MAX_TOKENS_READ_WHOLE", max_tokens)
    rng = random.Random(2)
    cache.at(engine).expect_questions(SPACE, DIMENSION)
    cache.wait()
    answers_are_those_of_brute_force(engine, cache, rng)
    for _ in range(30):
        if rng.random() < 0.3:
            engine.remove(rng.choice(list(engine.memories)))
        else:
            some_memory(engine, rng, rng.randint(1, 160))
        answers_are_those_of_brute_force(engine, cache, rng)
    assert cache.at(engine).count() == cache.at(engine).count_embedded(SPACE) == len(engine.memories)


def test_until_the_vectors_are_loaded_the_engine_itself_searches(engine, cache):
    vector = np.ones(DIMENSION, dtype=np.float32).tobytes()
    queries = cache.at(engine)
    pending = queries.begin_vectors(SPACE, vector, Filter(), 5)
    with pytest.raises(CacheMiss):
        queries.search_vectors(SPACE, vector, Filter(), 5)
    assert pending.result() == engine.nearest(SPACE, vector, Filter(), 5)


def test_an_engine_that_fails_is_a_miss_and_one_that_is_interrupted_is_not(engine, cache, monkeypatch):
    search = TextSearch(("alpha",), False, WEIGHTS)
    for error, raised in ((engine.failed, CacheMiss), (engine.interrupted, engine.interrupted)):

        def failing(*_, error=error):
            raise error

        with monkeypatch.context() as patched:
            patched.setattr(engine, "query_tokens", failing)
            with pytest.raises(raised):
                cache.at(engine).search_text(search, Filter(), 5)
    assert cache.at(engine).search_text(search, Filter(), 5) == best_by_bm25(engine, ("alpha",), Filter(), 5)


def test_the_cache_and_its_feed_load_no_sqlite():
    program = "import sys, core.search_cache.search_cache; print({'apsw', 'sqlite3', 'sqlite_vec'} & set(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=Path(__file__).parents[3]
    )
    assert loaded.stdout.strip() == "set()"
