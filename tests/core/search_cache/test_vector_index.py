"""The nearest vectors found in memory are those of the file, with filters, ties and gaps."""

from __future__ import annotations

import random

import numpy as np

from core import draft
from core.changes import Op
from core.model import Embedding, Filter, Space, Status
from core.pipeline.query import Query
from core.pipeline.stage import GatherState
from core.pipeline.stages.recall import APPROXIMATE, VectorSearch
from core.store.sqlite import vectors
from tests.support.cached_search import ACTIVE, SPACE, numbers, same_vectors
from tests.support.store_steps import OTHER_SPACE, add


def test_the_nearest_of_many_vectors_are_the_exact_ones_with_a_filter_and_without(cached_store, monkeypatch):
    monkeypatch.setattr("core.search_cache.vector_index.SEGMENT", 1_000)  # so that they lie in several
    monkeypatch.setattr("core.search_cache.vector_index.EXACT_UP_TO", 100)
    rng = np.random.default_rng(3)
    middles = rng.standard_normal((40, 64))
    space = Space("test/64", "1", 64, "abc", "content")
    made = (middles[rng.integers(0, 40, 2_500)] + 0.6 * rng.standard_normal((2_500, 64))).astype(np.float32)
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        for n, each in enumerate(made):
            memory = draft.memory({"content": f"number {n}", "type": f"t{n % 50}"}, transaction.now)
            transaction.add_memory(memory, {space: Embedding(each.tobytes())})
    asked = [(made[n] + 0.3 * rng.standard_normal(64)).astype(np.float32).tobytes() for n in range(30)]
    with cached_store.read() as reader:
        reader.search_vectors(asked[0], space, ACTIVE, 10)
    cached_store.wait_for_search_cache()
    for wanted in (ACTIVE, Filter(types=("t7",)), Filter(types=("t1", "t2", "t3"), statuses=(Status.ACTIVE,))):
        for vector in asked:
            with cached_store.read() as reader:
                found = reader.search_vectors(vector, space, wanted, 10)
            with cached_store.read(exact=True) as reader:
                assert found == reader.search_vectors(vector, space, wanted, 10)
        with cached_store.read() as reader:
            place = reader.vector_rank(asked[0], space, wanted, 900)
        with cached_store.read(exact=True) as reader:
            assert place == reader.vector_rank(asked[0], space, wanted, 900)


def test_a_model_whose_vectors_are_all_gone_finds_nothing(cached_store):
    memory = add(cached_store, "alpha", {SPACE: numbers(random.Random(1))})
    with cached_store.transact(Op.EDIT, "test") as transaction:
        transaction.remove_memory(memory.id)
    assert same_vectors(cached_store, numbers(random.Random(2)).vector, SPACE) == []


def test_a_filter_that_excludes_all_near_vectors_finds_those_further_away(cached_store, monkeypatch):
    monkeypatch.setattr("core.search_cache.vector_index._CANDIDATES", 27)
    monkeypatch.setattr("core.search_cache.vector_index.EXACT_UP_TO", 0)
    rng = np.random.default_rng(2)
    middles = 3 * rng.standard_normal((2, 64))
    space = Space("test/64", "1", 64, "abc", "content")
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        for n in range(400):
            memory = draft.memory({"content": f"number {n}", "collection": ("one", "two")[n % 2]}, transaction.now)
            leaning = middles[0] if n % 20 == 1 else 0
            vector = (middles[n % 2] + leaning + rng.standard_normal(64)).astype(np.float32)
            transaction.add_memory(memory, {space: Embedding(vector.tobytes())})
    asked = middles[0].astype(np.float32).tobytes()
    assert len(same_vectors(cached_store, asked, space, Filter(collections=("two",)))) == 5


def test_the_nearest_are_found_while_most_memories_have_no_vector_yet(cached_store, monkeypatch):
    monkeypatch.setattr("core.search_cache.vector_index._CANDIDATES", 31)
    monkeypatch.setattr("core.search_cache.vector_index.EXACT_UP_TO", 0)
    rng = np.random.default_rng(4)
    space = Space("test/64", "1", 64, "abc", "content")
    middles = rng.standard_normal((5, 64))
    made = (middles[np.arange(200) % 5] + 0.5 * rng.standard_normal((200, 64))).astype(np.float32)
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        for n in range(1_000):
            embedding = {space: Embedding(made[n].tobytes())} if n < 200 else None
            transaction.add_memory(draft.memory({"content": f"number {n}"}, transaction.now), embedding)
    for asked in middles.astype(np.float32):
        assert len(same_vectors(cached_store, asked.tobytes(), space)) == 5


