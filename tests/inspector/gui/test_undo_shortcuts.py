"""Ctrl+Z in a text field undoes what was typed there since the last operation, or else the operation."""

from __future__ import annotations

import threading

import pytest
from browsing import settled
from PySide6.QtCore import Qt

from core.changes import PERSON
from core.model import MemoryId
from core.services import browse, curate
from core.services.workspace import Workspace

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
FIELDS = {
    "search": lambda window: window.browse_view.search,
    "content": lambda window: window.browse_view.detail.content,
    "summary": lambda window: window.browse_view.detail.summary,
    "type": lambda window: window.browse_view.detail.type,
    "tags": lambda window: window.browse_view.detail.tags.field,
    "query": lambda window: window.query_view.query,
    "results wanted": lambda window: window.query_view.k,
}


@pytest.fixture
def pinned(sample):
    """Whether a memory is pinned, as the file has it."""

    def of(id):
        with Workspace.open(sample, read_only=True) as workspace:
            return browse.find(workspace, str(id)).pinned

    return of


def focus(qtbot, window, name):
    field = FIELDS[name](window)
    if window.query_view.isAncestorOf(field):
        window.query_lab()
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    return field


def pin(qtbot, window, pinned):
    """Pin the memory that Browse shows, wherever the focus is; returns its id."""
    id = window.browse_viewmodel.current
    assert not pinned(id)
    window.curation._viewmodel.pin(window.browse_viewmodel.targets)
    qtbot.waitUntil(lambda: "Ctrl+Z undoes it" in window.status.message.text())
    qtbot.waitUntil(lambda: pinned(id))
    return id


@pytest.mark.parametrize("name", FIELDS)
def test_in_a_field_in_which_nothing_was_typed_the_operation_is_undone_and_done_again(qtbot, on_sample, pinned, name):
    field = focus(qtbot, on_sample, name)
    id = pin(qtbot, on_sample, pinned)
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: not pinned(id))
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL | SHIFT)
    qtbot.waitUntil(lambda: pinned(id))


@pytest.mark.parametrize("name", ["search", "content", "query"])
def test_what_was_typed_before_the_operation_stays_and_the_operation_is_undone(qtbot, on_sample, pinned, name):
    field = focus(qtbot, on_sample, name)
    text = field.toPlainText if name == "content" else field.text
    qtbot.keyClicks(field, "m")
    settled(qtbot, on_sample)
    typed = text()
    id = pin(qtbot, on_sample, pinned)
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: not pinned(id))
    assert text() == typed


@pytest.mark.parametrize("name", ["search", "content", "query"])
def test_what_was_typed_since_is_undone_and_the_operation_stays(qtbot, on_sample, pinned, name):
    field = focus(qtbot, on_sample, name)
    text = field.toPlainText if name == "content" else field.text
    id = pin(qtbot, on_sample, pinned)
    before = text()
    qtbot.keyClicks(field, "m")
    on_sample.store.changed.emit(None)  # what another process writes is no operation of this window
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    assert text() == before
    settled(qtbot, on_sample)
    assert pinned(id)


def test_an_unsaved_edit_in_another_field_of_the_form_is_not_mixed_with_an_undo_of_the_store(qtbot, on_sample, pinned):
    id = pin(qtbot, on_sample, pinned)
    qtbot.keyClicks(focus(qtbot, on_sample, "content"), "m")
    summary = focus(qtbot, on_sample, "summary")
    qtbot.keyClick(summary, Qt.Key.Key_Z, CTRL)
    assert on_sample.detail_viewmodel.is_dirty
    on_sample.detail_viewmodel.revert()
    qtbot.keyClick(summary, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: not pinned(id))


@pytest.fixture
def long_pin(qtbot, on_sample, pinned):
    """A long write under way, which pins a memory as soon as it may: its id, what lets it go on, and its task."""
    id, begun, may_go_on = MemoryId(on_sample.browse_viewmodel.current), threading.Event(), threading.Event()
    assert not pinned(id)

    def work(workspace, progress):
        begun.set()
        assert may_go_on.wait(20)
        progress("pinning", 0, 1)
        return None, curate.pin(workspace, [id], actor=PERSON)

    task = on_sample.store.long_write("Changing memories", work, lambda _: None)
    qtbot.waitUntil(begun.is_set)
    yield id, may_go_on, task
    may_go_on.set()


@pytest.mark.parametrize("keys", [CTRL, CTRL | SHIFT])
def test_a_long_write_is_not_undone_by_a_key_that_was_pressed_before_it_was_done(
    qtbot, on_sample, pinned, long_pin, keys
):
    id, may_go_on, _ = long_pin
    reported = []
    on_sample.store.failed.connect(reported.append)
    qtbot.keyClick(on_sample, Qt.Key.Key_Z, keys)
    assert reported == ["Changing memories is under way: wait until it is done, or stop it."]
    with qtbot.waitSignal(on_sample.store.changed):
        may_go_on.set()
    settled(qtbot, on_sample)
    assert pinned(id)
    on_sample.undo()
    qtbot.waitUntil(lambda: not pinned(id))


def test_after_a_long_write_was_stopped_the_operation_before_it_can_be_undone(qtbot, on_sample, pinned, long_pin):
    id, may_go_on, task = long_pin
    task.cancel()
    with qtbot.waitSignal(on_sample.store.work_ended):
        may_go_on.set()
    assert not pinned(id)
    pin(qtbot, on_sample, pinned)
    on_sample.undo()
    qtbot.waitUntil(lambda: not pinned(id))


def test_a_store_closed_during_a_long_write_leaves_undo_to_the_next_one(qtbot, on_sample, sample, pinned, long_pin):
    _, may_go_on, _ = long_pin
    on_sample.store.close()
    may_go_on.set()
    with qtbot.waitSignal(on_sample.store.opened):
        on_sample.store.open(sample)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory is not None)
    id = pin(qtbot, on_sample, pinned)
    on_sample.undo()
    qtbot.waitUntil(lambda: not pinned(id))
