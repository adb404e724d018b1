"""Posting lists that are not in memory stay unread where the best can be found without them: answers stay those of the
file to the last bit."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from core import draft
from core.changes import Op
from core.model import Filter, Status
from core.progress import Cancelled
from core.search_cache import background_loader, bm25_ranking
from core.search_cache.feed import WORDS
from core.search_types import FIELDS, TextSearch
from core.store.sqlite import engine as store_module
from tests.support.cached_search import ACTIVE, WEIGHTS, same_text

COMMON = ("databases", "common", "usual")  # a stem of databases has a stem of its own
RARE = ("alpha", "beta", "gamma", "delta")
ODD_WEIGHTS = dict(zip(FIELDS, (1 / 3, 0.7, 1.0, 2.0, 0.1), strict=True))
FILTERS = (Filter(), ACTIVE, Filter(tags=("x",)), Filter(types=("decision",)), Filter(tags=("nowhere",)))


@pytest.fixture
def early(cached_store, monkeypatch):
    """A store that counts as large, of which nothing is prefetched, and where looking a memory up in FTS5 always costs
    less than reading a posting list."""
    monkeypatch.setattr(background_loader, "MAX_TOKENS_READ_WHOLE", 0)
    monkeypatch.setattr(background_loader.BackgroundLoader, "start", lambda _: None)
    monkeypatch.setattr(bm25_ranking, "_LOOKUP_COST", 0)
    return cached_store


def remember(store, contents):
    with store.transact(Op.IMPORT, "test") as transaction:
        for content in contents:
            transaction.add_memory(draft.memory({"content": content}, transaction.now))


def forget_lists(store):
    if store._search_cache is not None:
        store._search_cache.contents.clear()
        store._search_cache.terms.forget()


def holds(store, word):
    return store._search_cache.contents.postings.holds(WORDS, word)


def some_memories(store, rng):
    with store.transact(Op.IMPORT, "test") as transaction:
        for n in range(150):
            words = [word for word in COMMON if rng.random() < 0.8]
            words += rng.choices(RARE, k=rng.randint(0, 2)) + rng.choices(words or RARE, k=rng.randint(0, 3))
            fields = {
                "content": " ".join(words) or "nothing",  # so few words that many are equals
                "summary": rng.choice(("", "", "alpha in short", "the usual databases")),
                "type": rng.choice(("fact", "decision")),
                "tags": ["x"] if n % 40 == 0 else rng.sample(("y", "common"), k=rng.randint(0, 2)),
            }
            transaction.add_memory(draft.memory(fields, transaction.now))
    with store.transact(Op.EDIT, "test") as transaction:
        removed, archived = rng.sample(range(1, 76), 20), rng.sample(range(76, 151), 20)
        for id in removed:
            transaction.remove_memory(id)
        for id in archived:
            transaction.update_memory(id, {"status": Status.ARCHIVED})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("asking", [0, 3])
def test_answers_are_those_of_the_file_whichever_posting_lists_stay_unread(early, monkeypatch, seed, asking):
    monkeypatch.setattr(bm25_ranking, "_LOOKUP_COST", asking)
    rng = random.Random(seed)
    some_memories(early, rng)
    for _ in range(60):
        words = tuple(rng.sample((*COMMON, *RARE, "unheard"), k=rng.randint(1, 6)))
        okapi = rng.choice((None, None, (1.5, 0.75), (0.0, 1.0)))
        search = TextSearch(words, rng.random() < 0.5, rng.choice((*WEIGHTS, ODD_WEIGHTS)), okapi)
        wanted, limit = rng.choice(FILTERS), rng.choice((1, 3, 10, 1_000))
        if rng.random() < 0.7:
            forget_lists(early)
        found = same_text(early, search, wanted, limit)
        ids = [id for id, _ in found[-2:]] + rng.sample(range(1, 151), 5)
        for asked in (search, TextSearch(words, not search.stemmed, search.weights, okapi)):
            with early.read() as reader:
                answers = [reader.text_scores(asked, ids), reader.text_statistics(asked, ids)]
                answers += [reader.text_rank(asked, wanted, id) for id in ids[:2]]
            with early.read(exact=True) as reader:
                assert answers[:2] == [reader.text_scores(asked, ids), reader.text_statistics(asked, ids)]
                assert answers[2:] == [reader.text_rank(asked, wanted, id) for id in ids[:2]]


def test_the_list_of_a_frequent_token_is_not_read_where_others_decide(early):
    remember(early, ["alpha common", "alpha common common", *["common"] * 20])
    search = TextSearch(("common", "alpha"), False, WEIGHTS[0])
    assert [id for id, _ in same_text(early, search, limit=2)] == [1, 2]
    assert holds(early, "alpha")
    assert not holds(early, "common")


def test_between_ties_a_token_whose_list_stays_unread_decides(early):
    remember(early, ["alpha other other", "alpha common other", "alpha common common", *["common more"] * 20])
    search = TextSearch(("common", "alpha"), False, WEIGHTS[0])
    assert [id for id, _ in same_text(early, search, limit=1)] == [3]
    assert [id for id, _ in same_text(early, search, limit=3)] == [3, 2, 1]
    assert not holds(early, "common")


def test_the_list_of_a_frequent_token_is_read_where_too_few_memories_hold_the_others(early):
    remember(early, ["alpha common", *["common"] * 20])
    assert len(same_text(early, TextSearch(("common", "alpha"), False, WEIGHTS[0]), limit=5)) == 5
    assert holds(early, "common")


def test_the_lists_of_frequent_tokens_are_read_where_nothing_else_is_asked_for(early):
    remember(early, ["common usual usual", "usual", *["common usual"] * 20, "common common common"])
    assert same_text(early, TextSearch(("common", "usual"), False, WEIGHTS[0]), limit=3)[0][0] == 1
    assert holds(early, "common")
    assert holds(early, "usual")


def test_all_lists_are_read_where_a_token_has_a_negative_idf(early):
    remember(early, ["alpha common common common", "alpha beta", "alpha gamma", *["common"] * 20])
    found = same_text(early, TextSearch(("common", "alpha"), False, WEIGHTS[0], (1.5, 0.75)), limit=2)
    assert [id for id, _ in found] == [2, 3]
    assert holds(early, "common")


def test_a_list_is_read_where_looking_memories_up_one_by_one_would_cost_more(early, monkeypatch):
    monkeypatch.setattr(bm25_ranking, "_LOOKUP_COST", 10)
    remember(early, [*["alpha common"] * 5, *["common"] * 20])
    same_text(early, TextSearch(("common", "alpha"), False, WEIGHTS[0]), limit=5)
    assert holds(early, "common")


def test_scores_of_a_few_memories_read_no_posting_list(early):
    remember(early, ["alpha common", *["common"] * 20])
    search = TextSearch(("common", "alpha"), False, WEIGHTS[0])
    with early.read() as reader:
        scores = reader.text_scores(search, (1, 2))
    with early.read(exact=True) as reader:
        assert scores == reader.text_scores(search, (1, 2))
    assert not holds(early, "common")
    assert not holds(early, "alpha")


def test_a_change_is_seen_by_the_same_question(early):
    remember(early, ["alpha common", "alpha other", *["common"] * 20])
    search = TextSearch(("common", "alpha"), False, WEIGHTS[0])
    assert [id for id, _ in same_text(early, search, limit=2)] == [1, 2]
    with early.transact(Op.EDIT, "test") as transaction:
        transaction.update_memory(1, {"content": "alpha other"})
        transaction.update_memory(2, {"content": "alpha common"})
    assert [id for id, _ in same_text(early, search, limit=2)] == [2, 1]


def test_a_search_that_is_interrupted_while_it_reads_a_list_leaves_the_next_ones_correct(early, monkeypatch):
    monkeypatch.setattr(store_module, "STEPS_BETWEEN_CHECKS", 20)
    remember(early, [f"alpha {'beta ' * (n % 4)}" for n in range(40)])
    search = TextSearch(("alpha", "beta"), False, WEIGHTS[0])
    stopped = 0
    for looks in range(200):
        forget_lists(early)
        left = iter(range(looks))
        with suppress(Cancelled), early.stoppable(lambda left=left: next(left, None) is not None):
            with early.read() as reader:
                reader.search_text(search, ACTIVE, 40)  # more than hold beta: both are read
            break
        stopped += 1
        same_text(early, search, limit=40)
    assert 0 < stopped < 200


def test_a_list_that_another_thread_left_unread_is_read_as_of_the_callers_own_snapshot(early):
    remember(early, ["alpha common", *["common"] * 20])
    search = TextSearch(("common", "alpha"), False, WEIGHTS[0])

    def ask_and_change():
        same_text(early, search, limit=1)
        with early.transact(Op.EDIT, "test") as transaction:
            transaction.update_memory(2, {"content": "common common common"})

    with early.read() as reader, ThreadPoolExecutor(1) as thread:
        assert reader.count() == 21
        thread.submit(ask_and_change).result()
        scores = reader.text_scores(search, (2,))
        with early.read(exact=True) as same_moment:
            assert scores == same_moment.text_scores(search, (2,))
    same_text(early, search)
