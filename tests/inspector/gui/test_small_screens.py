"""The window on small screens: it fits where it appears, and at 1024 pixels nothing lies beyond the right edge."""

from __future__ import annotations

import pytest
from browsing import settled
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollArea,
    QToolButton,
    QWidget,
)

from inspector.gui.main_window import MainWindow
from inspector.gui.viewmodels.open_store import OpenStore
from inspector.gui.widgets import window_state

CONTROLS = QAbstractButton | QComboBox | QLineEdit | QAbstractItemView | QAbstractSpinBox
VIEWS = ["browse", "query_lab", "contradictions", "decay", "graph", "activity", "health", "evaluation"]


@pytest.mark.parametrize(
    ("screen", "size"),
    [
        ((3840, 2160), (1440, 900)),
        ((1440, 900), (1368, 828)),
        ((1280, 720), (1208, 648)),
        ((1024, 768), (1024, 696)),
        ((800, 600), (800, 600)),
    ],
)
def test_the_first_window_fits_its_screen(screen, size):
    assert window_state.first_size(QSize(*screen)) == QSize(*size)


def test_a_new_window_lies_within_its_screen(qtbot, settings):
    window = MainWindow(OpenStore(with_model=False), settings)
    window.show()
    try:
        assert window.screen().availableGeometry().contains(QRect(QPoint(0, 0), window.size()))
    finally:
        window.close()


@pytest.fixture
def small(qtbot, on_sample):
    on_sample.resize(1024, 700)
    settled(qtbot, on_sample)
    return on_sample


def beyond_the_edge(window, view):
    """Controls of a view that can be seen only in part; what scrolls within its own area is in reach."""
    found = []
    for control in view.findChildren(QWidget):
        if isinstance(control, CONTROLS) and control.isVisible() and not _scrolls(control, view):
            right = control.mapTo(window, QPoint(control.width(), 0)).x()
            if right > window.width():
                found.append((type(control).__name__, control.accessibleName(), right))
    return found


def _scrolls(control, view):
    above = control.parentWidget()
    while above is not None and above is not view:
        if isinstance(above, QScrollArea | QAbstractItemView):
            return True
        above = above.parentWidget()
    return False


@pytest.mark.parametrize("name", VIEWS)
def test_at_1024_pixels_every_view_has_room(qtbot, small, name):
    small.do(name)
    view = small.views[name]
    qtbot.waitUntil(view.isVisible)
    assert small.width() == 1024
    assert view.minimumSizeHint().width() <= small.page_scroll.viewport().width()
    assert small.page_scroll.horizontalScrollBar().maximum() == 0
    assert small.page_scroll.verticalScrollBar().maximum() == 0
    assert beyond_the_edge(small, view) == []


def test_at_1024_pixels_a_contradiction_is_seen_whole(qtbot, small):
    small.do("contradictions")
    view = small.contradictions_view
    qtbot.waitUntil(lambda: view.cases.rowCount() == 2 and view.b.isVisible())
    assert view.case_scroll.horizontalScrollBar().maximum() == 0


def test_at_1024_pixels_the_bar_of_selected_memories_has_room(qtbot, small):
    small.do("select_all")
    view = small.browse_view
    qtbot.waitUntil(view._selection_bar.isVisible)
    assert small.width() == 1024
    assert beyond_the_edge(small, view) == []
    assert small.page_scroll.horizontalScrollBar().maximum() == 0


def test_in_a_window_that_is_narrower_still_the_right_side_is_reached_by_scrolling(qtbot, small):
    small.resize(700, 500)
    small.do("decay")
    qtbot.waitUntil(lambda: small.page_scroll.horizontalScrollBar().maximum() > 0)
    assert small.width() == 700


def rail_button(window, name):
    return window.rail.widgetForAction(window.actions_by_name[name])


def test_at_800_by_600_pixels_every_view_is_in_the_rail(qtbot, small):
    small.resize(800, 600)
    qtbot.waitUntil(lambda: small.size() == QSize(800, 600))
    qtbot.waitUntil(lambda: [name for name in VIEWS if not rail_button(small, name).isVisible()] == [])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_in_a_lower_window_a_button_that_can_be_seen_leads_to_the_other_views(qtbot, small, theme):
    small.appearance.apply_theme(theme)
    small.resize(800, 450)
    more = small.rail.findChild(QToolButton, "qt_toolbar_ext_button")
    qtbot.waitUntil(lambda: more.isVisible() and not rail_button(small, "evaluation").isVisible())
    picture = small.rail.grab(more.geometry()).toImage()
    shades = [picture.pixelColor(x, picture.height() // 2).lightness() for x in range(picture.width())]
    assert max(shades) - min(shades) > 60
    assert more.toolTip() == "More views"
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(rail_button(small, "evaluation").isVisible)
    qtbot.mouseClick(rail_button(small, "evaluation"), Qt.MouseButton.LeftButton)
    assert small.work.currentWidget() is small.views["evaluation"]
