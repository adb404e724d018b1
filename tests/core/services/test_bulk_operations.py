"""What is done to many memories at once is one operation, and one undo reverts it."""

from __future__ import annotations

import pytest

from core import draft
from core.changes import Op
from core.errors import UserError
from core.services import browse, bulk_operations, curate


@pytest.fixture
def three(workspace):
    with workspace.store.transact(Op.REMEMBER, "test") as transaction:
        for number, tags in enumerate((["a"], [], ["a", "b"]), 1):
            transaction.add_memory(draft.memory({"content": f"memory {number}", "tags": tags}, transaction.now))
    return workspace


def tags(workspace):
    return [browse.find(workspace, str(id)).tags for id in (1, 2, 3)]


def test_a_tag_is_given_to_those_that_lack_it_and_undone_at_once(three):
    changes = bulk_operations.add_tag(three, [1, 2, 3], " b ", actor="test")
    assert tags(three) == [("a", "b"), ("b",), ("a", "b")]
    assert changes.memories == {1, 2}
    curate.undo_last(three, actor="test")
    assert tags(three) == [("a",), (), ("a", "b")]


@pytest.mark.parametrize(("ids", "tag"), [([], "a"), ([1], " "), ([1], "\0")])
def test_without_a_tag_or_a_memory_there_is_nothing_to_do(three, ids, tag):
    with pytest.raises(UserError):
        bulk_operations.add_tag(three, ids, tag, actor="test")
