"""Versions of a memory: listed with author, time and reason, and restored."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.changes import Op
from core.errors import UserError
from core.services import audit, browse, curate, remember


def add(workspace, content, **fields):
    return remember.remember(workspace, {"content": content, **fields}, actor="person").memory


def test_every_version_is_listed_with_who_when_why_and_what_changed(workspace, clock):
    memory = add(workspace, "The pool has 10 connections", uid="pool")
    clock.advance(timedelta(hours=1))
    curate.edit(workspace, [memory.id], {"content": "The pool has 25 connections"}, actor="codex", reason="measured")
    curate.pin(workspace, [memory.id], actor="person")
    first, second, third = audit.history(workspace, "pool")
    assert [first.memory.version, second.memory.version, third.memory.version] == [1, 2, 3]
    assert (second.entry.actor, second.entry.reason, second.entry.op) == ("codex", "measured", Op.EDIT)
    assert second.entry.at == clock.now()
    assert second.diff == (("same", "The pool has "), ("gone", "10 "), ("new", "25 "), ("same", "connections"))
    assert (second.changed, third.changed) == (("agent", "content", "source"), ("pinned",))
    assert [(each.name, each.before, each.after) for each in third.fields] == [("pinned", "no", "yes")]


def test_any_version_can_be_restored_and_that_be_undone(workspace):
    memory = add(workspace, "first", tags=["x"])
    curate.edit(workspace, [memory.id], {"content": "second", "tags": []}, actor="person")
    audit.restore_version(workspace, str(memory.id), 1, actor="person")
    restored = browse.find(workspace, str(memory.id))
    assert (restored.content, restored.tags) == ("first", ("x",))
    curate.undo_last(workspace, actor="person")
    assert browse.find(workspace, str(memory.id)).content == "second"
    with pytest.raises(UserError, match="has no version 77"):
        audit.restore_version(workspace, str(memory.id), 77, actor="person")
    with pytest.raises(UserError, match="already"):
        audit.restore_version(workspace, str(memory.id), 2, actor="person")
