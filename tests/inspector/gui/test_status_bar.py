"""The status bar: messages and the tips of actions never wipe or cover each other."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtWidgets import QApplication

SENTENCE = "There is no memory 9999."


def hover(window, tip):
    """What Qt does when the mouse comes over an action, and leaves it."""
    QApplication.sendEvent(window, QStatusTipEvent(tip))


@pytest.fixture
def status(window):
    return window.status


def test_a_tip_does_not_wipe_an_error(window, status):
    status.complain(SENTENCE)
    hover(window, "Open a store")
    assert status.message.text() == SENTENCE
    assert status.message.isVisible()
    assert status.message.property("kind") == "badge-danger"
    hover(window, "")
    assert status.message.text() == SENTENCE
    assert status.message.isVisible()


def test_a_tip_is_never_painted_over_what_stands_there(window, status):
    status.say("Kept: memory 12.")
    hover(window, "Open a store")
    assert status.currentMessage() == "", "Qt paints its own message over the widgets"


def test_a_tip_shows_where_nothing_else_does_and_goes_with_the_mouse(window, status):
    hover(window, "Open a store")
    assert status.message.text() == "Open a store"
    assert status.message.property("kind") != "badge-danger"
    hover(window, "")
    assert status.message.text() == ""


def test_an_error_that_has_been_shown_leaves_no_band_behind_and_gives_way_to_the_tip(window, status):
    status.complain(SENTENCE)
    hover(window, "Open a store")
    status._message_timer.timeout.emit()
    assert status.message.text() == "Open a store"
    assert status.message.property("kind") != "badge-danger"
    hover(window, "")
    assert status.message.text() == ""
    assert status.message.property("kind") != "badge-danger"


def test_the_tip_of_a_real_action_is_shown(window, status):
    window.actions_by_name["open_store"].showStatusText(window)
    assert status.message.text() == window.actions_by_name["open_store"].statusTip()


def test_a_long_message_makes_the_window_no_wider_and_can_be_read_whole(qtbot, window, status):
    window.resize(1024, 700)
    sentence = "Memory 12 pinned: " + "a long text " * 60
    status.say(sentence)
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert window.width() == 1024
    assert status.message.text() == sentence
    assert sentence.strip() in status.message.toolTip()
    assert status.message.geometry().right() < status.store.geometry().left()
