"""The table of memories: filtered, ordered, looked at, and what an action acts on."""

from __future__ import annotations

import pytest

from core.model import Status
from core.search_types import Order, Selection, SortColumn
from inspector.gui.viewmodels.browse import BrowseViewModel
from inspector.gui.viewmodels.curation import Targets
from inspector.gui.viewmodels.saved_filters import DEFAULT_SELECTION


@pytest.fixture
def viewmodel(after, store, settings, sample):
    made = BrowseViewModel(store, settings)
    after(made.listed, lambda: store.open(sample))
    return made


def ids(viewmodel):
    return [viewmodel.table.row(number).memory.id for number in range(viewmodel.table.total)]


def test_a_new_store_shows_its_active_memories_newest_first(viewmodel):
    assert (viewmodel.selection, viewmodel.order, viewmodel.is_whole) == (DEFAULT_SELECTION, Order(), True)
    rows = [viewmodel.table.row(number).memory for number in range(viewmodel.table.total)]
    assert {memory.status for memory in rows} == {Status.ACTIVE}
    assert [memory.created_at for memory in rows] == sorted((memory.created_at for memory in rows), reverse=True)


def test_a_filter_narrows_the_list_and_is_remembered_for_the_store(after, viewmodel, store, settings, sample):
    before = viewmodel.table.total
    after(viewmodel.listed, lambda: viewmodel.narrow(text="migration"))
    narrowed = ids(viewmodel)
    assert 0 < len(narrowed) < before
    store.close()
    again = BrowseViewModel(store, settings)
    after(again.listed, lambda: store.open(sample))
    assert again.selection.text == "migration"
    assert ids(again) == narrowed


def test_fast_changes_are_applied_once_and_the_last_one_counts(qtbot, viewmodel):
    lists = []
    viewmodel.listed.connect(lambda *_: lists.append(viewmodel.table.total))
    for text in ("m", "mi", "zzzz"):
        viewmodel.narrow(text=text)
    qtbot.waitUntil(lambda: lists != [])
    assert lists == [0]


def test_every_filter_can_be_cleared_and_set_by_field(after, viewmodel):
    after(viewmodel.listed, lambda: viewmodel.filter_by(statuses=(Status.SUPERSEDED,)))
    superseded = viewmodel.table.total
    after(viewmodel.listed, viewmodel.clear)
    assert viewmodel.selection == Selection()
    assert viewmodel.table.total == 110 > superseded


def test_the_order_is_kept_by_the_settings(after, viewmodel, store, settings):
    after(viewmodel.listed, lambda: viewmodel.sort(SortColumn.ID, descending=False))
    assert ids(viewmodel) == sorted(ids(viewmodel))
    assert BrowseViewModel(store, settings).order == Order(SortColumn.ID, False)


@pytest.mark.parametrize("kept", [None, 3, ["no column", True], ["id"], ["id", "yes"]])
def test_an_order_that_is_not_understood_is_newest_first(store, settings, kept):
    settings.set_data("browse/sorted", kept)
    assert BrowseViewModel(store, settings).order == Order()


def test_an_action_acts_on_the_selection_or_on_the_memory_that_is_looked_at(viewmodel):
    first, second, third = ids(viewmodel)[:3]
    assert not viewmodel.targets
    viewmodel.look_at(first)
    viewmodel.select_memories([second])
    assert viewmodel.targets == Targets((first,))
    viewmodel.select_memories([second, third])
    assert (viewmodel.targets, viewmodel.selected_count) == (Targets((second, third)), 2)
    viewmodel.select_all_listed()
    assert (viewmodel.targets, viewmodel.selected_count) == (
        Targets(everything=DEFAULT_SELECTION),
        viewmodel.table.total,
    )


def test_a_memory_found_elsewhere_is_looked_at_though_the_list_does_not_hold_it(after, qtbot, viewmodel):
    wanted = ids(viewmodel)[2]
    viewmodel.select_memories(ids(viewmodel)[:2])
    with qtbot.waitSignal(viewmodel.listed) as listed:
        viewmodel.open_memory(wanted)
    assert listed.args == [viewmodel.table.total, 2]
    after(viewmodel.listed, lambda: viewmodel.narrow(text="zzzz"))
    with qtbot.waitSignal(viewmodel.listed) as listed:
        viewmodel.open_memory(wanted)
    assert listed.args == [0, -1]
    assert (viewmodel.current, viewmodel.selected) == (wanted, ())


def test_filters_are_saved_and_removed_by_name(viewmodel):
    viewmodel.save_filter("mine")
    assert viewmodel.saved() == {"mine": DEFAULT_SELECTION}
    viewmodel.forget_filter("mine")
    assert viewmodel.saved() == {}


def test_facets_are_counted_on_demand_and_again_after_a_change(qtbot, after, viewmodel, store):
    facets = after(viewmodel.facets_changed, viewmodel.want_facets)
    assert sum(facets.statuses.values()) == 110
    with qtbot.assertNotEmitted(viewmodel.facets_changed):
        viewmodel.want_facets()
    assert after(viewmodel.facets_changed, lambda: store.remember("Pelle sings on Fridays", "fact")) is None
    assert sum(after(viewmodel.facets_changed, viewmodel.want_facets).statuses.values()) == 111


def test_a_closed_store_has_no_rows(after, viewmodel, store):
    viewmodel.look_at(ids(viewmodel)[0])
    after(viewmodel.listed, store.close)
    assert (viewmodel.table.total, viewmodel.current) == (0, None)