def test_of_many_equal_vectors_those_of_the_first_memories_are_found(cached_store):
    rng = np.random.default_rng(6)
    same = rng.standard_normal(8)
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        for n in range(300):
            vector = (same if n % 2 else rng.standard_normal(8)).astype(np.float32)
            memory = draft.memory({"content": f"number {n}"}, transaction.now)
            transaction.add_memory(memory, {SPACE: Embedding(vector.tobytes())})
    for shift in (0.0, 0.1, 0.3):
        asked = (same + shift).astype(np.float32).tobytes()
        for limit in (1, 5, 50, 149, 151, 300, 1_000):
            same_vectors(cached_store, asked, SPACE, limit=limit)


def test_a_vector_of_zeros_that_an_earlier_version_has_stored_is_near_nothing(cached_store):
    zeros, one = Embedding(bytes(32)), numbers(random.Random(1))
    for each in (zeros, one, zeros, numbers(random.Random(2))):
        with cached_store.transact(Op.REMEMBER, "test") as transaction:
            memory = transaction.add_memory(draft.memory({"content": "alpha"}, transaction.now), {SPACE: one})
            vectors.put(transaction.reader()._connection, 1, memory.id, each, transaction.now)
    assert [id for id, _ in same_vectors(cached_store, one.vector, SPACE)] == [2, 4]
    assert same_vectors(cached_store, zeros.vector, SPACE) == []
    for exact in (False, True):
        with cached_store.read(exact=exact) as reader:
            assert reader.cosines(one.vector, SPACE, [1, 2, 3, 4]).keys() == {2, 4}
            assert reader.vector_rank(one.vector, SPACE, ACTIVE, 1) is None


def test_the_cache_returns_no_more_vectors_than_the_file_would(cached_store, monkeypatch):
    monkeypatch.setattr("core.store.sqlite.search.MAX_NEIGHBOURS", 10)
    rng = random.Random(7)
    for _ in range(20):
        add(cached_store, "alpha", {SPACE: numbers(rng)})
    assert len(same_vectors(cached_store, numbers(rng).vector, SPACE, limit=15)) == 9


def test_vectors_of_two_numbers_are_ranked_by_the_file(cached_store):
    rng = np.random.default_rng(8)
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        for n, each in enumerate(rng.standard_normal((500, 2)).astype(np.float32)):
            memory = draft.memory({"content": f"number {n}"}, transaction.now)
            transaction.add_memory(memory, {OTHER_SPACE: Embedding(each.tobytes())})
    for asked in rng.standard_normal((20, 2)).astype(np.float32):
        same_vectors(cached_store, asked.tobytes(), OTHER_SPACE)


def test_with_a_filter_by_status_the_nearest_are_found_however_few_pass(store):
    rng = random.Random(9)
    for n in range(60):
        add(store, f"number {n}", {SPACE: numbers(rng)}, status="archived" if n % 10 else "active")
    asked = numbers(rng).vector
    with store.read(exact=True) as reader:
        cosines = reader.cosines(asked, SPACE, range(1, 61))
        for status in Status:
            let_through = {memory.id for memory in reader.page(Filter(statuses=(status,)), limit=100)}
            by_cosine = sorted(let_through, key=lambda id: (-cosines[id], id))
            for limit in (1, 4, 6, 7, 40, 54, 60):
                found = reader.search_vectors(asked, SPACE, Filter(statuses=(status,)), limit)
                assert [id for id, _ in found] == by_cosine[:limit]


def test_the_length_of_a_vector_does_not_change_its_cosine(cached_store):
    rng = np.random.default_rng(10)
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        for n, each in enumerate(rng.standard_normal((400, 8))):
            vector = (each * (1e-15, 1e-3, 1, 50, 1e15)[n % 5]).astype(np.float32)
            memory = draft.memory({"content": f"number {n}"}, transaction.now)
            transaction.add_memory(memory, {SPACE: Embedding(vector.tobytes())})
    for asked in rng.standard_normal((10, 8)).astype(np.float32):
        same_vectors(cached_store, asked.tobytes(), SPACE, limit=20)


def test_the_nearest_are_found_where_vectors_were_removed_and_their_rows_reused(cached_store, monkeypatch):
    monkeypatch.setattr("core.search_cache.vector_index._SAMPLED", 16)
    monkeypatch.setattr("core.search_cache.vector_index.SEGMENT", 50)
    rng = random.Random(11)
    made = [add(cached_store, f"number {n}", {SPACE: numbers(rng)}) for n in range(120)]
    with cached_store.transact(Op.EDIT, "test") as transaction:
        for memory in made[:40]:
            transaction.remove_memory(memory.id)
    same_vectors(cached_store, numbers(rng).vector, SPACE, limit=30)
    with cached_store.transact(Op.EDIT, "test") as transaction:
        for memory in made[60:80:2]:
            transaction.remove_memory(memory.id)
    for n in range(30):
        add(cached_store, f"further {n}", {SPACE: numbers(rng)})
    same_vectors(cached_store, numbers(rng).vector, SPACE, limit=30)


