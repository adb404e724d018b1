"""The desktop serves agents with the same server: started, seen, stopped, and gone with the window."""

from __future__ import annotations

import json
import urllib.request

import pytest
from PySide6.QtCore import QProcess, Qt

from inspector.gui.viewmodels.serving import ServerState
from inspector.gui.views.serving import ServingDialog

LEFT = Qt.MouseButton.LeftButton
LONG_MS = 60_000


@pytest.fixture
def dialog(home, on_sample):
    on_sample.serve()
    return on_sample.findChild(ServingDialog)


@pytest.fixture
def serving(qtbot, on_sample, dialog):
    qtbot.mouseClick(dialog.start, LEFT)
    assert on_sample.serving.server.state is ServerState.STARTING
    qtbot.waitUntil(lambda: on_sample.serving.server.state is ServerState.ON, timeout=LONG_MS)
    return on_sample.serving


def test_the_server_answers_at_the_address_that_is_shown_until_it_is_stopped(qtbot, on_sample, dialog, serving):
    url = serving.server.url
    assert on_sample.status.server.text() == f"Serving at {url}"
    assert dialog.address.text() == f"{url}/mcp"
    assert dialog.token.text() == "memory-inspector token show"
    with urllib.request.urlopen(f"{url}/health", timeout=30) as reply:
        assert json.load(reply)
    process = on_sample.serving.findChild(QProcess)
    with qtbot.waitSignal(process.finished, timeout=LONG_MS):
        qtbot.mouseClick(dialog.stop, LEFT)
    assert on_sample.status.server.text() == "Server off"
    assert not dialog.start.isHidden()


def test_the_server_ends_with_its_store(qtbot, on_sample, serving):
    process = serving.findChild(QProcess)
    with qtbot.waitSignal(process.finished, timeout=LONG_MS):
        on_sample.close_store()
    assert serving.server.state is ServerState.OFF


def test_no_server_outlives_the_window(qtbot, on_sample, serving):
    process = serving.findChild(QProcess)
    with qtbot.waitSignal(process.finished, timeout=LONG_MS):
        on_sample.close()


def test_a_server_that_ends_by_itself_is_reported(qtbot, on_sample, serving):
    with qtbot.waitSignal(on_sample.store.failed, timeout=LONG_MS):
        serving.findChild(QProcess).kill()
    assert "The server stopped." in on_sample.status.message.text()
    assert on_sample.status.server.text() == "Server off"
