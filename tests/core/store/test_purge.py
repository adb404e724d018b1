"""What is purged is gone: from every table and index, from the journal, and from the bytes of the file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from store_steps import SPACE, add, found, in_step, link, vector

from core.changes import Op
from core.errors import NotFound

SECRET = "Quixotic zephyr vouchsafes Jabberwocky"
LATER = "Borogoves outgrabe mimsy wabe"


def bytes_on_disk(store) -> bytes:
    """The file, its write-ahead log and its index of it."""
    beside = store.path.parent.glob(store.path.name + "*")
    return b"".join(Path(each).read_bytes() for each in beside)


def purge(store, *memories):
    with store.transact(Op.PURGE, "person") as transaction:
        transaction.purge_memories([memory.id for memory in memories])
    assert store.empty_log()


@pytest.fixture
def purged(store):
    """A memory with everything a memory can have, edited and linked, then purged; and one that stays."""
    stays = add(store, "A plain statement that stays", {SPACE: vector(0, 0, 1, 0)})
    goes = add(
        store, SECRET, {SPACE: vector(0.123, 0.456, 0.789, 0.321)}, tags=["snicker-snack"], summary="Bandersnatch"
    )
    link(store, stays, goes, evidence={"why": "Frumious"})
    with store.transact(Op.EDIT, "codex") as transaction:
        transaction.update_memory(goes.id, {"content": LATER})
        transaction.put_embedding(goes.id, SPACE, vector(0.9, 0.8, 0.7, 0.6))
    with store.read() as reader:  # a reader that has looked into the index before
        assert [id for id, _ in reader.matching("mimsy")] == [goes.id]
    purge(store, goes)
    return stays, goes


def test_no_word_of_it_is_left_in_the_file_or_its_log(store, purged):
    left = bytes_on_disk(store).lower()
    for word in f"{SECRET} {LATER} snicker-snack Bandersnatch Frumious".lower().split():
        assert word.encode() not in left, word
        assert word[:5].encode() not in left, word  # the index compresses what words begin with
    assert vector(0.123, 0.456, 0.789, 0.321).vector not in left
    assert vector(0.9, 0.8, 0.7, 0.6).vector not in left


def test_everything_else_is_there_and_in_step(store, purged):
    stays, goes = purged
    with store.read() as reader:
        assert reader.memory(stays.id) == stays
        assert reader.memory(goes.id) is None
        assert reader.links_of(stays.id) == []
        assert reader.versions(goes.id) == []
        assert reader.journal_entries(limit=1)[0].op is Op.PURGE
    assert found(store, "plain") == [stays.id]
    assert found(store, "mimsy") == []
    assert in_step(store)


def test_the_past_no_longer_knows_it(store, purged):
    stays, _ = purged
    with store.read() as reader:
        assert set(reader.state_at(store.clock.now() - timedelta(days=1)).memories) <= {stays.id}
        assert set(reader.state_at(store.clock.now()).memories) == {stays.id}


def test_a_link_that_a_merge_moved_away_from_it_keeps_its_own_history(store):
    a, b, c = add(store, "alpha"), add(store, "beta"), add(store, "gamma")
    moved = link(store, c, b, evidence={"why": "kept"})
    with store.transact(Op.MERGE, "person") as transaction:
        transaction.remove_link(moved.id)
        transaction.add_link(type(moved)(**{**_fields(moved), "target_id": a.id}))
    purge(store, b)
    with store.read() as reader:
        assert [(each.source_id, each.target_id) for each in reader.links_of(a.id)] == [(c.id, a.id)]
        assert set(reader.state_at(store.clock.now()).links) == {moved.id}
    assert in_step(store)


def test_purging_what_is_not_there_changes_nothing(store):
    kept = add(store, "alpha")
    with pytest.raises(NotFound), store.transact(Op.PURGE, "person") as transaction:
        transaction.purge_memories([kept.id, 999])
    assert found(store, "alpha") == [kept.id]
    assert in_step(store)


def _fields(link):
    return {name: getattr(link, name) for name in type(link).__dataclass_fields__}