def like_a_models(rng, count, dimension=384):
    """Vectors to one side of the space, hardly apart: what embedding models make of unrelated sentences."""
    middle = rng.standard_normal(dimension)
    topics = rng.standard_normal((60, dimension))
    found = 1.6 * middle + topics[rng.integers(0, 60, count)] * 0.5 + rng.standard_normal((count, dimension))
    return (found / np.linalg.norm(found, axis=1)[:, None]).astype(np.float32)


def keep_vectors(store, space, vectors):
    with store.transact(Op.IMPORT, "test") as transaction:
        for n, each in enumerate(vectors):
            memory = draft.memory({"content": f"number {n}", "type": f"t{n % 3}"}, transaction.now)
            transaction.add_memory(memory, {space: Embedding(each.tobytes())})


def test_the_nearest_of_vectors_that_lie_close_together_are_exact(cached_store):
    space = Space("test/384", "1", 384, "abc", "content")
    made = like_a_models(np.random.default_rng(12), 2_450)
    keep_vectors(cached_store, space, made[150:])
    with cached_store.read() as reader:
        reader.search_vectors(made[0].tobytes(), space, ACTIVE, 40)
    cached_store.wait_for_search_cache()
    differing = 0
    for asked in made[:150]:
        with cached_store.read() as reader:
            assert not reader.is_vector_search_approximate(space, ACTIVE)
            found = reader.search_vectors(asked.tobytes(), space, ACTIVE, 40)
        with cached_store.read(exact=True) as reader:
            differing += found != reader.search_vectors(asked.tobytes(), space, ACTIVE, 40)
    assert differing == 0


def test_above_so_many_vectors_a_result_is_called_approximate_and_a_narrow_filter_makes_it_exact(
    cached_store, monkeypatch
):
    monkeypatch.setattr("core.search_cache.vector_index.EXACT_UP_TO", 200)
    space = Space("test/64", "1", 64, "abc", "content")
    made = like_a_models(np.random.default_rng(13), 400, 64)
    keep_vectors(cached_store, space, made)
    same_vectors(cached_store, made[0].tobytes(), space)
    with cached_store.read() as reader:
        assert reader.is_vector_search_approximate(space, ACTIVE)
        assert not reader.is_vector_search_approximate(space, Filter(types=("t1",)))
    with cached_store.read(exact=True) as reader:
        assert not reader.is_vector_search_approximate(space, ACTIVE)


def test_thousands_of_equal_vectors_are_searched_by_the_file(cached_store, monkeypatch):
    monkeypatch.setattr("core.search_cache.vector_index._MAX_RESCORED", 100)
    space = Space("test/64", "1", 64, "abc", "content")
    made = np.tile(like_a_models(np.random.default_rng(14), 1, 64), (300, 1))
    keep_vectors(cached_store, space, made)
    assert [id for id, _ in same_vectors(cached_store, made[0].tobytes(), space, limit=5)] == [1, 2, 3, 4, 5]


def test_why_not_says_that_an_approximate_search_missed_a_memory(cached_store, monkeypatch):
    space = Space("test/64", "1", 64, "abc", "content")
    made = like_a_models(np.random.default_rng(15), 400, 64)
    keep_vectors(cached_store, space, made)
    monkeypatch.setattr("core.search_cache.vector_index.EXACT_UP_TO", 0)  # before the vectors are loaded
    same_vectors(cached_store, made[0].tobytes(), space)
    monkeypatch.setattr("core.search_cache.vector_index._CANDIDATES", 1)
    asked = Query(
        text="q", now=cached_store.clock.now(), k=5, vector=made[0].tobytes(), space=space, filter=ACTIVE
    )  # fmt: skip
    source = VectorSearch(limit=40)
    with cached_store.read(exact=True) as reader:
        nearest = source(asked, reader, GatherState())
        assert nearest.notes == ()
    with cached_store.read() as reader:
        found = source(asked, reader, GatherState())
        missed = next(id for id in nearest.scores if id not in found.scores)
        reason = source.why_absent(asked, reader, missed)
    assert found.notes == (APPROXIMATE,)
    assert reason.facts["rank"] <= reason.facts["limit"] == 40
    assert reason.facts["approximate"]
    assert "was missed" in reason.sentence
