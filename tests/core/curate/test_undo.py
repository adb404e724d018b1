"""Which operations can be undone, alone or in groups, and redone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from curating import act, now, three_memories
from store_steps import add

from core.changes import Op
from core.curate import operations, undo
from core.errors import UserError
from core.model import Status


@pytest.fixture
def three(store):
    return three_memories(store)


def pin(store, memory, actor="person"):
    with store.transact(Op.PIN, actor) as transaction:
        operations.pin(transaction, memory.id)
    return transaction.changes.seq


def undo_found(store, find=undo.last_undoable, op=Op.UNDO):
    """Undo, or redo, the entry that is found."""
    with store.transact(op, "person") as transaction:
        entry = find(transaction.reader())
        transaction.undo([entry.seq])
    return entry


def redo(store):
    return undo_found(store, undo.last_redoable, Op.REDO)


def test_the_newest_operation_of_any_actor_is_undone_first_and_then_the_one_before(store, three):
    first, second = pin(store, three[0]), pin(store, three[1], "codex")
    assert undo_found(store).seq == second
    assert undo_found(store).seq == first
    assert undo_found(store).op is Op.REMEMBER


def test_accesses_embeddings_and_repairs_are_passed_over(store, three):
    seq = pin(store, three[0])
    for op, count in ((Op.TOUCH, 1), (Op.EMBED, 2), (Op.REPAIR, 3)):
        with store.transact(op, "codex") as transaction:
            transaction.update_memory(three[0].id, {"access_count": count})
    with store.read() as reader:
        assert undo.last_undoable(reader).seq == seq


def test_an_empty_store_has_nothing_to_undo_or_redo(store):
    with store.read() as reader:
        with pytest.raises(UserError, match="nothing to undo"):
            undo.last_undoable(reader)
        with pytest.raises(UserError, match="nothing to redo"):
            undo.last_redoable(reader)


def test_the_last_undo_is_redone_and_can_be_undone_again(store, three):
    seq = pin(store, three[0])
    for _ in range(2):
        assert undo_found(store).seq == seq
        assert not now(store, three[0]).pinned
        assert redo(store).op is Op.UNDO
        assert now(store, three[0]).pinned
    with pytest.raises(UserError, match="nothing to redo"):
        redo(store)


def test_something_new_makes_what_was_undone_history(store, three):
    pin(store, three[0])
    undo_found(store)
    pin(store, three[1])
    with pytest.raises(UserError, match="nothing to redo"):
        redo(store)


def test_since_names_what_one_actor_did_from_a_moment_on_and_that_still_stands(store, three, clock):
    pin(store, three[0], "codex")
    clock.advance(timedelta(hours=1))
    moment = clock.now()
    second = pin(store, three[1], "codex")
    pin(store, three[2], "cursor")
    with store.read() as reader:
        assert [entry.seq for entry in undo.undoable_since(reader, "codex", moment)] == [second]
        with pytest.raises(UserError, match="cursor2 has done nothing since"):
            undo.undoable_since(reader, "cursor2", moment)
    with store.transact(Op.UNDO, "person") as transaction:
        transaction.undo([second])
    with store.read() as reader, pytest.raises(UserError, match="codex has done nothing since"):
        undo.undoable_since(reader, "codex", moment)


def test_what_a_purge_took_a_part_of_can_no_longer_be_undone(store, three):
    with store.transact(Op.SPLIT, "person") as transaction:
        operations.split(transaction, three[0].id, ["first half of it", "second half of it"])
    split = transaction.changes.seq
    act(store, operations.set_status, three[0].id, Status.DELETED, op=Op.FORGET)
    with store.read() as reader:
        assert undo.is_undoable(reader, reader.operation(split))
    with store.transact(Op.PURGE, "person") as transaction:
        transaction.purge_memories([three[0].id])
    with store.read() as reader:
        assert not undo.is_undoable(reader, reader.operation(split))
        assert not undo.is_undoable(reader, reader.operation(transaction.changes.seq))


def test_an_undo_itself_is_not_undone_but_redone(store, three):
    add(store, "The last one")
    undo_found(store)
    with store.read() as reader:
        entry = undo.last_redoable(reader)
        assert not undo.is_undoable(reader, entry)
        assert undo.last_undoable(reader).seq < entry.seq - 1
