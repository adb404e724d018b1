"""The search cache answers as the file itself does, whatever has happened to the file."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core import draft
from core.changes import Op
from core.model import Filter, Status
from core.progress import Cancelled
from core.search_cache import background_loader, cache_contents, posting
from core.search_types import FIELDS, TextSearch
from core.store.sqlite import engine as store_module
from core.store.sqlite import search_log
from tests.support.cached_search import ACTIVE, SPACE, WEIGHTS, matches, numbers, same_text, same_vectors
from tests.support.store_steps import add

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
WORDS = ("alpha", "beta", "gamma", "delta", "running", "runs", "run", "größer", "抓取物品", "東京", "e-mail", "2026")
FILTERS = (
    Filter(),
    ACTIVE,
    Filter(statuses=(Status.ACTIVE,), tags=("x",)),
    Filter(types=("decision",)),
    Filter(collections=("two",), pinned=False),
)


def searches(rng):
    words = tuple(dict.fromkeys(rng.choices((*WORDS, "unheard", "抓"), k=rng.randint(1, 5))))
    for weights in WEIGHTS:
        for okapi in (None, (1.5, 0.75)):
            yield TextSearch(words, rng.random() < 0.5, weights, okapi)


def fields(rng):
    return {
        "content": " ".join(rng.choices(WORDS, k=rng.randint(1, 9))),
        "summary": rng.choice(("", "alpha in short")),
        "type": rng.choice(("fact", "decision")),
        "entities": rng.choice(([], ["alpha", "größer beta"])),
        "files": rng.choice(([], ["runs/東京.py"])),
        "tags": rng.sample(("x", "y", "alpha"), k=rng.randint(0, 3)),
        "collection": rng.choice(("one", "two")),
        "session": rng.choice(("", "monday", "tuesday")),
        "confidence": rng.choice((0.2, 0.8)),
        "importance": rng.choice(("normal", "high")),
        "created_at": NOW - timedelta(minutes=rng.randint(0, 20)),
    }


def answers_agree(store, rng):
    """Every search gives the same memories with the same numbers, by the cache and by the file."""
    for wanted in FILTERS:
        for search in searches(rng):
            with store.read() as reader:
                cached = reader.search_text(search, wanted, 5)
                counts = reader.count(), reader.count_embedded(SPACE), reader.vocabulary(WORDS)
                ids = [id for id, _ in cached[-1:]] + reader.memory_ids()[-1:]
                answers = [(reader.text_statistics(search, (id,)), reader.text_rank(search, wanted, id)) for id in ids]
            with store.read(exact=True) as reader:
                assert cached == reader.search_text(search, wanted, 5)
                assert counts == (reader.count(), reader.count_embedded(SPACE), reader.vocabulary(WORDS))
                for id, (statistics, rank) in zip(ids, answers, strict=True):
                    assert statistics == reader.text_statistics(search, (id,))
                    assert rank == reader.text_rank(search, wanted, id)
        vector = numbers(rng).vector
        with store.read() as reader:
            near = reader.search_vectors(vector, SPACE, wanted, 5)
        store.wait_for_search_cache()
        with store.read() as reader:
            assert near == reader.search_vectors(vector, SPACE, wanted, 5)
            ids = reader.memory_ids()
            cosines = reader.cosines(vector, SPACE, ids)
            places = [reader.vector_rank(vector, SPACE, wanted, id) for id in ids[:3]]
            facts = reader.facts(ids)
            neighbours = reader.session_neighbours(ids, wanted, 2)
        with store.read(exact=True) as reader:
            assert [column.tolist() for column in facts] == [column.tolist() for column in reader.facts(ids)]
            assert neighbours == reader.session_neighbours(ids, wanted, 2)
            assert near == reader.search_vectors(vector, SPACE, wanted, 5)
            assert places == [reader.vector_rank(vector, SPACE, wanted, id) for id in ids[:3]]
            assert cosines == reader.cosines(vector, SPACE, ids)


def some_operation(store, rng):
    with store.read() as reader:
        ids = reader.memory_ids()
        last = reader.journal_entries(limit=1)
    kind = rng.choice(("add", "add", "edit", "edit", "remove", "purge", "embed", "undo", "touch", "access"))
    with store.transact(Op.EDIT, "test") as transaction:
        if kind == "add" or not ids:
            for _ in range(rng.randint(1, 5)):
                vectors = {SPACE: numbers(rng)} if rng.random() < 0.7 else None
                transaction.add_memory(draft.memory(fields(rng), transaction.now), vectors)
            return
        id = rng.choice(ids)
        if kind == "edit":
            changed = rng.choice(
                (
                    fields(rng),
                    {"status": rng.choice(tuple(Status))},
                    {"tags": ["x"]},
                    {"confidence": 0.3},
                    {"pinned": True},
                )
            )
            transaction.update_memory(id, changed)
        elif kind == "remove":
            transaction.remove_memory(id)
        elif kind == "purge":
            transaction.purge_memories([id])
        elif kind == "access":
            transaction.count_accesses(dict.fromkeys(rng.sample(ids, min(3, len(ids))), (1, 1)))
        elif kind == "embed":
            transaction.put_embedding(id, SPACE, numbers(rng))
        elif kind == "touch":
            transaction.update_memory(id, {"access_count": rng.randint(0, 9)})
        elif last:
            transaction.undo([last[0].seq])


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_those_of_the_file_after_any_operations(cached_store, seed):
    rng = random.Random(seed)
    for _ in range(25):
        for _ in range(rng.randint(0, 4)):
            some_operation(cached_store, rng)
        answers_agree(cached_store, rng)


def test_after_a_repair_or_too_many_changes_everything_is_read_anew(cached_store, monkeypatch):
    rng = random.Random(5)
    for _ in range(6):
        some_operation(cached_store, rng)
    answers_agree(cached_store, rng)
    with cached_store.transact(Op.REPAIR, "test") as transaction:
        transaction.rebuild_derived()
    answers_agree(cached_store, rng)
    monkeypatch.setattr(cache_contents, "MAX_CHANGES_AT_ONCE", 3)
    for _ in range(5):
        some_operation(cached_store, rng)
    answers_agree(cached_store, rng)
    monkeypatch.setattr(search_log, "MAX_KEPT", 2)
    for _ in range(5):
        some_operation(cached_store, rng)
    answers_agree(cached_store, rng)


def test_the_log_is_kept_short(cached_store, monkeypatch):
    monkeypatch.setattr(search_log, "MAX_KEPT", 4)
    for n in range(9):
        add(cached_store, f"memory {n}")
    with cached_store.read() as reader:
        kept = [seq for (seq,) in reader._connection.execute("select seq from search_log order by seq")]
    assert kept == [6, 7, 8, 9]


def test_a_store_whose_last_token_is_removed_finds_nothing(cached_store):
    search = TextSearch(("alpha", "beta"), False, WEIGHTS[0])
    memory = add(cached_store, "alpha beta")
    assert same_text(cached_store, search)
    with cached_store.transact(Op.EDIT, "test") as transaction:
        transaction.remove_memory(memory.id)
    assert same_text(cached_store, search) == []
    add(cached_store, "…")
    assert same_text(cached_store, search) == []


def test_in_an_empty_store_nothing_has_a_rank(cached_store):
    search = TextSearch(("alpha", "beta"), False, WEIGHTS[0])
    assert same_text(cached_store, search) == []
    assert same_text(cached_store, search, limit=0) == []
    with cached_store.read() as reader:
        assert reader.text_rank(search, ACTIVE, 1) is None


@pytest.mark.parametrize("okapi", [None, (1.5, 0.75)])
@pytest.mark.parametrize("weights", [(1 / 3, 1.0, 0.0, 0.0, 0.1), (0.1, 0.7, 1.0, 1.0, 3.0), (2, 1, 1, 1, 1)])
def test_scores_are_the_same_to_the_last_bit_with_any_weights(cached_store, weights, okapi):
    for n in (1, 2, 6, 39, 200, 300):
        add(cached_store, "alpha " * n + "beta", summary="alpha " * 7, tags=["alpha one", "alpha two", "alpha three"])
    for _ in range(9):
        add(cached_store, "gamma")
    search = TextSearch(("alpha", "beta"), False, dict(zip(FIELDS, weights, strict=True)), okapi)
    assert len(same_text(cached_store, search)) == 6


def test_a_memory_added_and_removed_again_does_not_lower_the_bound_of_its_tokens(cached_store):
    search = TextSearch(("alpha", "beta"), False, WEIGHTS[0], (100.0, 1.0))
    best = add(cached_store, "alpha")
    for _ in range(3):
        add(cached_store, "beta " * 9)
    for n in range(9):
        add(cached_store, f"gamma {n}")
    assert same_text(cached_store, search, limit=1)[0][0] == best.id
    gone = add(cached_store, "alpha")
    other = TextSearch(("gamma",), False, WEIGHTS[0])
    same_text(cached_store, other)  # takes the one change in, without a look at alpha
    with cached_store.transact(Op.EDIT, "test") as transaction:
        transaction.remove_memory(gone.id)
    assert same_text(cached_store, search, limit=1)[0][0] == best.id


def test_changed_tokens_take_little_room_and_are_found_when_they_are_asked_for(cached_store, monkeypatch):
    monkeypatch.setattr(background_loader, "MAX_TOKENS_READ_WHOLE", 0)
    monkeypatch.setattr(background_loader, "MAX_PREFETCHED_TOKENS", 0)
    search = TextSearch(("alpha",), False, WEIGHTS[0])
    same_text(cached_store, search)
    before = cached_store._search_cache.contents.nbytes
    for n in range(20):
        add(cached_store, "alpha " + " ".join(f"word{n}x{each}" for each in range(200)))
        same_text(cached_store, search)
    assert cached_store._search_cache.contents.nbytes - before < 20 * 201 * 2 * 30  # in each of the two tables
    assert len(same_text(cached_store, TextSearch(("word3x7", "alpha"), False, WEIGHTS[0]))) == 20


def test_of_a_memory_that_changes_again_and_again_only_its_last_tokens_count(cached_store):
    search = TextSearch(("alpha", "beta"), True, WEIGHTS[0])
    changing, _ = add(cached_store, "alpha"), add(cached_store, "beta")
    same_text(cached_store, search)
    for content in ("alpha beta", "beta", "gamma", "alpha alpha alpha"):
        with cached_store.transact(Op.EDIT, "test") as transaction:
            transaction.update_memory(changing.id, {"content": content, "tags": ["beta"]})
        with cached_store.read() as reader:  # applies the change; the tokens of the search have not been asked for
            assert reader.count() == 2
    assert same_text(cached_store, search)[0][0] == changing.id


def test_a_memory_removed_while_postings_are_read_leaves_the_ranking_of_the_others_correct(cached_store, monkeypatch):
    rng = random.Random(1)
    with cached_store.transact(Op.IMPORT, "test") as transaction:
        for n in range(400):
            words = [f"w{rng.randrange(300)}" for _ in range(rng.randrange(3, 30))]
            content = " ".join([*words, *["alpha"] * (n % 5 == 0), *["beta"] * (n % 7 == 0)])
            first = transaction.add_memory(draft.memory({"content": content}, transaction.now)).id - n
    read = posting.FullPostings.read
    left = iter([first])

    def read_and_remove(snapshot, index, as_of):
        full = read(snapshot, index, as_of)
        for id in left:
            with cached_store.transact(Op.FORGET, "test") as transaction:
                transaction.remove_memory(id)
        return full

    monkeypatch.setattr(posting.FullPostings, "read", read_and_remove)
    with cached_store.read() as reader:
        reader.expect_questions(None)
    cached_store.wait_for_search_cache()
    for okapi in ((20.0, 1.0), (1000.0, 1.0), (1.5, 0.75)):
        same_text(cached_store, TextSearch(("alpha", "beta"), False, WEIGHTS[0], okapi), limit=3)


def test_an_access_is_logged_as_a_change_of_facts_alone(cached_store):
    memory = add(cached_store, "alpha")
    with cached_store.read() as reader:
        before = search_log.last(reader._connection)
    with cached_store.transact(Op.TOUCH, "test") as transaction:
        transaction.update_memory(memory.id, {"access_count": 3, "return_count": 1})
    with cached_store.read() as reader:
        assert search_log.since(reader._connection, before) == ([], [memory.id])


def test_a_snapshot_is_answered_as_of_its_own_moment(cached_store):
    search = TextSearch(("alpha",), False, WEIGHTS[0])
    first = add(cached_store, "alpha one")
    with cached_store.read() as reader:
        assert [id for id, _ in reader.search_text(search, ACTIVE, 5)] == [first.id]
        other = ThreadOf(lambda: (add(cached_store, "alpha two"), matches(cached_store, search)))
        assert len(other.result[1]) == 2  # the cache is now as of what the other thread sees
        assert [id for id, _ in reader.search_text(search, ACTIVE, 5)] == [first.id]
    assert len(matches(cached_store, search)) == 2


class ThreadOf:
    def __init__(self, work):
        import threading

        thread = threading.Thread(target=lambda: setattr(self, "result", work()))
        thread.start()
        thread.join()


def test_what_another_process_wrote_is_found_by_the_next_search(cached_store):
    search = TextSearch(("alpha",), False, WEIGHTS[0])
    add(cached_store, "alpha one")
    assert len(matches(cached_store, search)) == 1
    writer = """
        import sys
        from pathlib import Path
        from core import draft
        from core.changes import Op
        from core.store.sqlite.engine import SqliteStore

        store = SqliteStore.open(Path(sys.argv[1]), backups=Path(sys.argv[1]).parent / "backups")
        for n in range(20):
            with store.transact(Op.REMEMBER, "other") as transaction:
                transaction.add_memory(draft.memory({"content": f"alpha {n}"}, transaction.now))
    """
    command = [sys.executable, "-c", textwrap.dedent(writer), str(cached_store.path)]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[3])
    found = matches(cached_store, search)
    assert len(found) == 21
    with cached_store.read(exact=True) as reader:
        assert found == reader.search_text(search, ACTIVE, 100)


def test_a_search_that_is_interrupted_anywhere_leaves_the_next_ones_correct(cached_store, monkeypatch):
    monkeypatch.setattr(store_module, "STEPS_BETWEEN_CHECKS", 60)
    monkeypatch.setattr(cache_contents, "MAX_CHANGES_AT_ONCE", 0)
    rng = random.Random(9)
    search = TextSearch(("alpha",), False, WEIGHTS[0])
    asked = numbers(rng).vector
    for looks in range(40):
        add(cached_store, f"alpha {looks}", {SPACE: numbers(rng)})
        left = iter(range(looks))
        with suppress(Cancelled), cached_store.stoppable(lambda left=left: next(left, None) is not None):
            matches(cached_store, search)
        add(cached_store, "beta", {SPACE: numbers(rng)})
        assert len(same_text(cached_store, search)) == looks + 1
        same_vectors(cached_store, asked, SPACE)
        with cached_store.read() as reader:
            assert reader.count_embedded(SPACE) == reader.count() == 2 * (looks + 1)


def test_memories_of_any_length_are_ranked_as_by_the_file(cached_store):
    for words in (1, 126, 127, 128, 300, 16_383, 16_384, 17_000):
        add(cached_store, "alpha " * words, summary="alpha " * (words % 150), tags=["alpha"])
    add(cached_store, "beta")
    for weights in WEIGHTS:
        assert len(same_text(cached_store, TextSearch(("alpha",), False, weights))) == 8


def test_reading_and_listing_memories_loads_no_numpy(store):
    add(store, "alpha")
    asking = """
        import sys
        from pathlib import Path
        from core.model import Filter
        from core.services import browse
        from core.services.workspace import Workspace

        with Workspace.open(Path(sys.argv[1])) as workspace:
            browse.find(workspace, "1")
            browse.page(workspace, Filter())
        print("numpy" in sys.modules)
    """
    command = [sys.executable, "-c", textwrap.dedent(asking), str(store.path)]
    answered = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    assert answered.stdout.strip() == "False"
