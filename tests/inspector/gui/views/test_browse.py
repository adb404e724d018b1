"""A journey through Browse: search, filter, sort, choose many, a list of any length; by key and by click."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from browsing import settled
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtWidgets import QInputDialog

from core.clock import FixedClock
from core.model import Status
from core.search_types import Order, Selection, SortColumn
from core.services import browse
from core.services.workspace import Workspace
from inspector.gui.main_window import MainWindow
from inspector.gui.models.memory_table import COLUMNS
from inspector.gui.settings import MAX_RECENT
from inspector.gui.viewmodels.open_store import OpenStore
from inspector.gui.viewmodels.saved_filters import DEFAULT_SELECTION, SavedFilters

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


def choose(view, *rows):
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    view.table.clearSelection()
    for row in rows:
        view.table.selectionModel().select(view.table.model().index(row, 0), flags)


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
    assert view.filters.by_field["statuses"].text() == "Status: active"
    qtbot.mouseClick(view.filters.by_field["types"], LEFT)
    qtbot.waitUntil(lambda: view.filters.by_field["types"].list.count() > 3)
    item = next(
        view.filters.by_field["types"].list.item(number)
        for number in range(view.filters.by_field["types"].list.count())
        if view.filters.by_field["types"].list.item(number).data(Qt.ItemDataRole.UserRole) == "gotcha"
    )
    item.setCheckState(Qt.CheckState.Checked)
    settled(qtbot, on_sample)
    assert {memory.type for memory in contents(view, model.total)} == {"gotcha"}
    assert view.filters.by_field["types"].text() == "Type: gotcha"
    qtbot.mouseClick(view.filters.never, LEFT)
    settled(qtbot, on_sample)
    assert all(memory.access_count == 0 for memory in contents(view, model.total))
    view.filters.confidence.list.item(0).setCheckState(Qt.CheckState.Checked)
    settled(qtbot, on_sample)
    assert all(memory.confidence >= 0.9 for memory in contents(view, model.total))
    view.filters.by_field["types"]._popup.hide()
    qtbot.mouseClick(view.filters.clear, LEFT)
    settled(qtbot, on_sample)
    assert view.filters.by_field["types"].text() == "Type"
    assert {memory.status for memory in contents(view, model.total)} > {Status.ACTIVE}


def test_facet_values_are_counted_on_demand(qtbot, on_sample, view):
    counted = []
    on_sample.browse_viewmodel.facets_changed.connect(counted.append)
    tags = view.filters.by_field["tags"]
    with qtbot.waitSignal(on_sample.store.changed):
        on_sample.browse_viewmodel.select_memories([on_sample.browse_viewmodel.current])
        on_sample.curation.add_tag("a-new-one")
    assert counted == []
    with qtbot.waitSignal(on_sample.browse_viewmodel.facets_changed):
        tags.open_list()
        assert [tags.list.item(0).text(), tags.list.count()] == ["Counting…", 1]
    assert tags._search.isVisible()
    assert any("a-new-one   1" in tags.list.item(place).text() for place in range(tags.list.count()))
    tags._popup.hide()
    tags.open_list()
    assert len(counted) == 1
    tags._popup.hide()


def test_ages_and_pins_filter_too(qtbot, on_sample, view, model):
    view.filters.age.list.item(4).setCheckState(Qt.CheckState.Checked)
    settled(qtbot, on_sample)
    assert view.filters.age.text() == "Age: Older than 90 days"
    assert model.total > 0
    qtbot.mouseClick(view.filters.pinned, LEFT)
    settled(qtbot, on_sample)
    assert all(memory.pinned for memory in contents(view, model.total))


def test_a_click_on_a_title_sorts_and_another_turns_it_round(qtbot, on_sample, view, model):
    section = next(number for number, each in enumerate(COLUMNS) if each.column is SortColumn.CONFIDENCE)
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


def test_several_memories_are_archived_at_once_and_one_undo_brings_them_back(qtbot, on_sample, view, model):
    before = model.total
    choose(view, 0, 1, 2)
    assert view._selection_bar.isVisible()
    assert view._selection_text.text() == "3 selected"
    view.table.setCurrentIndex(model.index(2, 0))
    choose(view, 0, 1, 2)
    on_sample.do("archive")
    qtbot.waitUntil(lambda: model.total == before - 3)
    qtbot.waitUntil(lambda: on_sample.browse_viewmodel.current == model.memory_id(2))
    on_sample.undo()
    qtbot.waitUntil(lambda: model.total == before)


def test_everything_of_a_list_is_selected_by_its_filter(qtbot, on_sample, view, model, sample):
    qtbot.keyClicks(view.search, "postgres")
    settled(qtbot, on_sample)
    count = model.total
    view.table.setFocus()
    qtbot.keyClick(on_sample, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view._selection_text.text() == f"All {count} selected"
    view._ask_tag()
    dialog = on_sample.findChild(QInputDialog)
    dialog.setTextValue("looked-at")
    dialog.accept()
    qtbot.waitUntil(lambda: "looked-at" in on_sample.status.message.text())
    with Workspace.open(sample, read_only=True) as workspace:
        assert browse.facets(workspace).tags["looked-at"] == count


def test_pinning_the_selected_memory_shows_at_once(qtbot, on_sample, view, model):
    choose(view, 0)
    on_sample.do("pin")
    qtbot.waitUntil(lambda: model.row(0).memory.pinned and not model._stale)
    qtbot.waitUntil(lambda: view.detail.pin.text() == "Pinned")
    on_sample.do("pin")
    qtbot.waitUntil(lambda: view.detail.pin.text() == "Pin")


def test_a_right_click_offers_what_can_be_done_to_the_selected(qtbot, on_sample, view, model):
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
    viewmodel.select(DEFAULT_SELECTION)
    assert viewmodel.saved() == {"Database gotchas": saved}
    viewmodel.select(viewmodel.saved()["Database gotchas"])
    assert view.search.text() == "postgres"
    viewmodel.forget_filter("Database gotchas")
    assert viewmodel.saved() == {}


def test_columns_are_selected_and_remembered(qtbot, on_sample, view, settings):
    number = next(place for place, each in enumerate(COLUMNS) if each.column is SortColumn.SESSION)
    assert view.table.isColumnHidden(number)
    view.show_column(number, True)
    assert not view.table.isColumnHidden(number)
    assert "session" not in settings.data("browse/hidden")


@pytest.fixture
def long_list(monkeypatch, qtbot, sample, settings):
    """A window whose pages are so small that the sample is a long list."""
    monkeypatch.setattr(browse, "ROWS_A_PAGE", 8)
    made = MainWindow(OpenStore(clock=FixedClock(NOW), with_model=False), settings)
    made.resize(1440, 900)
    made.show()
    with qtbot.waitSignal(made.browse_viewmodel.grown):
        made.store.open(sample)
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
        viewmodel.sort(SortColumn.CONTENT, descending=False)
    assert seen == [(8, True, "counting…")]
    assert viewmodel.table.total == whole
    assert view.filters.count.text() == f"{whole:,} memories"
    assert viewmodel._listing.ids == browse_ids(long_list, SortColumn.CONTENT)


def browse_ids(window, column):
    return browse.listing(window.store._workspace, DEFAULT_SELECTION, Order(column, descending=False)).ids


def test_a_list_that_grows_stays_where_it_was_scrolled_to_and_keeps_the_selection(qtbot, long_list):
    viewmodel, view = long_list.browse_viewmodel, long_list.browse_view
    view.table.setFixedHeight(160)
    picked = []

    def go_on(total, position):
        choose(view, 5)
        view.table.scrollToBottom()
        picked.append((viewmodel.selected, view.table.verticalScrollBar().value()))

    viewmodel.listed.connect(go_on)
    with qtbot.waitSignal(viewmodel.grown):
        viewmodel.sort(SortColumn.CONFIDENCE, descending=True)
    [(chosen, scrolled)] = picked
    assert len(chosen) == 1
    assert (viewmodel.selected, view.table.verticalScrollBar().value()) == (chosen, scrolled)


def test_a_page_further_down_a_long_list_is_fetched_by_its_place(qtbot, long_list):
    viewmodel = long_list.browse_viewmodel
    last = viewmodel.table.total - 1
    qtbot.waitUntil(lambda: viewmodel.table.row(last) is not None)
    assert viewmodel.table.row(last).memory.id == viewmodel._listing.ids[last]


def test_choosing_everything_while_a_list_grows_means_all_of_it(qtbot, long_list):
    viewmodel = long_list.browse_viewmodel
    viewmodel.listed.connect(lambda *_: viewmodel.select_all_listed())
    with qtbot.waitSignal(viewmodel.grown):
        viewmodel.sort(SortColumn.TYPE, descending=False)
    assert viewmodel.selected_count == viewmodel.table.total > 8


def reopened(qtbot, settings, path):
    """Another window, as after a restart, with a store open in it."""
    made = MainWindow(OpenStore(clock=FixedClock(NOW), with_model=False), settings)
    qtbot.addWidget(made)
    made.store.open(path)
    qtbot.waitUntil(lambda: made.browse_viewmodel._listing is not None)
    return made


def test_a_store_opens_with_the_filter_it_was_left_with(qtbot, on_sample, settings, sample, tmp_path):
    other = tmp_path / "other.db"
    Workspace.create(other).close()
    qtbot.keyClicks(on_sample.browse_view.search, "postgres")
    on_sample.browse_viewmodel.filter_by(types=("gotcha",))
    on_sample.browse_viewmodel.narrow(min_age_days=30.0, never_recalled=True)
    left = on_sample.browse_viewmodel.selection
    on_sample.close()
    again = reopened(qtbot, settings, sample)
    assert again.browse_viewmodel.selection == left
    assert again.browse_view.search.text() == "postgres"
    assert again.browse_view.filters.by_field["types"].text() == "Type: gotcha"
    again.show()
    assert again.browse_view.filters.clear.isVisible()
    again.browse_view.filters.clear.click()
    again.close()
    assert reopened(qtbot, settings, sample).browse_viewmodel.selection == Selection()
    assert reopened(qtbot, settings, other).browse_viewmodel.selection == DEFAULT_SELECTION


@pytest.mark.parametrize("kept", ["{", "[1]", '{"%s": 3}', '{"%s": {"statuses": ["nonsense"], "text": 4}}'])
def test_a_filter_that_is_not_understood_any_more_does_not_filter(qtbot, settings, sample, kept):
    settings.set_text("browse/left", kept.replace("%s", str(sample)))
    settings.set_text("browse/saved", kept.replace("%s", "Mine"))
    window = reopened(qtbot, settings, sample)
    assert window.browse_viewmodel.selection == DEFAULT_SELECTION
    assert window.browse_viewmodel.saved() == {}


def test_filters_are_kept_of_the_last_stores_only(settings, tmp_path):
    kept = SavedFilters(settings)
    paths = [tmp_path / f"{number}.db" for number in range(MAX_RECENT + 1)]
    for path in paths:
        kept.leave(path, Selection(text=path.name))
    assert kept.left_with(paths[0]) == DEFAULT_SELECTION
    assert kept.left_with(paths[1]) == Selection(text="1.db")
