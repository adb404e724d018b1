"""One memory: shown with its versions, edited and saved without losing or overwriting anything."""

from __future__ import annotations

import pytest

from core.clock import FixedClock
from core.model import MemoryId
from core.services import browse, curate
from core.services.workspace import Workspace
from inspector.gui.viewmodels.detail import DetailViewModel
from tests.inspector.gui.conftest import NOW

ID, OTHER = MemoryId(1), MemoryId(2)


@pytest.fixture
def viewmodel(after, opened):
    made = DetailViewModel(opened)
    after(made.shown, lambda: made.show(ID))
    return made


def stored(path, id=ID):
    with Workspace.open(path, read_only=True) as workspace:
        return browse.find(workspace, str(id))


def test_a_memory_is_shown_with_its_links_and_versions(qtbot, viewmodel, sample):
    with qtbot.waitSignals([viewmodel.shown, viewmodel.revisions_shown]):
        viewmodel.show(OTHER)
    assert viewmodel.memory == stored(sample, OTHER)
    assert viewmodel.is_editable
    assert not viewmodel.is_dirty


def test_an_edit_is_held_until_it_is_saved(qtbot, after, viewmodel, opened, sample):
    assert after(viewmodel.dirty_changed, lambda: viewmodel.edit("content", "Another text")) is True
    assert stored(sample).content != "Another text"
    assert viewmodel.has_new_edits
    assert after(viewmodel.dirty_changed, viewmodel.save) is False
    assert stored(sample).content == viewmodel.memory.content == "Another text"


def test_an_edit_that_goes_back_to_what_the_memory_says_is_none(after, viewmodel):
    memory = viewmodel.memory
    viewmodel.edit("content", "Another text")
    viewmodel.edit("tags", list(memory.tags))
    assert after(viewmodel.dirty_changed, lambda: viewmodel.edit("content", memory.content)) is False


def test_reverted_edits_are_gone_and_the_memory_is_shown_again(after, viewmodel, sample):
    before = viewmodel.memory
    viewmodel.edit("content", "Another text")
    assert after(viewmodel.shown, viewmodel.revert).memory == before
    assert not viewmodel.is_dirty
    assert stored(sample) == before


def test_a_memory_that_is_left_is_saved_first(qtbot, after, viewmodel, opened, sample):
    viewmodel.edit("content", "Another text")
    after(opened.message, lambda: viewmodel.show(OTHER))
    assert stored(sample).content == "Another text"
    qtbot.waitUntil(lambda: viewmodel.memory.id == OTHER)
    assert not viewmodel.is_dirty


def test_saves_one_after_the_other_lose_nothing(qtbot, viewmodel, sample):
    refused = []
    viewmodel.refused.connect(refused.append)
    for text in ("one", "two", "three"):
        viewmodel.edit("content", f"Text number {text}")
        viewmodel.save()
        viewmodel.save()
    qtbot.waitUntil(lambda: not viewmodel.is_dirty)
    assert stored(sample).content == "Text number three"
    assert refused == []


def test_the_version_of_another_process_is_never_overwritten(after, viewmodel, sample):
    viewmodel.edit("content", "Mine")
    with Workspace.open(sample, clock=FixedClock(NOW)) as other:
        curate.edit(other, [ID], {"content": "Of another process"}, actor="codex")
    after(viewmodel.refused, viewmodel.save)
    assert viewmodel.is_dirty
    assert stored(sample).content == "Of another process"


def test_pinning_and_restoring_a_version_are_operations_of_their_own(after, viewmodel, opened, sample):
    before = viewmodel.memory
    after(viewmodel.shown, lambda: viewmodel.set_pinned(not before.pinned))
    assert stored(sample).pinned is not before.pinned
    viewmodel.edit("content", "Another text")
    after(opened.message, viewmodel.save)
    after(opened.changed, lambda: viewmodel.restore_version(before.version))
    assert stored(sample).content == before.content


def test_a_memory_that_is_gone_and_a_closed_store_show_nothing(after, viewmodel, opened):
    after(viewmodel.cleared, lambda: viewmodel.show(MemoryId(9999)))
    assert viewmodel.memory is None
    after(viewmodel.shown, lambda: viewmodel.show(ID))
    after(viewmodel.cleared, opened.close)
    assert viewmodel.memory is None
