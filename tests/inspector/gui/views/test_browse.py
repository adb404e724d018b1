"""A journey through Browse: search, filter, sort, read, edit, undo, choose many; by key and by click."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QInputDialog

from core.clock import FixedClock
from core.model import Status
from core.search import Column, Order
from core.services import browse, curate
from core.services.workspace import Workspace
from inspector.gui.main_window import MainWindow
from inspector.gui.models.memory_table import COLUMNS
from inspector.gui.viewmodels.browse import FIRST
from inspector.gui.viewmodels.session import Session

NOW = datetime(2026, 11, 15, 18, tzinfo=UTC)
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(on_sample):
    return on_sample.browse_view


@pytest.fixture
def model(on_sample):
    return on_sample.browse_viewmodel.table


def contents(view, count):
    table = view.table.model()
    return [table.row(number).memory for number in range(count) if table.row(number)]


def settled(qtbot, window):
    """Wait until the list that was asked for is there, with its first row."""
    viewmodel = window.browse_viewmodel
    qtbot.waitUntil(
        lambda: (
            not viewmodel._throttle.isActive()
            and viewmodel._listing is not None
            and viewmodel._listing.selection == viewmodel.selection
            and viewmodel._listing.order == viewmodel.order
            and (viewmodel.table.total == 0 or viewmodel.table.row(0) is not None)
            and not viewmodel.table._stale
        )
    )


def choose(view, *rows):
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    view.table.clearSelection()
    for row in rows:
        view.table.selectionModel().select(view.table.model().index(row, 0), flags)


def stored(sample, id):
    with Workspace.open(sample, read_only=True) as workspace:
        return browse.find(workspace, str(id))


def test_typing_narrows_the_list_and_clearing_brings_it_back(qtbot, on_sample, view, model):
    everything = model.total
    on_sample.search()
    qtbot.keyClicks(view.search, "postgres migr")
    settled(qtbot, on_sample)
    assert 0 < model.total < everything
    assert all("migr" in f"{each}".lower() for each in contents(view, model.total))
    view.search.clear()
    qtbot.keyClick(view.search, Qt.Key.Key_Backspace)
    view.search.textEdited.emit("")
    settled(qtbot, on_sample)
    assert model.total == everything


def test_a_search_without_a_find_says_so(qtbot, on_sample, view, model):
    qtbot.keyClicks(view.search, "nothingofthatkind")
    qtbot.waitUntil(lambda: view._stack.currentWidget() is view.nothing)
    assert model.total == 0
    qtbot.waitUntil(lambda: view.detail.currentIndex() == 0)


def test_filters_say_what_they_let_through(qtbot, on_sample, view, model):
    qtbot.waitUntil(lambda: view.filters.type.list.count() > 3)
    assert view.filters.status.text() == "Status: active"
    qtbot.mouseClick(view.filters.type, LEFT)
    item = next(
        view.filters.type.list.item(number)
        for number in range(view.filters.type.list.count())
        if view.filters.type.list.item(number).data(Qt.ItemDataRole.UserRole) == "gotcha"
    )
    item.setCheckState(Qt.CheckState.Checked)
    settled(qtbot, on_sample)
    assert {memory.type for memory in contents(view, model.total)} == {"gotcha"}
    assert view.filters.type.text() == "Type: gotcha"
    qtbot.mouseClick(view.filters.never, LEFT)
    settled(qtbot, on_sample)
    assert all(memory.access_count == 0 for memory in contents(view, model.total))
    view.filters.confidence.list.item(0).setCheckState(Qt.CheckState.Checked)
    settled(qtbot, on_sample)
    assert all(memory.confidence >= 0.9 for memory in contents(view, model.total))
    view.filters.type._popup.hide()
    qtbot.mouseClick(view.filters.clear, LEFT)
    settled(qtbot, on_sample)
    assert view.filters.type.text() == "Type"
    assert {memory.status for memory in contents(view, model.total)} > {Status.ACTIVE}


def test_ages_and_pins_filter_too(qtbot, on_sample, view, model):
    view.filters.age.list.item(4).setCheckState(Qt.CheckState.Checked)
    settled(qtbot, on_sample)
    assert view.filters.age.text() == "Age: Older than 90 days"
    assert model.total > 0
    qtbot.mouseClick(view.filters.pinned, LEFT)
    settled(qtbot, on_sample)
    assert all(memory.pinned for memory in contents(view, model.total))


def test_a_click_on_a_title_sorts_and_another_turns_it_round(qtbot, on_sample, view, model):
    section = next(number for number, each in enumerate(COLUMNS) if each.column is Column.CONFIDENCE)
    header = view.table.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(section) + 10, header.height() // 2)
    qtbot.mouseClick(header.viewport(), LEFT, pos=at)
    settled(qtbot, on_sample)
    highest = [memory.confidence for memory in contents(view, 20)]
    assert highest == sorted(highest, reverse=True)
    qtbot.mouseClick(header.viewport(), LEFT, pos=at)
    settled(qtbot, on_sample)
    lowest = [memory.confidence for memory in contents(view, 20)]
    assert lowest == sorted(lowest)


def test_the_arrow_keys_walk_through_the_memories(qtbot, on_sample, view, model):
    first = on_sample.detail_viewmodel.memory.id
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id != first)
    assert view.detail.content.toPlainText() == model.row(1).memory.content
    qtbot.keyClick(view.table, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.current == model.row(model.total - 1).memory.id)


def test_a_memory_is_edited_saved_and_undone(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    before = stored(sample, id)
    detail = view.detail
    assert not detail.save.isVisible()
    detail.content.setFocus()
    qtbot.keyClick(detail.content, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(detail.content, " Really.")
    qtbot.keyClicks(detail.tags.field, "checked")
    qtbot.keyClick(detail.tags.field, Qt.Key.Key_Return)
    detail.confidence.setValue(42)
    detail.importance.setCurrentText("high")
    assert detail.save.isVisible()
    qtbot.keyClick(on_sample, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not on_sample.detail_viewmodel.is_dirty)
    after = stored(sample, id)
    assert after.content == before.content + " Really."
    assert after.tags == (*before.tags, "checked")
    assert (after.confidence, after.importance) == (0.42, "high")
    on_sample.undo()
    qtbot.waitUntil(lambda: detail.content.toPlainText() == before.content)
    assert stored(sample, id).content == before.content


def test_chips_are_taken_away_by_a_click_or_by_backspace(qtbot, on_sample, view):
    tags = view.detail.tags
    count = len(tags.items)
    assert count >= 2
    qtbot.keyClick(tags.field, Qt.Key.Key_Backspace)
    assert len(tags.items) == count - 1
    tags.remove(tags.items[0])
    assert len(tags.items) == count - 2
    qtbot.mouseClick(view.detail.revert, LEFT)
    assert len(tags.items) == count
    assert not on_sample.detail_viewmodel.is_dirty


def test_an_edit_somebody_else_was_quicker_with_is_refused_and_kept_in_the_form(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    qtbot.keyClicks(view.detail.summary, "mine")
    with Workspace.open(sample) as other:
        curate.edit(other, [id], {"summary": "theirs"}, actor="agent")
    with qtbot.waitSignal(on_sample.detail_viewmodel.refused):
        qtbot.mouseClick(view.detail.save, LEFT)
    assert stored(sample, id).summary == "theirs"
    assert view.detail.summary.text() == "mine"
    qtbot.mouseClick(view.detail.revert, LEFT)


def test_a_click_elsewhere_loses_no_edit(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    qtbot.keyClicks(view.detail.summary, "typed and left")
    view.table.setCurrentIndex(view.table.model().index(3, 0))
    qtbot.waitUntil(lambda: stored(sample, id).summary == "typed and left")


def test_versions_show_what_changed_word_by_word_and_lead_back(qtbot, on_sample, view, sample):
    id = on_sample.detail_viewmodel.memory.id
    before = stored(sample, id).content
    view.detail.content.setPlainText("Completely different now")
    on_sample.save()
    qtbot.waitUntil(lambda: view.detail.versions.rowCount() == 2)
    view.detail.tabs.setCurrentIndex(2)
    kinds = {kind for kind, _ in view.detail.versions.row(0).diff}
    assert {"gone", "new"} <= kinds
    assert "Completely" in view.detail._diff.toPlainText()
    view.detail._versions_view.selectRow(1)
    qtbot.mouseClick(view.detail._back, LEFT)
    qtbot.waitUntil(lambda: stored(sample, id).content == before)


def test_a_link_leads_to_the_memory_at_its_other_end(qtbot, on_sample, view):
    qtbot.waitUntil(lambda: view.detail.links.rowCount() > 0)
    other = view.detail.links.row(0).other
    view.detail.tabs.setCurrentIndex(1)
    view.detail._links_view.activated.emit(view.detail.links.index(0, 0))
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == other.id)


def test_the_context_is_edited_in_its_tree(qtbot, on_sample, view, sample):
    qtbot.keyClicks(view.search, "dummy parcel slipped")
    settled(qtbot, on_sample)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory == view.table.model().row(0).memory)
    memory = on_sample.detail_viewmodel.memory
    assert memory.context
    tree = view.detail.context.model
    parent = tree.index(0, 0)
    leaf = tree.index(0, 1, parent) if tree.rowCount(parent) else tree.index(0, 1)
    while tree.rowCount(leaf.siblingAtColumn(0)):
        leaf = tree.index(0, 1, leaf.siblingAtColumn(0))
    tree.setData(leaf, "77")
    on_sample.save()
    qtbot.waitUntil(lambda: stored(sample, memory.id).context != memory.context)


def test_several_memories_are_archived_at_once_and_one_undo_brings_them_back(qtbot, on_sample, view, model):
    before = model.total
    choose(view, 0, 1, 2)
    assert view._chosen_bar.isVisible()
    assert view._chosen_text.text() == "3 chosen"
    view.table.setCurrentIndex(model.index(2, 0))
    choose(view, 0, 1, 2)
    on_sample.archive()
    qtbot.waitUntil(lambda: model.total == before - 3)
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.current == model.memory_id(2))
    on_sample.undo()
    qtbot.waitUntil(lambda: model.total == before)


def test_everything_of_a_list_is_chosen_by_its_filter(qtbot, on_sample, view, model, sample):
    qtbot.keyClicks(view.search, "postgres")
    settled(qtbot, on_sample)
    count = model.total
    view.table.setFocus()
    qtbot.keyClick(on_sample, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view._chosen_text.text() == f"All {count} chosen"
    view._ask_tag()
    dialog = on_sample.findChild(QInputDialog)
    dialog.setTextValue("looked-at")
    dialog.accept()
    qtbot.waitUntil(lambda: "looked-at" in on_sample.status.message.text())
    with Workspace.open(sample, read_only=True) as workspace:
        assert browse.facets(workspace).tags["looked-at"] == count


def test_pinning_the_chosen_memory_shows_at_once(qtbot, on_sample, view, model):
    choose(view, 0)
    on_sample.pin()
    qtbot.waitUntil(lambda: model.row(0).memory.pinned and not model._stale)
    qtbot.waitUntil(lambda: view.detail.pin.text() == "Pinned")
    on_sample.pin()
    qtbot.waitUntil(lambda: view.detail.pin.text() == "Pin")


def test_a_right_click_offers_what_can_be_done_to_the_chosen(qtbot, on_sample, view, model):
    choose(view, 0)
    view.table.customContextMenuRequested.emit(QPoint(20, 20))
    offered = [action.objectName() for action in on_sample.row_menu.actions()]
    assert offered == ["pin", "reinforce", "archive", "forget", "restore", "merge"]
    on_sample.row_menu.actions()[0].trigger()
    on_sample.row_menu.close()
    qtbot.waitUntil(lambda: model.row(0).memory.pinned)


def test_a_filter_is_saved_under_a_name_and_taken_up_again(qtbot, on_sample, view, settings):
    viewmodel = on_sample.browse_viewmodel
    qtbot.keyClicks(view.search, "postgres")
    viewmodel.filter_by(types=("gotcha",))
    settled(qtbot, on_sample)
    view._ask_name()
    dialog = on_sample.findChild(QInputDialog)
    dialog.setTextValue("Database gotchas")
    dialog.accept()
    saved = viewmodel.selection
    viewmodel.select(FIRST)
    assert viewmodel.saved() == {"Database gotchas": saved}
    viewmodel.select(viewmodel.saved()["Database gotchas"])
    assert view.search.text() == "postgres"
    viewmodel.forget_filter("Database gotchas")
    assert viewmodel.saved() == {}


def test_columns_are_chosen_and_remembered(qtbot, on_sample, view, settings):
    number = next(place for place, each in enumerate(COLUMNS) if each.column is Column.SESSION)
    assert view.table.isColumnHidden(number)
    view.show_column(number, True)
    assert not view.table.isColumnHidden(number)
    assert "session" not in settings.data("browse/hidden")


def test_memory_text_is_shown_as_plain_text_whatever_it_says(qtbot, on_sample, view):
    qtbot.keyClicks(view.search, "xss courier")
    settled(qtbot, on_sample)
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory == view.table.model().row(0).memory)
    assert view.detail.content.toPlainText() == on_sample.detail_viewmodel.memory.content
    assert "<" in view.detail.content.toPlainText()


@pytest.fixture
def long_list(monkeypatch, qtbot, sample, settings):
    """A window whose pages are so small that the sample is a long list."""
    monkeypatch.setattr(browse, "ROWS_A_PAGE", 8)
    made = MainWindow(Session(clock=FixedClock(NOW), with_model=False), settings)
    made.resize(1440, 900)
    made.show()
    with qtbot.waitSignal(made.browse_viewmodel.grown):
        made.session.open(sample)
    yield made
    made.close()
    made.deleteLater()


def test_the_first_page_of_a_long_list_is_there_before_its_length_is_known(qtbot, long_list):
    viewmodel, view = long_list.browse_viewmodel, long_list.browse_view
    whole = viewmodel.table.total
    seen = []
    viewmodel.listed.connect(
        lambda total, _: seen.append((total, viewmodel.table.row(0) is not None, view.filters.count.text()))
    )
    with qtbot.waitSignal(viewmodel.grown):
        viewmodel.sort(Column.CONTENT, descending=False)
    assert seen == [(8, True, "counting…")]
    assert viewmodel.table.total == whole
    assert view.filters.count.text() == f"{whole:,} memories"
    assert viewmodel._listing.ids == browse_ids(long_list, Column.CONTENT)


def browse_ids(window, column):
    return browse.listing(window.session._workspace, FIRST, Order(column, descending=False)).ids


def test_a_list_that_grows_stays_where_it_was_scrolled_to_and_keeps_who_was_chosen(qtbot, long_list):
    viewmodel, view = long_list.browse_viewmodel, long_list.browse_view
    view.table.setFixedHeight(160)
    picked = []

    def go_on(total, position):
        choose(view, 5)
        view.table.scrollToBottom()
        picked.append((viewmodel.chosen, view.table.verticalScrollBar().value()))

    viewmodel.listed.connect(go_on)
    with qtbot.waitSignal(viewmodel.grown):
        viewmodel.sort(Column.CONFIDENCE, descending=True)
    [(chosen, scrolled)] = picked
    assert len(chosen) == 1
    assert (viewmodel.chosen, view.table.verticalScrollBar().value()) == (chosen, scrolled)


def test_a_page_further_down_a_long_list_is_fetched_by_its_place(qtbot, long_list):
    viewmodel = long_list.browse_viewmodel
    last = viewmodel.table.total - 1
    qtbot.waitUntil(lambda: viewmodel.table.row(last) is not None)
    assert viewmodel.table.row(last).memory.id == viewmodel._listing.ids[last]


def test_choosing_everything_while_a_list_grows_means_all_of_it(qtbot, long_list):
    viewmodel = long_list.browse_viewmodel
    viewmodel.listed.connect(lambda *_: viewmodel.choose_everything())
    with qtbot.waitSignal(viewmodel.grown):
        viewmodel.sort(Column.TYPE, descending=False)
    assert viewmodel.chosen_count == viewmodel.table.total > 8


def test_ctrl_z_in_the_editor_undoes_typing_until_it_is_saved_and_then_what_was_saved(qtbot, on_sample, view, sample):
    on_sample.activateWindow()
    qtbot.waitUntil(lambda: on_sample.isActiveWindow())
    content = view.detail.content
    before, id = content.toPlainText(), on_sample.browse_viewmodel.current
    content.setFocus()
    qtbot.keyClicks(content, "X")
    qtbot.keyClick(content, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert content.toPlainText() == before
    assert not on_sample.detail_viewmodel.is_dirty
    qtbot.keyClicks(content, "X")
    with qtbot.waitSignal(on_sample.detail_viewmodel.shown):
        on_sample.save()
    assert stored(sample, id).content == f"X{before}"
    with qtbot.waitSignal(on_sample.detail_viewmodel.shown):
        qtbot.keyClick(content, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert stored(sample, id).content == before
    qtbot.waitUntil(lambda: content.toPlainText() == before)


def test_a_key_is_added_to_the_context_named_and_taken_away_again(qtbot, on_sample, view, sample):
    id = on_sample.browse_viewmodel.current
    before = stored(sample, id).context
    page = view.detail.context
    view.detail.tabs.setCurrentWidget(page)
    page.tree.setCurrentIndex(QModelIndex())
    qtbot.mouseClick(page.add, LEFT)
    page.model.setData(page.tree.currentIndex(), "checked by")
    page.model.setData(page.tree.currentIndex().siblingAtColumn(1), "Mara")
    with qtbot.waitSignal(on_sample.detail_viewmodel.shown):
        on_sample.save()
    assert stored(sample, id).context == {**before, "checked by": "Mara"}
    row = page.model.rowCount() - 1
    page.tree.setCurrentIndex(page.model.index(row, 0))
    qtbot.mouseClick(page.remove, LEFT)
    on_sample.save()
    qtbot.waitUntil(lambda: stored(sample, id).context == before)
