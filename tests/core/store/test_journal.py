"""The journal: an operation is kept whole or not at all, recorded in full, and can be undone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from store_steps import SPACE, add, found, in_step, link, vector

from core import draft
from core.changes import Op
from core.errors import NotFound, StaleEdit
from core.model import MemoryId
from core.store import row_format


def test_what_fails_in_the_middle_leaves_nothing_behind(store):
    with pytest.raises(RuntimeError), store.transact(Op.REMEMBER, "test") as transaction:
        transaction.add_memory(draft.memory({"content": "half"}, store.clock.now()), {SPACE: vector(1, 0, 0, 0)})
        raise RuntimeError("the caller failed")
    assert found(store, "half") == []
    with store.read() as reader:
        assert (reader.count(), reader.spaces(), reader.journal_entries()) == (0, [], [])
    assert in_step(store)


def test_taking_back_a_removal_brings_back_row_links_full_text_and_vector(store):
    a, b = add(store, "alpha", {SPACE: vector(1, 0, 0, 0)}, tags=["t"]), add(store, "beta")
    joined = link(store, a, b, evidence={"why": "test"})
    with store.transact(Op.FORGET, "test") as forgotten:
        forgotten.remove_memory(a.id)
    with store.transact(Op.FORGET, "test") as transaction:
        transaction.revert(forgotten.changes.seq)
    with store.read() as reader:
        assert reader.memory(a.id) == a._replace(version=2)
        assert reader.link(joined.id) == joined
        assert reader.embedding(a.id, SPACE) == vector(1, 0, 0, 0)
    assert found(store, "alpha") == [a.id]
    assert in_step(store)


def test_taking_back_is_refused_when_the_row_has_moved_on(store):
    memory = add(store, "first")
    with store.transact(Op.EDIT, "one") as first:
        first.update_memory(memory.id, {"content": "second"})
    with store.transact(Op.EDIT, "two") as second:
        second.update_memory(memory.id, {"content": "third"})
    with pytest.raises(StaleEdit, match="has changed since"), store.transact(Op.EDIT, "undo") as transaction:
        transaction.revert(first.changes.seq)
    assert found(store, "third") == [memory.id]


def test_taking_back_a_new_memory_is_not_hindered_by_its_having_been_recalled_but_by_a_new_link(store):
    with store.transact(Op.REMEMBER, "agent") as remembered:
        memory = remembered.add_memory(draft.memory({"content": "a"}, store.clock.now()))
    with store.transact(Op.TOUCH, "agent") as transaction:
        transaction.update_memory(memory.id, {"access_count": 3})
    joined = link(store, memory, add(store, "b"))
    with pytest.raises(StaleEdit, match="has been linked since"), store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(remembered.changes.seq)
    with store.transact(Op.UNLINK, "test") as transaction:
        transaction.remove_link(joined.id)
    with store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(remembered.changes.seq)
    with store.read() as reader:
        assert reader.memory(memory.id) is None


def test_a_version_is_never_given_twice_so_an_edit_of_a_undone_version_is_refused(store):
    memory = add(store, "first")
    with store.transact(Op.EDIT, "b") as undone:
        read_by_d = undone.update_memory(memory.id, {"content": "b's"})
    with store.transact(Op.EDIT, "undo") as transaction:
        transaction.revert(undone.changes.seq)
    with store.transact(Op.EDIT, "c") as transaction:
        transaction.update_memory(memory.id, {"content": "c's"})
    with pytest.raises(StaleEdit), store.transact(Op.EDIT, "d") as transaction:
        transaction.update_memory(memory.id, {"content": "d's"}, expected_version=read_by_d.version)
    assert found(store, "c's") == [memory.id]


def test_what_cannot_be_undone_says_so(store):
    a, b = add(store, "a", uid="one"), add(store, "b")
    joined = link(store, a, b)
    with store.transact(Op.UNLINK, "test") as unlinked:
        unlinked.remove_link(joined.id)
    link(store, a, b)
    with pytest.raises(StaleEdit, match="created again since"), store.transact(Op.LINK, "undo") as transaction:
        transaction.revert(unlinked.changes.seq)
    with store.transact(Op.FORGET, "test") as forgotten:
        forgotten.remove_memory(a.id)
    add(store, "another", uid="one")
    with pytest.raises(StaleEdit, match="uid one is used again"), store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(forgotten.changes.seq)
    with pytest.raises(NotFound, match="no operation 99999"), store.transact(Op.FORGET, "undo") as transaction:
        transaction.revert(99999)


def test_an_operation_of_which_a_part_failed_is_not_committed_even_if_the_failure_is_swallowed(store):
    with pytest.raises(RuntimeError, match="none of it is kept"), store.transact(Op.REMEMBER, "test") as transaction:
        transaction.add_memory(draft.memory({"content": "half"}, store.clock.now()))
        with pytest.raises(NotFound):
            transaction.remove_memory(MemoryId(99))
    assert found(store, "half") == []


def test_an_operation_that_is_over_writes_no_more_and_none_starts_inside_another(store):
    inner = store.transact(Op.REMEMBER, "inner")
    with store.transact(Op.REMEMBER, "test") as transaction, pytest.raises(RuntimeError, match="already in progress"):
        inner.__enter__()
    with pytest.raises(RuntimeError, match="is over"):
        transaction.add_memory(draft.memory({"content": "late"}, store.clock.now()))


def test_a_setting_can_be_undone(store):
    with store.transact(Op.CONFIGURE, "test") as transaction:
        transaction.set_setting("model", "a")
    with store.transact(Op.CONFIGURE, "test") as changed:
        changed.set_setting("model", {"name": "b"})
    with store.transact(Op.CONFIGURE, "test") as transaction:
        transaction.revert(changed.changes.seq)
    with store.read() as reader:
        assert reader.setting("model") == "a"
        assert reader.setting("never set") is None


AWKWARD = [
    {
        "content": 'a "quoted" path C:\\new\\table,\ttabs\nand \x1b\x7f controls',
        "confidence": 1 / 3,
        "strength": 5e-324,
    },
    {
        "content": "日本語 Grüße 👩‍👩‍👧 \u2028",
        "tags": ["b", "a", 'say "ü"', "0"],
        "entities": ["Ω", "\\"],
        "files": ["a b/c.py"],
    },
    {
        "content": "x",
        "provenance": {"from": ["{}", None, 0.1]},
        "context": {"é": {"deep": [1.5, 2**62]}},
        "pinned": True,
    },
    {"content": "[1, 2]", "summary": "{}", "importance": "high", "status": "archived", "access_count": 2**63 - 1},
]


@pytest.mark.parametrize("fields", AWKWARD)
def test_of_a_new_memory_the_journal_holds_the_very_row_to_the_last_digit_and_character(store, fields):
    with store.transact(Op.REMEMBER, "test") as transaction:
        saved = transaction.add_memory(draft.memory(fields, transaction.now))
    with store.read() as reader:
        (image,) = reader.images(transaction.changes.seq)
    assert (image.before, image.after) == (None, row_format.memory_to_row(saved))
    assert row_format.memory_from_row(image.after) == saved


def test_the_journal_says_who_what_when_and_why_with_only_the_columns_that_changed(store, clock):
    memory = add(store, "text")
    clock.advance(timedelta(hours=1))
    with store.transact(Op.EDIT, "person:mara", "it was wrong") as transaction:
        transaction.update_memory(memory.id, {"confidence": 0.5})
    with store.read() as reader:
        entry = reader.journal_entries(limit=1)[0]
        (image,) = reader.images(entry.seq)
    assert (entry.op, entry.actor, entry.reason, entry.at) == (Op.EDIT, "person:mara", "it was wrong", clock.now())
    assert image.before.keys() == {"confidence", "updated_at", "version"}
    assert (image.before["confidence"], image.after["confidence"]) == (0.8, 0.5)


def test_the_state_of_any_moment_can_be_rebuilt(store, clock):
    start = clock.now()
    clock.advance(timedelta(minutes=1))
    a = add(store, "a")
    clock.advance(timedelta(minutes=1))
    after_add = clock.now()
    clock.advance(timedelta(minutes=1))
    with store.transact(Op.EDIT, "test") as transaction:
        edited = transaction.update_memory(a.id, {"content": "b"})
    clock.advance(timedelta(minutes=1))
    after_edit = clock.now()
    clock.advance(timedelta(minutes=1))
    with store.transact(Op.FORGET, "test") as transaction:
        transaction.remove_memory(a.id)
    with store.read() as reader:
        assert reader.state_at(start).memories == {}
        assert reader.state_at(after_add).memories == {a.id: a}
        assert reader.state_at(after_edit).memories == {a.id: edited}
        assert reader.state_at(clock.now()).memories == {}


def test_accesses_of_many_are_counted_and_journalled_as_a_change_of_each_would_be(store):
    one, two = add(store, "alpha"), add(store, "beta")
    with store.transact(Op.TOUCH, "agent") as counted:
        counted.count_accesses({one.id: (2, 1), two.id: (1, 0), MemoryId(99): (5, 5)})
    with store.transact(Op.TOUCH, "agent") as changed:
        fields = {"access_count": 1, "return_count": 0, "last_accessed_at": changed.now}
        changed.update_memory(two.id, fields)  # says what is there already
    with store.read() as reader:
        after = reader.memories([one.id, two.id])
        images = reader.images(counted.changes.seq)
    assert [(each.access_count, each.return_count) for each in after.values()] == [(2, 1), (1, 0)]
    assert [each.last_accessed_at for each in after.values()] == [store.clock.now()] * 2
    assert after[one.id].version == one.version
    assert images[0].after == {
        "last_accessed_at": images[0].after["last_accessed_at"],
        "access_count": 2,
        "return_count": 1,
    }
    assert images[1].after.keys() == {"last_accessed_at", "access_count"}
    assert changed.changes.memories == frozenset()
    assert in_step(store)
