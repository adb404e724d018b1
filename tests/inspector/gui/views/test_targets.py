"""What is shown is what is acted on: by menu, key, palette and context menu, and the message names it."""

from __future__ import annotations

import pytest
from browsing import settled
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtWidgets import QMessageBox

from core.model import Status
from core.services import browse
from core.services.workspace import Workspace
from inspector.gui.widgets.tables import go_to_row

CTRL = Qt.KeyboardModifier.ControlModifier


def stored(path, id):
    with Workspace.open(path, read_only=True) as workspace:
        return browse.find(workspace, str(id))


def follow_link(qtbot, window):
    """From the memory that is shown to one that it is linked to; returns both."""
    view = window.browse_view
    qtbot.waitUntil(lambda: view.detail.links.rowCount() > 0)
    shown, other = window.detail_viewmodel.memory.id, view.detail.links.row(0).other.id
    view.detail._links_view.activated.emit(view.detail.links.index(0, 0))
    qtbot.waitUntil(lambda: window.detail_viewmodel.memory is not None and window.detail_viewmodel.memory.id == other)
    settled(qtbot, window)
    return shown, other


def test_forgetting_after_a_link_was_followed_forgets_what_is_shown_and_names_it(qtbot, on_sample, sample):
    before, other = follow_link(qtbot, on_sample)
    qtbot.keyClick(on_sample, Qt.Key.Key_Delete, CTRL)
    qtbot.waitUntil(lambda: "Ctrl+Z" in on_sample.status.message.text())
    assert stored(sample, other).status is Status.DELETED
    assert stored(sample, before).status is Status.ACTIVE
    assert f"Forgot #{other}: " in on_sample.status.message.text()


@pytest.mark.parametrize("name", ["pin", "reinforce", "archive", "forget"])
def test_every_action_after_a_link_was_followed_leaves_the_memory_before_it_alone(qtbot, on_sample, sample, name):
    before, other = follow_link(qtbot, on_sample)
    untouched, version = stored(sample, before), stored(sample, other).version
    on_sample.actions_by_name[name].trigger()
    qtbot.waitUntil(lambda: stored(sample, other).version > version or stored(sample, before) != untouched)
    assert stored(sample, before) == untouched


def test_a_followed_link_is_what_the_table_marks_or_nothing_is_marked(qtbot, on_sample):
    _, other = follow_link(qtbot, on_sample)
    view = on_sample.browse_view
    marked = [view.table.model().memory_id(index.row()) for index in view.table.selectionModel().selectedRows()]
    assert marked in ([other], [])


def test_a_result_opened_into_a_filtered_list_is_what_is_pinned(qtbot, on_sample, sample):
    on_sample.browse_viewmodel.filter_by(types=("gotcha",))
    settled(qtbot, on_sample)
    on_sample.query_lab()
    with qtbot.waitSignal(on_sample.query_viewmodel.answered):
        on_sample.query_view.ask("what does mara prefer?")
    result = next(each for each in on_sample.query_view.results.rows if each.memory.type != "gotcha")
    on_sample.query_view.memory_wanted.emit(result.memory.id)
    qtbot.waitUntil(lambda: (shown := on_sample.detail_viewmodel.memory) is not None and shown.id == result.memory.id)
    settled(qtbot, on_sample)
    assert not on_sample.browse_view.table.selectionModel().selectedRows()
    version = stored(sample, result.memory.id).version
    on_sample.do("pin")
    qtbot.waitUntil(lambda: stored(sample, result.memory.id).version > version)
    qtbot.waitUntil(lambda: f"#{result.memory.id}: " in on_sample.status.message.text())


def test_a_result_is_opened_while_the_filter_of_browse_lists_nothing_until_another_search_finds_nothing(
    qtbot, on_sample
):
    search = on_sample.browse_view.search
    qtbot.keyClicks(search, "zzzqqq")
    settled(qtbot, on_sample)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory is None)
    on_sample.query_lab()
    with qtbot.waitSignal(on_sample.query_viewmodel.answered):
        on_sample.query_view.ask("why do migrations hang?")
    result = on_sample.query_view.results.row(0).memory
    with qtbot.waitSignal(on_sample.browse_viewmodel.listed):
        on_sample.query_view.table.activated.emit(on_sample.query_view.results.index(0, 0))
    qtbot.waitUntil(lambda: (shown := on_sample.detail_viewmodel.memory) is not None and shown.id == result.id)
    assert on_sample.browse_view.detail.content.isVisible()
    assert on_sample.browse_viewmodel.targets.ids == (result.id,)
    qtbot.keyClicks(search, "x")
    settled(qtbot, on_sample)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory is None)


