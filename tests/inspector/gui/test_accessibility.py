"""Without a mouse and without eyes: every control of every view has a name and is reached by Tab."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QToolBar,
    QWidget,
)

from inspector.gui.actions import ACTIONS

CONTROLS = (
    QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit, QAbstractItemView, QAbstractSlider,
    QTabBar,
)  # fmt: skip
VIEWS = [action.name for action in ACTIONS if action.is_view]
MAX_STEPS = 400


def controls(root: QWidget) -> list[QWidget]:
    """What a person can use and sees now. Of a control made of several, Qt's inner ones are not its own."""
    inner = (QComboBox, QLineEdit, QAbstractSpinBox, QAbstractItemView, QTabBar, QToolBar)
    return [
        each
        for each in root.findChildren(QWidget)
        if isinstance(each, CONTROLS)
        and not isinstance(each, (QScrollBar, QHeaderView))
        and not isinstance(each.parent(), inner)
        and not isinstance(each.parent().parent(), inner)
        and each.isVisible()
        and each.isEnabled()
    ]


def described(widget: QWidget) -> str:
    return f"{widget.metaObject().className()} {widget.accessibleName() or widget.objectName()}"


def pages(view: QWidget) -> Iterator[str]:
    """Every page of a view that a tab leads to, shown one after the other."""
    yield "as it opens"
    for tabs in view.findChildren(QTabWidget):
        if tabs.isVisible():
            for number in range(tabs.count()):
                tabs.setCurrentIndex(number)
                yield tabs.tabText(number)


def reached_by_tab(start: QWidget) -> set[QWidget]:
    """Every widget that Tab comes to, until it comes round to where it began."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    reached: set[QWidget] = set()
    for _ in range(MAX_STEPS):
        now = QApplication.focusWidget()
        assert now is not None
        if now in reached and now is start:
            return reached
        reached.add(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
        if QApplication.focusWidget() is now:
            raise AssertionError(f"Tab does not leave {described(now)}")
    raise AssertionError(f"Tab never comes round, last at {described(QApplication.focusWidget())}")


@pytest.fixture
def active(qtbot, on_sample):
    on_sample.activateWindow()
    qtbot.waitUntil(on_sample.isActiveWindow)
    return on_sample


@pytest.mark.parametrize("name", VIEWS)
def test_every_control_of_a_view_has_a_name_and_is_reached_by_tab(qtbot, active, name):
    active.do(name)
    view = active.views[name]
    if name == "query_lab":
        view.ask("why do migrations hang?")
        qtbot.waitUntil(lambda: view.results.rowCount() > 0)
    first = controls(view)
    reached = reached_by_tab(
        next(each for each in first if isinstance(each, (QLineEdit, QAbstractItemView, QComboBox)))
    )
    missed = [each for each in first if each not in reached and not any(each.isAncestorOf(one) for one in reached)]
    assert [described(each) for each in missed] == []
    for page in pages(view):
        shown = controls(view)
        assert shown, page
        assert [described(each) for each in shown if not (each.accessibleName() or _text(each))] == [], page
        assert [described(each) for each in shown if not each.focusPolicy() & Qt.FocusPolicy.TabFocus] == [], page


def _text(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, QAbstractButton) else ""


def test_the_first_page_is_reached_by_tab(qtbot, window):
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    buttons = set(window.first_page.buttons.values())
    assert buttons <= reached_by_tab(window.first_page.buttons["open_sample"])


def test_what_stands_on_the_bars_stands_in_a_menu_too(window):
    """The bars are not in the order of Tab, as is usual; so a key or a menu leads to each of their actions."""
    in_menus = {action for menu in window.menuBar().actions() for action in menu.menu().actions()}
    for bar in (window.toolbar, window.rail):
        assert set(bar.actions()) <= in_menus
    views = [window.actions_by_name[name] for name in VIEWS]
    assert [action.shortcut().toString() for action in views] == [f"Ctrl+{number}" for number in range(1, 9)]
