"""Serving agents: at most one server of the open store, which ends with it; what fails is reported."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QProcess

from inspector import program
from inspector.gui.viewmodels.serving import ServerProcess, ServerState, ServingViewModel

SERVER = 'import sys; print(\'{"url": "http://127.0.0.1:9"}\', flush=True); sys.stdin.read()'
COMPLAINING = "import sys; sys.exit('The port is taken.')"


@pytest.fixture
def run(monkeypatch):
    """Let a small program stand in for the server, which takes seconds to start."""

    def use(code):
        monkeypatch.setattr(program, "command", lambda: [sys.executable, "-c", code])

    return use


@pytest.fixture
def viewmodel(opened):
    made = ServingViewModel(opened)
    yield made
    made.end()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def serving(qtbot, run, viewmodel):
    run(SERVER)
    with qtbot.waitSignal(viewmodel.changed, check_params_cb=lambda server: server.state is ServerState.ON):
        viewmodel.start()
    return viewmodel


def test_without_a_store_no_server_is_started(store):
    viewmodel = ServingViewModel(store)
    viewmodel.start()
    assert viewmodel.server == ServerProcess()


def test_a_server_is_on_when_it_has_said_where_it_answers(serving):
    assert serving.server == ServerProcess(ServerState.ON, "http://127.0.0.1:9")


def test_a_second_start_changes_nothing(qtbot, serving):
    with qtbot.assertNotEmitted(serving.changed):
        serving.start()
    assert len(serving.findChildren(QProcess)) == 1


def test_a_stopped_server_ends(qtbot, serving):
    with qtbot.waitSignal(serving.findChild(QProcess).finished):
        serving.stop()
    assert serving.server == ServerProcess()


def test_the_server_ends_with_its_store(qtbot, serving, opened):
    with qtbot.waitSignal(serving.findChild(QProcess).finished):
        opened.close()
    assert serving.server.state is ServerState.OFF


def test_a_server_that_ends_by_itself_is_reported_with_its_complaint(after, run, viewmodel, opened):
    run(COMPLAINING)
    assert "The port is taken." in after(opened.failed, viewmodel.start)
    assert viewmodel.server.state is ServerState.OFF


def test_a_program_that_cannot_be_started_is_reported(after, monkeypatch, viewmodel, opened, tmp_path):
    monkeypatch.setattr(program, "command", lambda: [str(tmp_path / "none")])
    after(opened.failed, viewmodel.start)
    assert viewmodel.server.state is ServerState.OFF
