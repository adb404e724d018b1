"""The embedding model when it is missing: offered, put off, fetched, or failed with a reason."""

from __future__ import annotations

import pytest

from core.embed import catalogue
from inspector.gui.viewmodels import open_store
from inspector.gui.viewmodels.model import ModelViewModel, by_menu
from inspector.gui.viewmodels.open_store import OpenStore


@pytest.fixture
def with_model(qtbot, monkeypatch):
    """A store of a machine that has no model and can reach no place that has one."""
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": "/dev/null",
        "HF_ENDPOINT": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(open_store, "STATUS_EVERY_MS", 20)
    made = OpenStore()
    yield made
    made.end()


@pytest.fixture
def viewmodel(qtbot, with_model, settings, sample):
    made = ModelViewModel(with_model, settings)
    with qtbot.waitSignal(made.offered, check_params_cb=lambda offer: offer is not None):
        with_model.open(sample)
    return made


def test_a_missing_model_is_offered_with_its_size(after, viewmodel, with_model):
    offer = after(viewmodel.offered, with_model.ask_status)
    assert (offer.name, offer.size, offer.trouble) == (catalogue.DEFAULT.name, catalogue.DEFAULT.size, "")


def test_what_is_put_off_is_offered_no_more_by_itself(qtbot, after, viewmodel, with_model, settings):
    assert after(viewmodel.put_off, viewmodel.later) is True
    assert after(viewmodel.offered, with_model.ask_status) is None
    again = ModelViewModel(with_model, settings)
    assert after(again.offered, with_model.ask_status) is None


def test_a_fetch_that_fails_says_why_even_after_it_was_put_off(qtbot, viewmodel):
    viewmodel.later()
    with qtbot.waitSignal(viewmodel.offered, check_params_cb=lambda offer: offer is not None and bool(offer.trouble)):
        viewmodel.fetch()


def test_a_closed_store_offers_nothing(qtbot, viewmodel, with_model):
    with qtbot.waitSignal(viewmodel.offered, check_params_cb=lambda offer: offer is None):
        with_model.close()


def test_without_a_missing_model_there_is_nothing_to_fetch(after, opened, settings):
    viewmodel = ModelViewModel(opened, settings)
    assert after(opened.message, viewmodel.fetch)


def test_a_sentence_about_a_command_names_the_menu_instead():
    sentence = by_menu("Fetch it with `memory-inspector model fetch some/model` first.")
    assert "memory-inspector" not in sentence
    assert sentence.startswith("Fetch it with Help, ")
