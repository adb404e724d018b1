"""The journal: who did what, filtered by actor, and undone after a question."""

from __future__ import annotations

import pytest

from core.changes import Op
from core.clock import FixedClock
from core.services import curate, remember
from core.services.activity import ActivityPeriod
from core.services.workspace import Workspace
from inspector.gui.viewmodels.journal import JournalViewModel
from tests.inspector.gui.conftest import NOW

WRITTEN = (
    ("codex", "The lamp in hall 7 blinks"),
    ("codex", "The door of hall 8 sticks"),
    ("cursor", "Cursor was here"),
)


@pytest.fixture
def viewmodel(after, sample, store):
    """Two memories of one agent and one of another, remembered before the store is opened."""
    with Workspace.open(sample, clock=FixedClock(NOW)) as workspace:
        for actor, content in WRITTEN:
            remember.remember(workspace, {"content": content}, actor=actor)
    after(store.opened, lambda: store.open(sample))
    made = JournalViewModel(store)
    after(made.listed, made.look)
    return made


def actors(journal):
    return [deed.entry.actor for deed in journal.changes]


def is_undone(viewmodel, count):
    return [deed.is_undone for deed in viewmodel.journal.changes if deed.entry.op is Op.REMEMBER][:count]


def test_entries_are_listed_newest_first_with_every_actor(viewmodel):
    assert actors(viewmodel.journal)[:3] == ["cursor", "codex", "codex"]
    assert viewmodel.journal.actors["codex"] == 2


def test_the_entries_of_one_actor(after, viewmodel):
    assert set(actors(after(viewmodel.listed, lambda: viewmodel.set_actor("codex")))) == {"codex"}


def test_an_entry_shows_the_memories_it_touched_and_the_change_of_each(after, viewmodel):
    entry = viewmodel.journal.changes[0].entry
    touched = after(viewmodel.touched, lambda: viewmodel.show_touched(entry.seq))
    ((id, memory),) = touched.memories
    assert memory.content == "Cursor was here"
    assert after(viewmodel.change_shown, lambda: viewmodel.show_change(id)) is not None
    assert after(viewmodel.touched, lambda: viewmodel.show_touched(None)) is None


def test_an_undo_is_asked_about_before_it_is_done(qtbot, after, viewmodel, store):
    after(viewmodel.asked, lambda: viewmodel.ask_undo(viewmodel.journal.changes[:2]))
    assert is_undone(viewmodel, 3) == [False, False, False]
    after(store.changed, viewmodel.confirm)
    qtbot.waitUntil(lambda: is_undone(viewmodel, 3) == [True, True, False])


def test_a_question_that_is_left_undoes_nothing(qtbot, after, viewmodel, store):
    after(viewmodel.asked, lambda: viewmodel.ask_undo(viewmodel.journal.changes[:1]))
    after(viewmodel.settled, viewmodel.cancel_undo)
    with qtbot.assertNotEmitted(store.writing):
        viewmodel.confirm()


def test_everything_one_client_did_is_undone_together(qtbot, after, viewmodel):
    question = after(viewmodel.asked, lambda: viewmodel.ask_undo_since("codex", ActivityPeriod.ALL))
    assert "codex" in question
    after(viewmodel.settled, viewmodel.confirm)
    qtbot.waitUntil(lambda: is_undone(viewmodel, 3) == [False, True, True])


def test_what_cannot_be_undone_is_refused_with_a_sentence(after, viewmodel, sample):
    after(viewmodel.refused, lambda: viewmodel.ask_undo([]))
    assert "mara" in after(viewmodel.refused, lambda: viewmodel.ask_undo_since("mara", ActivityPeriod.ALL))
    entry = viewmodel.journal.changes[0]
    (id,) = (id for id, _ in after(viewmodel.touched, lambda: viewmodel.show_touched(entry.entry.seq)).memories)
    with Workspace.open(sample, clock=FixedClock(NOW)) as other:
        curate.edit(other, [id], {"content": "It has changed"}, actor="codex")
    after(viewmodel.asked, lambda: viewmodel.ask_undo([entry]))
    assert "Nothing was changed." in after(viewmodel.refused, viewmodel.confirm)


def test_a_store_that_is_read_only_undoes_nothing(after, viewmodel, store, sample):
    deeds = viewmodel.journal.changes[:1]
    after(store.opened, lambda: store.open_read_only(sample))
    assert "read-only" in after(viewmodel.refused, lambda: viewmodel.ask_undo(deeds))
