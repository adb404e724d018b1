"""A journey through Decay: choose memories and a law, read when they cross, drag the moment along."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt

from core.services import curate
from core.services.workspace import Workspace


@pytest.fixture
def view(qtbot, on_sample):
    on_sample.decay()
    qtbot.waitUntil(lambda: on_sample.decay_view.standings.rowCount() == 5)
    return on_sample.decay_view


@pytest.fixture
def viewmodel(on_sample):
    return on_sample.decay_viewmodel


def test_memories_of_all_ages_are_drawn_when_none_are_selected(view, viewmodel):
    assert view.curves.rowCount() == 5
    ages = [curve.memory.created_at for curve in view.curves.rows]
    assert ages == sorted(ages, reverse=True)
    assert view.chart.moment == viewmodel.chart.now


def test_the_selected_memories_of_browse_are_drawn(qtbot, on_sample, view):
    on_sample.browse()
    chosen = on_sample.browse_view.table.selectionModel()
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    for row in (3, 4, 5):
        chosen.select(on_sample.browse_view.table.model().index(row, 0), flags)
    ids = set(on_sample.browse_viewmodel.selected)
    on_sample.decay()
    qtbot.waitUntil(lambda: {curve.memory.id for curve in view.curves.rows} == ids)


def test_a_law_of_another_profile_fades_otherwise(qtbot, view, viewmodel):
    before = [curve.now for curve in view.curves.rows]
    view.profile.setCurrentIndex(view.profile.findData("oro"))
    qtbot.waitUntil(lambda: viewmodel.chart.decay_model.profile == "oro")
    after = [curve.now for curve in view.curves.rows]
    assert all(new <= old for new, old in zip(after, before, strict=True))
    assert view.curves.index(0, 3).data().startswith("20")


def test_overlays_are_drawn_beside_the_first_curve(qtbot, view, viewmodel):
    view.half_lives[7.0].setChecked(True)
    view.as_if_pinned.setChecked(True)
    qtbot.waitUntil(lambda: [name for name, _ in viewmodel.chart.overlays] == ["half-life 7 d", "pinned"])
    view.ahead.setCurrentIndex(3)
    qtbot.waitUntil(lambda: (viewmodel.chart.end - viewmodel.chart.now).days == 1095)


def test_dragging_the_moment_ranks_anew(qtbot, view, viewmodel):
    now = view.standings.row(0)[1].value
    with qtbot.waitSignal(viewmodel.ranked):
        qtbot.mousePress(view.chart, Qt.MouseButton.LeftButton, pos=QPoint(view.chart.width() // 2, 80))
    with qtbot.waitSignal(viewmodel.ranked):
        qtbot.mouseMove(view.chart, QPoint(view.chart.width() - 40, 80))
    qtbot.mouseRelease(view.chart, Qt.MouseButton.LeftButton)
    assert view.chart.moment > viewmodel.chart.now
    qtbot.waitUntil(lambda: view.standings.row(0)[1].value < now)
    assert view.when.text() == f"Order on {view.chart.moment:%Y-%m-%d}"


def test_the_arrow_keys_move_the_moment(qtbot, view, viewmodel):
    before = view.chart.moment
    with qtbot.waitSignal(viewmodel.ranked):
        qtbot.keyClick(view.chart, Qt.Key.Key_Right)
    assert view.chart.moment > before
    qtbot.keyClick(view.chart, Qt.Key.Key_Left)
    assert abs((view.chart.moment - before).total_seconds()) < 1


def test_the_whole_store_is_counted_along_the_curve(qtbot, on_sample, view):
    qtbot.waitUntil(lambda: sum(view.spread._counts) > 100)
    assert "pinned never decay" in view.pinned.text()
    assert "remaining: " in view.spread.accessibleDescription()


def test_a_pin_by_another_process_flattens_the_curve(qtbot, view, sample):
    id = view.curves.row(4).memory.id
    with Workspace.open(sample) as other:
        curate.pin(other, [id], actor="agent")
    qtbot.waitUntil(lambda: view.curves.row(4).now == 1.0)
    assert view.curves.index(4, 3).data() == "never"


def test_enter_on_a_curve_opens_its_memory(qtbot, on_sample, view):
    wanted = view.curves.row(2).memory.id
    view.table.activated.emit(view.curves.index(2, 0))
    qtbot.waitUntil(lambda: on_sample.detail_viewmodel.memory.id == wanted)
