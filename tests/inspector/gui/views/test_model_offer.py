"""A model that is not here is offered; it is fetched with progress, or left for later and asked for no more."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from core.embed import catalogue, places
from core.embed.catalogue import ARCTIC_S
from inspector.gui import app
from inspector.gui.main_window import MainWindow
from inspector.gui.viewmodels.open_store import OpenStore


@pytest.fixture
def with_model(qtbot, settings, sample, monkeypatch):
    """The window of a machine on which no model is, and no place can be reached that has one."""
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": "/dev/null",
        "HF_ENDPOINT": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    app.application()
    made = MainWindow(OpenStore(), settings)
    made.show()
    made.store.open(sample)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def fastembeds_cache(tmp_path, monkeypatch, models_of_this_machine):
    """The default model where fastembed would have left it."""
    snapshots = tmp_path / "fastembed" / "models--arctic" / "snapshots"
    snapshots.mkdir(parents=True)
    (snapshots / "one").symlink_to(places.folder_of(ARCTIC_S, models_of_this_machine))
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "fastembed"))


def test_a_missing_model_is_offered_and_later_means_later(qtbot, with_model, settings):
    offer = with_model.model_offer
    qtbot.waitUntil(offer.isVisible)
    assert catalogue.DEFAULT.name in offer.text.text()
    assert "34.8 MB" in offer.text.text()
    offer.later.click()
    assert not offer.isVisible()
    with qtbot.waitSignal(with_model.store.status_changed):
        with_model.refresh()
    assert not offer.isVisible()
    assert settings.text("model_offer") == "later"
    assert with_model.actions_by_name["fetch_model"].isEnabled()


def test_the_model_is_fetched_loaded_and_said_to_be_here(qtbot, with_model, fastembeds_cache):
    qtbot.waitUntil(with_model.model_offer.isVisible)
    with qtbot.waitSignal(with_model.store.message, timeout=20_000) as said:
        with_model.model_offer.fetch.click()
        assert not with_model.model_offer.isVisible()
    assert "vector search is on" in said.args[0]
    qtbot.waitUntil(lambda: with_model.status.model.text() == "Model ready")
    with qtbot.waitSignal(with_model.store.message) as said:
        with_model.fetch_model()
    assert said.args[0] == "The model is installed already."


def test_a_fetch_that_fails_says_why_and_can_be_tried_again(qtbot, with_model):
    qtbot.waitUntil(with_model.model_offer.isVisible)
    with_model.model_offer.fetch.click()
    qtbot.waitUntil(lambda: with_model.model_offer.fetch.text() == "Try again", timeout=30_000)
    assert "could not be fetched" in with_model.model_offer.text.text()
    assert "Full text keeps working" in with_model.model_offer.text.text()
    with_model.model_offer.later.click()
    assert not with_model.model_offer.isVisible()


def test_the_query_lab_has_the_action_when_it_was_put_off(qtbot, with_model, fastembeds_cache):
    lab = with_model.query_view
    qtbot.waitUntil(with_model.model_offer.isVisible)
    with_model.query_lab()
    lab.ask("why do migrations hang?")
    qtbot.waitUntil(lambda: "not here yet" in lab.warning.text())
    assert "Help, Download the Model gets it" in lab.warning.text()
    assert "Help, Download the Model gets it" in lab.funnel.accessibleDescription()
    said = (
        lab.warning.text(),
        lab.state.toolTip(),
        with_model.status.model.toolTip(),
        lab.funnel.accessibleDescription(),
    )
    assert not any("memory-inspector" in each for each in said)
    lab.profile.setCurrentText("bcr")  # by meaning alone, so that everything is missed for want of the model
    with qtbot.waitSignal(lab._viewmodel.why_not_found):
        lab.why_not.ask(1)
    assert "Help, Download the Model gets it" in lab.why_not.sentence.text()
    lab.profile.setCurrentText("inspector")
    assert not lab.fetch.isVisible()  # the line above has it
    with_model.model_offer.later.click()
    assert lab.fetch.isVisible()
    lab.fetch.setFocus()
    with qtbot.waitSignal(with_model.store.message, timeout=20_000) as said:
        qtbot.keyClick(lab.fetch, Qt.Key.Key_Space)
        assert not lab.fetch.isVisible()
    assert "vector search is on" in said.args[0]
    qtbot.waitUntil(lambda: "not here yet" not in lab.warning.text())
