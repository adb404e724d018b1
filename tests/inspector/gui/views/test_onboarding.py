"""The tour goes through every view by keys alone, lies over nothing it speaks of if it can, and ends when asked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.gui.actions import ACTIONS
from inspector.gui.views.onboarding_steps import STEPS


@pytest.fixture
def onboarding(qtbot, on_sample):
    on_sample.activateWindow()
    qtbot.waitUntil(on_sample.isActiveWindow)
    on_sample.take_tour()
    return on_sample.onboarding


def press(key: Qt.Key) -> None:
    QTest.keyClick(QApplication.focusWidget(), key)


def test_every_view_has_its_steps_and_each_is_short():
    assert list(dict.fromkeys(step.view for step in STEPS)) == [action.name for action in ACTIONS if action.is_view]
    assert sum(len(step.text.split()) for step in STEPS) < 400  # two minutes of reading
    assert all(len(step.text) < 240 for step in STEPS)


def test_the_arrow_keys_walk_it_and_frame_what_it_speaks_of(on_sample, onboarding):
    for number, step in enumerate(STEPS):
        assert onboarding.title.text() == step.title
        assert on_sample.work.currentWidget() is on_sample.views[step.view]
        assert onboarding.count.text() == f"{number + 1} of {len(STEPS)}"
        target = onboarding._target(step.target)
        framed = QRect(target.mapTo(on_sample, QPoint()), target.size())
        assert onboarding._frame.geometry() == framed & on_sample.rect()
        assert on_sample.rect().contains(onboarding.geometry())
        assert onboarding.accessibleName() == f"Tour, step {number + 1} of {len(STEPS)}: {step.title}"
        assert onboarding.accessibleDescription() == step.text
        press(Qt.Key.Key_Right)
    assert not onboarding.isVisible()
    assert not onboarding._frame.isVisible()


def test_it_goes_back_moves_with_the_window_overwrites_no_question_and_ends_with_escape(on_sample, onboarding):
    on_sample.query_view.query.setText("mine")
    for _ in range(5):
        press(Qt.Key.Key_Right)
    assert on_sample.query_view.query.text() == "mine"
    on_sample.resize(1100, 700)
    assert on_sample.rect().contains(onboarding.geometry())
    assert onboarding._frame.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    for _ in range(4):
        press(Qt.Key.Key_Left)
    press(Qt.Key.Key_Left)
    assert onboarding.number == 0
    assert not onboarding.back.isEnabled()
    press(Qt.Key.Key_Left)
    assert onboarding.number == 0
    press(Qt.Key.Key_Escape)
    assert not onboarding.isVisible()


def test_without_a_store_it_opens_the_sample_first(qtbot, window):
    with qtbot.waitSignal(window.store.opened, timeout=20_000):
        window.first_page.buttons["take_tour"].click()
    assert window.onboarding.isVisible()
    assert window.store.path.name == "sample.db"
    window.close_store()
    assert not window.onboarding.isVisible()
