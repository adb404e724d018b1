"""What is purged is gone: from memories, searches and the journal."""

from __future__ import annotations

from datetime import timedelta

import pytest
from purge_steps import purge, purged_pair
from store_steps import add, found, in_step, link

from core.changes import Op
from core.errors import NotFound


@pytest.fixture
def purged(store):
    return purged_pair(store)


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
