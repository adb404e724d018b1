"""A merge is looked at before it is done: what it would make, how sure that is, and whether the several are copies."""

from __future__ import annotations

import pytest

from core.errors import StaleEdit, UserError
from core.services import curate, merging, remember
from core.services.remember import Policy


def keep(workspace, content, **fields):
    kept = remember.remember(workspace, {"content": content, **fields}, actor="person", duplicates=Policy.KEEP)
    return kept.memory.id


@pytest.fixture
def unrelated(workspace):
    return [
        keep(workspace, "Deploys happen on Tuesdays after the stand-up", tags=["deploy"], confidence=0.9),
        keep(workspace, "Mara prefers dark mode in every editor", tags=["mara"], confidence=1.0, pinned=True),
    ]


@pytest.fixture
def copies(workspace):
    for n in range(20):
        keep(workspace, f"An unlike sentence about a lighthouse numbered {n}")
    return [
        keep(workspace, "The migration hangs while a session is idle in a transaction", confidence=0.6),
        keep(workspace, "The migration hangs while the session is idle in transaction", confidence=0.8),
    ]


def test_copies_become_as_sure_as_the_surest(workspace, copies):
    looked_at = merging.preview(workspace, copies)
    assert (looked_at.are_duplicates, looked_at.warning) == (True, "")
    assert looked_at.confidence("Any text") == merging.MergedConfidence(
        0.8, "the highest of 0.60, 0.80, because they say the same"
    )
    kept, _ = merging.merge(workspace, looked_at, actor="person")
    assert kept.confidence == 0.8


def test_a_preview_shows_what_the_merge_then_makes_and_changes_nothing(workspace, unrelated):
    with workspace.store.read() as reader:
        before = reader.memories(unrelated)
    looked_at = merging.preview(workspace, unrelated)
    with workspace.store.read() as reader:
        assert reader.memories(unrelated) == before
    made, _ = merging.merge(workspace, looked_at, actor="person")
    shown = looked_at.merged
    for name in ("content", "tags", "entities", "files", "confidence", "pinned", "importance"):
        assert getattr(made, name) == getattr(shown, name), name


def test_a_preview_warns_of_what_is_no_near_duplicate_with_its_numbers(workspace, unrelated):
    first, second = unrelated
    warning = merging.preview(workspace, unrelated).warning
    assert f"not near-duplicates of memory {first} (memory {second}: overlap 0.0" in warning


def test_what_has_contradiction_is_no_duplicate_however_alike(workspace, copies):
    curate.link(workspace, copies[0], [copies[1]], {"kind": "contradicts", "status": "open"}, actor="person")
    assert not merging.preview(workspace, copies).are_duplicates


def test_a_merge_of_what_has_changed_since_the_preview_is_refused(workspace, unrelated):
    looked_at = merging.preview(workspace, unrelated)
    curate.edit(workspace, unrelated[1:], {"content": "Mara prefers light mode now"}, actor="codex")
    with pytest.raises(StaleEdit, match="preview the merge again"):
        merging.merge(workspace, looked_at, actor="person")


def test_a_preview_refuses_what_a_merge_refuses(workspace, unrelated):
    for ids in ([], unrelated[:1], [unrelated[0], unrelated[0]]):
        with pytest.raises(UserError, match="at least two"):
            merging.preview(workspace, ids)
    curate.forget(workspace, unrelated[1:], actor="person")
    with pytest.raises(UserError, match="restore it first"):
        merging.preview(workspace, unrelated)