def test_in_the_query_lab_the_selected_result_is_acted_on_and_not_what_browse_left(qtbot, on_sample, sample):
    left = on_sample.browse_viewmodel.current
    on_sample.query_lab()
    assert not on_sample.actions_by_name["forget"].isEnabled()
    with qtbot.waitSignal(on_sample.query_viewmodel.answered):
        on_sample.query_view.ask("why do migrations hang?")
    go_to_row(on_sample.query_view.table, 1)
    assert len(on_sample.query_view.targets().ids) == 1
    chosen = on_sample.query_view.results.row(1).memory
    assert chosen.id != left
    on_sample.actions_by_name["archive"].trigger()
    qtbot.waitUntil(lambda: f"#{chosen.id}: " in on_sample.status.message.text())
    assert stored(sample, chosen.id).status is Status.ARCHIVED
    assert stored(sample, left).status is Status.ACTIVE


def test_in_the_graph_the_selected_dot_is_acted_on(qtbot, on_sample, sample):
    on_sample.graph()
    qtbot.waitUntil(lambda: len(on_sample.graph_view.canvas.dots) > 1)
    canvas = on_sample.graph_view.canvas
    chosen = next(id for id in canvas.dots if id != canvas.current)
    canvas.select_memory(chosen)
    on_sample.actions_by_name["archive"].trigger()
    qtbot.waitUntil(lambda: stored(sample, chosen).status is Status.ARCHIVED)


@pytest.mark.parametrize("view", ["contradictions", "decay", "activity", "health", "evaluation"])
def test_where_no_memory_is_selected_nothing_can_be_done_to_one(qtbot, on_sample, view):
    on_sample.do(view)
    assert not on_sample.actions_by_name["forget"].isEnabled()
    on_sample.do("browse")
    assert on_sample.actions_by_name["forget"].isEnabled()


def test_a_right_click_on_the_row_that_was_left_by_a_link_acts_on_that_row(qtbot, on_sample, sample):
    before, _ = follow_link(qtbot, on_sample)
    table = on_sample.browse_view.table
    row = next(row for row in range(table.model().rowCount()) if table.model().memory_id(row) == before)
    table.scrollTo(table.model().index(row, 0))
    at = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at))
    qtbot.waitUntil(lambda: (shown := on_sample.detail_viewmodel.memory) is not None and shown.id == before)
    on_sample.row_menu.actions()[2].trigger()
    qtbot.waitUntil(lambda: stored(sample, before).status is Status.ARCHIVED)


def test_of_several_selected_memories_one_that_is_deselected_is_not_shown(qtbot, on_sample):
    table = on_sample.browse_view.table
    flags = QItemSelectionModel.SelectionFlag
    table.selectRow(0)
    table.selectionModel().setCurrentIndex(table.model().index(1, 0), flags.Select | flags.Rows)
    table.selectionModel().select(table.model().index(1, 0), flags.Deselect | flags.Rows)
    only = table.model().memory_id(0)
    assert on_sample.browse_viewmodel.targets.ids == (only,) == (on_sample.browse_viewmodel.current,)


def test_what_is_typed_before_another_memory_has_come_is_never_saved_into_it(qtbot, on_sample, sample):
    viewmodel = on_sample.detail_viewmodel
    other = on_sample.browse_viewmodel.table.memory_id(1)
    text = stored(sample, other).content
    viewmodel.show(other)
    viewmodel.edit("content", "typed into the memory before")
    qtbot.waitUntil(lambda: viewmodel.memory is not None and viewmodel.memory.id == other)
    assert not viewmodel.is_dirty
    viewmodel.save()
    on_sample.close()
    assert stored(sample, other).content == text


def test_many_are_changed_only_after_a_confirmation_with_their_number(qtbot, on_sample, sample):
    total = on_sample.browse_viewmodel.table.total
    assert total > 50
    on_sample.do("select_all")
    on_sample.do("forget")
    qtbot.waitUntil(lambda: on_sample.findChild(QMessageBox) is not None)
    box = on_sample.findChild(QMessageBox)
    assert f"{total:,} memories" in box.text()
    box.reject()
    assert stored(sample, on_sample.browse_viewmodel.current).status is Status.ACTIVE
    on_sample.do("forget")
    qtbot.waitUntil(lambda: any(each.isVisible() for each in on_sample.findChildren(QMessageBox)))
    next(each for each in on_sample.findChildren(QMessageBox) if each.isVisible()).accept()
    qtbot.waitUntil(lambda: f"Forgot {total:,} memories" in on_sample.status.message.text())
    on_sample.undo()
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.table.total == total)


def test_a_change_of_many_shows_how_far_it_is(qtbot, on_sample):
    total, reported = on_sample.browse_viewmodel.table.total, []
    on_sample.store.work_progressed.connect(lambda _, what, done, of: reported.append((what, of)))
    on_sample.do("select_all")
    on_sample.do("forget")
    qtbot.waitUntil(lambda: on_sample.findChild(QMessageBox) is not None)
    on_sample.findChild(QMessageBox).accept()
    qtbot.waitUntil(lambda: "Forgot " in on_sample.status.message.text())
    assert ("forget", total) in reported
