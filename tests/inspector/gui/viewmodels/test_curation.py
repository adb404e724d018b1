"""What is done to memories from any view: one operation each, named in a sentence, confirmed where there are many."""

from __future__ import annotations

import pytest

from core.model import Filter, MemoryId, Status
from core.search_types import Selection
from core.services import browse
from core.services.workspace import Workspace
from inspector.gui.viewmodels.curation import MAX_MERGED, CurationViewModel, Targets, done

PAIR = Targets((MemoryId(1), MemoryId(2)))
EVERYTHING = Targets(everything=Selection(filter=Filter(statuses=(Status.ACTIVE,))))


@pytest.fixture
def viewmodel(opened):
    return CurationViewModel(opened)


def memories(path, ids=PAIR.ids):
    with Workspace.open(path, read_only=True) as workspace:
        return [browse.find(workspace, str(id)) for id in ids]


@pytest.mark.parametrize(
    ("name", "status"), [("archive", Status.ARCHIVED), ("forget", Status.DELETED)], ids=["archive", "forget"]
)
def test_a_status_is_set_restored_and_undone(after, viewmodel, opened, sample, name, status):
    before = [memory.status for memory in memories(sample)]
    after(opened.message, lambda: getattr(viewmodel, name)(PAIR))
    assert [memory.status for memory in memories(sample)] == [status, status]
    after(opened.message, lambda: viewmodel.restore(PAIR))
    assert [memory.status for memory in memories(sample)] == [Status.ACTIVE] * 2
    after(opened.changed, opened.undo)
    after(opened.changed, opened.undo)
    assert [memory.status for memory in memories(sample)] == before


def test_pinning_is_a_toggle_that_pins_all_unless_all_are_pinned(after, viewmodel, opened, sample):
    after(opened.message, lambda: viewmodel.pin(Targets(PAIR.ids[:1])))
    for are_pinned in (True, False):
        after(opened.message, lambda: viewmodel.pin(PAIR))
        assert [memory.pinned for memory in memories(sample)] == [are_pinned] * 2


def test_a_tag_is_added_to_all(after, viewmodel, opened, sample):
    after(opened.message, lambda: viewmodel.add_tag(PAIR, "seen"))
    assert all("seen" in memory.tags for memory in memories(sample))


def test_without_targets_nothing_is_written(qtbot, viewmodel, opened):
    with qtbot.assertNotEmitted(opened.writing):
        for work in (viewmodel.pin, viewmodel.archive, viewmodel.forget, viewmodel.preview_merge):
            work(Targets())


def test_many_are_changed_only_after_a_confirmation_and_undone_at_once(qtbot, after, viewmodel, opened, sample):
    with qtbot.waitSignal(viewmodel.confirmation_wanted) as asked:
        viewmodel.archive(EVERYTHING)
    _, sample_text, go_on = asked.args
    assert len(sample_text.splitlines()) == 5
    assert memories(sample)[0].status is Status.ACTIVE
    changes = after(opened.changed, go_on)
    assert len(changes.memories) > 50
    assert memories(sample)[0].status is Status.ARCHIVED
    assert after(opened.changed, opened.undo).memories == changes.memories


def test_a_merge_is_looked_at_before_it_is_done(after, viewmodel, sample):
    preview = after(viewmodel.merge_previewed, lambda: viewmodel.preview_merge(PAIR))
    assert tuple(memory.id for memory in preview.memories) == PAIR.ids
    assert after(viewmodel.merged, lambda: viewmodel.merge(preview, "Both in one")) == 1
    kept, other = memories(sample)
    assert (kept.content, other.status) == ("Both in one", Status.SUPERSEDED)


def test_a_merge_of_too_many_is_refused(after, viewmodel, opened):
    assert str(MAX_MERGED) in after(opened.failed, lambda: viewmodel.preview_merge(EVERYTHING))


def test_the_sentence_names_one_memory_by_its_gist_and_many_by_their_number(sample):
    memory = memories(sample)[0]
    assert done(1, memory, "Pinned {}").startswith("Pinned #1: “")
    assert done(3, None, "Pinned {}") == "Pinned 3 memories."
    assert done(3, None, "Tagged {} with {}") == "Tagged 3 memories with {}."
